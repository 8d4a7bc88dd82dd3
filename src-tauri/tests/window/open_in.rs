//! Case 98: a session's folder and files open in other programs, whatever characters their names have, and a session continues
//! in a real terminal. The agent is a real Claude Code; the programs are real, or record their arguments.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, Setup};
use crate::real_claude::sealed;

/// Each would mean something else to a shell, an option parser or a terminal.
const FOLDER: &str = "-rf it's a \"folder\" $(touch opened)\n`touch opened`";
const FILE: &str = "-c 'call x' $(touch opened);\n+7 \"b\" {file}";

/// A real session in a folder with a hostile name, which read line 2 of a file with a hostile name.
struct Desk {
    app: App,
    session: String,
    folder: PathBuf,
    file: PathBuf,
    home: TempDir,
    /// The first folder of the app's `PATH`.
    bin: TempDir,
    _root: TempDir,
    _mock: MockApi,
}

impl Desk {
    async fn open(test: &str) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let [home, bin, root] = [(); 3].map(|()| TempDir::new().unwrap());
        let folder = fs::canonicalize(root.path()).unwrap().join(FOLDER);
        let file = folder.join(FILE);
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "one\ntwo\nthree\n").unwrap();
        past_the_first_start(home.path(), &folder);
        let read = json!({ "file_path": file, "offset": 2, "limit": 1 });
        let script = vec![Reply::new([Block::tool("toolu_r", "Read", read)]), Reply::text("It says two.")];
        let mock = MockApi::start(Script(script)).await.unwrap();
        let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
        let app = sealed(Setup::default(), home.path(), &mock).env("PATH", path).open().await;
        let input = json!({ "agent": "claude_code", "folder": folder, "options": { "program": program },
            "prompt": "Please read it.", "name": "Real" });
        let session = app.start_session(input).await;
        app.select(&session).await;
        app.shows_text("main", "It says two.").await;
        app.in_state(&session, "idle").await;
        Some(Self { app, session, folder, file, home, bin, _root: root, _mock: mock })
    }

    /// Installs a program that records its arguments.
    fn install(&self, name: &str) -> PathBuf {
        let program = self.bin.path().join(name);
        let script = "#!/bin/sh\nprintf '%s\\0' \"$PWD\" \"$@\" > \"$HOME/part\" && mv \"$HOME/part\" \"$HOME/seen\"\n";
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    /// Returns the folder and the arguments of the program that was started.
    async fn seen(&self) -> Vec<String> {
        let seen = self.written("seen").await;
        seen.split_terminator('\0').map(str::to_owned).collect()
    }

    /// Waits for a file in the home folder, and removes it.
    async fn written(&self, name: &str) -> String {
        let file = self.home.path().join(name);
        let text =
            self.app.wait(name, async || fs::read_to_string(&file).ok().filter(|it| !it.is_empty())).await;
        fs::remove_file(file).unwrap();
        text
    }

    async fn choose_from(&self, menu: &str, item: &str) {
        self.app.click("button", menu).await;
        self.app.click("menuitem", item).await;
    }

    async fn unfold_the_call(&self) {
        self.app.press(&self.app.find("main [data-kind=tool] summary").await).await;
    }

    /// Opens the settings of the programs, and closes them again.
    async fn set(&self, settings: &[(&str, &str)]) {
        self.app.click("button", "Settings").await;
        self.app.press(&self.app.by_role_in("dialog", "button", "Open in").await).await;
        for (setting, value) in settings {
            let control = self.app.find(&format!("#setting-{setting}")).await;
            if control.tag_name().await.unwrap() == "select" {
                control.select_by_value(value).await.unwrap();
            } else {
                control.send_keys(&format!("{value}\u{e004}")).await.unwrap();
            }
        }
        let saved = async || {
            let read = self.app.invoke("read_settings", json!({})).await.unwrap();
            let all = settings.iter().all(|(setting, value)| read["settings"][camel_case(setting)] == *value);
            all.then_some(())
        };
        self.app.wait("the settings to be saved", saved).await;
        self.app.click("button", "Close").await;
    }

    /// Checks that nothing in the names was carried out.
    fn check_nothing_else_happened(&self) {
        let names: Vec<_> =
            fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [FILE]);
        for folder in [self.folder.parent().unwrap(), self.home.path(), self.bin.path()] {
            assert!(!folder.join("opened").exists());
        }
    }
}

fn camel_case(id: &str) -> String {
    id.split_once('_')
        .map_or(id.to_owned(), |(first, rest)| format!("{first}{}{}", rest[..1].to_uppercase(), &rest[1..]))
}

/// Skips the questions of the program's first start in a terminal.
fn past_the_first_start(home: &Path, folder: &Path) {
    let mut known = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": {"approved": ["dummy-key-for-tests"], "rejected": []},
    });
    known["projects"][folder.to_str().unwrap()] =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    fs::write(home.join(".claude.json"), known.to_string()).unwrap();
}

#[tokio::test]
async fn case_98_a_folder_and_a_file_with_hostile_names_open_exactly_in_the_editor_and_a_missing_one_is_said()
{
    let test =
        "case_98_a_folder_and_a_file_with_hostile_names_open_exactly_in_the_editor_and_a_missing_one_is_said";
    let Some(desk) = Desk::open(test).await else { return };
    let code = desk.install("code");
    let folder = desk.folder.to_str().unwrap();
    // The menu looks for programs when it opens, and the next one lists them.
    desk.app.click("button", "Open in…").await;
    desk.app.by_role("menuitem", "VS Code").await;
    assert_eq!(desk.app.axe().await, Vec::<String>::new());
    desk.app.click("menuitem", "VS Code").await;
    assert_eq!(desk.seen().await, [folder, folder]);

    desk.unfold_the_call().await;
    desk.app.click("button", "Open in VS Code at line 2").await;
    let at_line = format!("{}:2:1", desk.file.display());
    assert_eq!(desk.seen().await, [folder, "--goto", &at_line]);
    assert_eq!(desk.app.axe().await, Vec::<String>::new());

    fs::remove_file(code).unwrap();
    desk.app.click("button", "Open in VS Code at line 2").await;
    desk.app
        .shows_text(
            "body",
            "Askdesk couldn’t find VS Code. Install it, or choose another program in Settings",
        )
        .await;
    desk.check_nothing_else_happened();
}

#[tokio::test]
async fn case_98_a_file_opens_at_its_line_in_a_real_vim_in_a_real_terminal() {
    let test = "case_98_a_file_opens_at_its_line_in_a_real_vim_in_a_real_terminal";
    let Some(desk) = Desk::open(test).await else { return };
    let state = "[expand('%:p'), line('.'), argc(), getcwd(), $WINDOWID != '', v:argv[0]]";
    let vimrc = format!(
        "set noswapfile\nautocmd VimEnter * call writefile([json_encode({state})], $HOME . '/state') | qall!\n"
    );
    fs::write(desk.home.path().join(".vimrc"), vimrc).unwrap();
    desk.set(&[("editor", "vim"), ("terminal", "xterm")]).await;
    desk.unfold_the_call().await;
    desk.app.click("button", "Open in Vim at line 2").await;
    let state: Value = serde_json::from_str(desk.written("state").await.trim()).unwrap();
    let vim = state[5].as_str().unwrap();
    assert!(vim.ends_with("/vim"), "{vim}");
    // The window id says that it runs in a real terminal.
    assert_eq!(state, json!([desk.file, 2, 1, desk.folder, 1, vim]));
    desk.check_nothing_else_happened();
}

/// A terminal in memory, which ends with the test.
struct Tmux(PathBuf);

impl Tmux {
    fn run(&self, arguments: &[&str]) -> String {
        let output =
            Command::new("tmux").env_remove("TMUX").arg("-S").arg(&self.0).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[tokio::test]
async fn case_98_a_running_session_ends_and_continues_with_the_agents_own_program_in_a_terminal() {
    let test = "case_98_a_running_session_ends_and_continues_with_the_agents_own_program_in_a_terminal";
    let Some(desk) = Desk::open(test).await else { return };
    let tmux = Tmux(desk.home.path().join("terminal"));
    let command =
        format!("tmux -S {} -f /dev/null new-session -d -x 120 -y 50 {{command}}", tmux.0.display());
    desk.set(&[("terminal_command", &command), ("terminal", "terminal_command")]).await;
    desk.choose_from("Session menu", "Continue in terminal").await;
    desk.app.shows_text("dialog.ending", "The session ends here first").await;
    desk.app.in_state(&desk.session, "idle").await;
    desk.app.click("button", "Continue in terminal").await;
    desk.app.in_state(&desk.session, "ended").await;
    let shown = async || {
        let shown = tmux.run(&["capture-pane", "-p"]);
        (shown.contains("Please read it.") && shown.contains("It says two.")).then_some(())
    };
    desk.app.wait("the conversation in the terminal", shown).await;
    let folder = tmux.run(&["display-message", "-p", "#{pane_start_command}"]);
    assert!(folder.contains("--resume"), "{folder}");
    desk.check_nothing_else_happened();
}
