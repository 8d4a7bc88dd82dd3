//! Case 98: opening a session's folder and the files in it in other programs, and continuing a session in a terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_domain::SessionState;
use serde_json::{Value, json};

use crate::bridge::{Bridge, PATIENCE, claude_code, demo, fresh};

/// Names that a shell, an option parser or a path parser could take for something else.
const HOSTILE: [&str; 8] = [
    "a b",
    "it's \"quoted\"",
    "$(touch opened)",
    "`touch opened`; touch opened &",
    "line\nbreak",
    "-rf",
    "--goto",
    "{file} %f *",
];

/// A bridge with programs that record their arguments, and a session in a folder.
struct Desk {
    bridge: Bridge,
    session: Value,
    folder: PathBuf,
}

impl Desk {
    async fn with(programs: &[&str], folder: &str) -> Self {
        let bridge = Bridge::open();
        let bin = bridge.folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for name in programs {
            // The record is complete once it has its name.
            let script = "#!/bin/sh\nseen=\"${0%/*}/../seen\"\n[ \"$1\" = -e ] && { shift; exec \"$@\"; }\n\
                printf '%s\\0' \"$PWD\" \"$@\" > \"$seen.part\" && mv \"$seen.part\" \"$seen\"\n";
            let path = bin.join(name);
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        bridge.host.programs.lock().unwrap().push(bin);
        let folder = bridge.folder.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let mut start = claude_code(&bridge, "technology", &json!({}));
        start["folder"] = json!(folder);
        let session = bridge.call("start_session", start).await.unwrap()["id"].clone();
        Self { bridge, session, folder }
    }

    async fn open(&self, program: &str, path: Option<&str>, line: Option<u32>) {
        let input = json!({"session": self.session, "program": program, "path": path, "line": line});
        self.bridge.run("open_in", input).await;
    }

    async fn set(&self, setting: &str, value: &str) {
        let change = json!({"change": {"setting": setting, "value": value}});
        self.bridge.call("change_setting", change).await.unwrap();
    }

    /// Returns the folder and the arguments that the last program got.
    fn seen(&self) -> (String, Vec<String>) {
        let file = self.bridge.folder.path().join("seen");
        let began = Instant::now();
        while !file.exists() {
            assert!(began.elapsed() < PATIENCE, "no program was started");
            std::thread::sleep(Duration::from_millis(10));
        }
        let seen = fs::read_to_string(&file).unwrap();
        fs::remove_file(file).unwrap();
        let mut words = seen.split_terminator('\0').map(str::to_owned);
        (words.next().unwrap(), words.collect())
    }

    async fn state(&self) -> SessionState {
        self.bridge.snapshot().await.sessions[0].state.clone()
    }
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_str().unwrap().to_owned()
}

#[tokio::test]
async fn case_98_hostile_names_of_folders_and_files_open_exactly_that() {
    for name in HOSTILE {
        let desk = Desk::with(&["code", "vim", "xterm"], name).await;
        let folder = text(&desk.folder);
        desk.open("vscode", None, None).await;
        assert_eq!(desk.seen(), (folder.clone(), vec![folder.clone()]), "{name:?}");
        let file = text(desk.folder.join(name));
        fs::write(&file, "").unwrap();
        desk.open("vscode", Some(name), Some(12)).await;
        assert_eq!(desk.seen(), (folder.clone(), vec!["--goto".to_owned(), format!("{file}:12:1")]));
        desk.open("vim", Some(&file), Some(12)).await;
        assert_eq!(desk.seen(), (folder.clone(), vec!["+12".to_owned(), "--".to_owned(), file.clone()]));
        desk.set("editor_command", "code '{file}:{line}' $(ls)").await;
        desk.open("editor_command", Some(name), Some(12)).await;
        assert_eq!(desk.seen().1, [format!("{file}:12"), "$(ls)".to_owned()]);
        desk.open("file_manager", Some(name), None).await;
        assert_eq!(*desk.bridge.host.revealed.lock().unwrap(), [PathBuf::from(&file)]);
        let entries: Vec<_> = fs::read_dir(&desk.folder).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(entries, [PathBuf::from(file)], "nothing else happened in the folder");
    }
}

#[tokio::test]
async fn case_98_a_running_session_continues_in_a_terminal_only_once_it_has_ended_here() {
    let desk = Desk::with(&["xterm"], "a b").await;
    let introduced = |now: &askdesk_contract::frame::Snapshot| now.sessions[0].native_session.is_some();
    let now = desk.bridge.until("the agent has a session", introduced).await;
    let native = now.sessions[0].native_session.clone().unwrap();
    let input = |end: bool| json!({"requestId": fresh(), "session": desk.session, "endRunning": end});
    let error = desk.bridge.refused("continue_in_terminal", input(false)).await;
    assert_eq!(error["detail"]["error"]["validation"], "still_running");
    assert!(now.sessions[0].is_running());
    // From now on, the agent's program records its arguments.
    fs::copy(desk.bridge.folder.path().join("bin/xterm"), desk.bridge.folder.path().join("bin/claude"))
        .unwrap();
    let program = now.sessions[0].options.program.clone().unwrap();
    fs::remove_file(&program).unwrap();
    std::os::unix::fs::symlink(desk.bridge.folder.path().join("bin/claude"), &program).unwrap();
    let script = fs::read_to_string(desk.bridge.folder.path().join("bin/claude")).unwrap();
    let seen = text(desk.bridge.folder.path().join("seen"));
    let script = script.replace("${0%/*}/../seen", &seen);
    fs::write(desk.bridge.folder.path().join("bin/claude"), script).unwrap();
    desk.bridge.call("continue_in_terminal", input(true)).await.unwrap();
    let resumed = vec!["--resume".to_owned(), native.as_str().to_owned()];
    assert_eq!(desk.seen(), (text(&desk.folder), resumed));
    assert!(matches!(desk.state().await, SessionState::Ended { .. }));
}

#[tokio::test]
async fn a_session_ends_only_if_a_terminal_is_there_to_continue_it() {
    let desk = Desk::with(&[], "notes").await;
    let introduced = |now: &askdesk_contract::frame::Snapshot| now.sessions[0].native_session.is_some();
    desk.bridge.until("the agent has a session", introduced).await;
    let input = json!({"requestId": fresh(), "session": desk.session, "endRunning": true});
    let error = desk.bridge.refused("continue_in_terminal", input).await;
    assert_eq!(error["detail"]["why"], json!({"unopened": "no_terminal"}));
    assert!(!matches!(desk.state().await, SessionState::Ended { .. }));
}

#[tokio::test]
async fn an_agent_without_a_command_for_it_does_not_continue_in_a_terminal() {
    let bridge = Bridge::open();
    let session = bridge.call("start_session", demo("technology")).await.unwrap();
    let input = json!({"requestId": fresh(), "session": session["id"], "endRunning": true});
    let error = bridge.refused("continue_in_terminal", input).await;
    assert_eq!(error["detail"]["what"], "continuing_in_terminal");
}
