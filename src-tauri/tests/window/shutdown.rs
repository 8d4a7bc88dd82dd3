//! However the app ends, none of its processes is left, and drafts and questions are kept.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::timeout;
use zbus::zvariant::ObjectPath;

use crate::desktop::{confirm_quit, press_close};
use crate::harness::{App, PATIENCE, Setup};
use crate::private_bus::Bus;

/// How long an orderly end may take.
const ENDED_WITHIN: Duration = Duration::from_secs(3);
/// How long processes may be left after SIGKILL.
const KILLED_WITHIN: Duration = Duration::from_secs(5);

const MISSED: &str = "aside details[data-missed]";

/// The id and the start time of a process, because ids are reused.
type Process = (u32, u64);

/// Reads the state, the parent and the start of a process.
fn stat(pid: u32) -> Option<(String, u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.first()?.to_string(), fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?))
}

fn command_of(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// Lists a process and everything below it.
fn tree(root: u32) -> BTreeMap<Process, String> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let all: Vec<u32> = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let mut found = vec![root];
    let mut looked_at = 0;
    while let Some(parent) = found.get(looked_at).copied() {
        looked_at += 1;
        found.extend(all.iter().filter(|pid| stat(**pid).is_some_and(|(_, above, _)| above == parent)));
    }
    found.into_iter().filter_map(|pid| Some(((pid, stat(pid)?.2), command_of(pid)))).collect()
}

fn is_there((pid, started): Process) -> bool {
    stat(pid).is_some_and(|(state, _, now)| now == started && state != "Z" && state != "X")
}

/// The app with all its processes, before it ends.
struct Ending {
    _app: App,
    process: u32,
    below: BTreeMap<Process, String>,
}

impl Ending {
    fn of(app: App) -> Self {
        let program = dunce::canonicalize(env!("CARGO_BIN_EXE_askdesk-desktop")).unwrap();
        let is_app = |pid: &u32| {
            let exe = fs::read_link(format!("/proc/{pid}/exe"));
            exe.is_ok_and(|exe| exe == program) && stat(*pid).is_some_and(|(_, above, _)| above == app.root())
        };
        let process = tree(app.root()).into_keys().map(|(pid, _)| pid).find(is_app);
        let process = process.expect("the app runs below its driver");
        let below = tree(process);
        Self { _app: app, process, below }
    }

    /// Returns whether the command line of a process contains a text.
    fn has(&self, text: &str) -> bool {
        self.below.values().any(|command| command.contains(text))
    }

    /// Sends a signal and waits until no process is left.
    fn end(self, signal: Signal, within: Duration) {
        send(signal, self.process);
        self.wait_until_gone(within);
    }

    fn wait_until_gone(self, within: Duration) {
        let began = Instant::now();
        loop {
            let left: Vec<_> = self.below.iter().filter(|(process, _)| is_there(**process)).collect();
            if left.is_empty() {
                break;
            }
            assert!(began.elapsed() < within, "after {:?} there is still {left:#?}", began.elapsed());
            std::thread::sleep(Duration::from_millis(10));
        }
        println!("{} processes were gone after {:?}", self.below.len(), began.elapsed());
    }
}

fn send(signal: Signal, process: u32) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}

/// The webview's own files in the app's data folder. It creates files until it ends, so they are only protected by the mode
/// of the folder around them.
const OF_THE_WEBVIEW: [&str; 5] =
    ["CacheStorage", "WebKitCache", "hsts-storage.sqlite", "localstorage", "storage"];

/// Lists the files of a folder that others could read, without the webview's own.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
        for path in entries.chain([folder.clone()]) {
            if OF_THE_WEBVIEW.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let about = fs::symlink_metadata(&path).unwrap();
            let mode = about.permissions().mode() & 0o777;
            if mode != if about.is_dir() { 0o700 } else { 0o600 } {
                found.push(format!("{mode:o} {}", path.display()));
            }
            if about.is_dir() && path != folder {
                folders.push(path);
            }
        }
    }
    found
}

/// Returns whether the database or its log contains a text.
pub fn is_on_disk(data: &Path, text: &str) -> bool {
    ["desk.db", "desk.db-wal"].iter().any(|name| {
        let bytes = fs::read(data.join(name)).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

/// Opens the app with a typed draft, beside an agent whose child process ignores SIGTERM.
async fn open_with_draft(setup: Setup) -> (App, String) {
    let app = setup.open().await;
    app.show_demo("family", "Family").await;
    app.shows_text("main", "grandchild").await;
    let session = app.show_demo("technology", "Notes").await;
    app.write("Your own answer", "a graph store").await;
    (app, session)
}

/// Opens the app again, and checks that it has kept the question and the draft.
async fn check_kept(data: &Path, session: &str) {
    let app = Setup::default().data(data).open().await;
    app.select(session).await;
    app.shows_text(MISSED, "Askdesk quit").await;
    let field = app.by_role_in(MISSED, "textbox", "Your own answer").await;
    assert_eq!(field.prop("value").await.unwrap().unwrap_or_default(), "a graph store");
}

async fn ends_cleanly(end: impl FnOnce(u32)) {
    let outside = TempDir::new().unwrap();
    let data = outside.path().join("data");
    let (app, session) = open_with_draft(Setup::default().data(&data)).await;
    assert!(data.join("desk.json").exists());
    let ending = Ending::of(app);
    assert!(ending.has("askdesk-agent-host") && ending.has("demo-agent") && ending.has("WebKit"));
    end(ending.process);
    ending.wait_until_gone(ENDED_WITHIN);
    assert!(!data.join("desk.json").exists());
    let log = fs::metadata(data.join("desk.db-wal")).map(|log| log.len()).unwrap_or_default();
    assert_eq!(log, 0, "the log was folded into the database");
    assert_eq!(open_to_others(&data), Vec::<String>::new());
    check_kept(&data, &session).await;
}

#[tokio::test]
async fn case_77_each_signal_ends_everything_and_keeps_the_draft_and_the_question() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        ends_cleanly(|process| send(signal, process)).await;
    }
}

#[tokio::test]
async fn case_77_quitting_in_the_window_ends_everything_and_keeps_the_draft_and_the_question() {
    ends_cleanly(|_| {
        press_close();
        confirm_quit();
    })
    .await;
}

#[tokio::test]
async fn case_77_after_sigkill_no_agent_and_no_process_of_an_agent_is_left() {
    let data = TempDir::new().unwrap();
    let (app, session) = open_with_draft(Setup::default().data(data.path())).await;
    app.wait("the draft on disk", async || is_on_disk(data.path(), "a graph store").then_some(())).await;
    let ending = Ending::of(app);
    assert!(ending.has("askdesk-agent-host") && ending.has("demo-agent"));
    ending.end(Signal::KILL, KILLED_WITHIN);
    check_kept(data.path(), &session).await;
}

/// An agent that ignores the end of its input and all signals, and starts a process that does the same.
const STUBBORN: &str = "#!/bin/sh\ntrap '' TERM INT HUP\nsetsid sh -c 'while :; do sleep 1; done' &\nwhile :; do sleep 1; done\n";

#[tokio::test]
async fn case_77_agents_that_ignore_every_request_to_end_are_ended_in_time() {
    let outside = TempDir::new().unwrap();
    let program = outside.path().join("stubborn-agent");
    fs::write(&program, STUBBORN).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let data = outside.path().join("data");
    let app = Setup::default().data(&data).open().await;
    for n in 0..5 {
        let options = json!({ "program": program });
        let input = json!({ "agent": "claude_code", "folder": outside.path(), "options": options,
            "name": format!("Stubborn {n}") });
        app.start_session(input).await;
    }
    let ending = Ending::of(app);
    let agents = ending.below.values().filter(|it| it.contains("stubborn-agent")).count();
    // The command line of each agent's host names it too.
    assert!(agents >= 10, "{agents}");
    ending.end(Signal::TERM, ENDED_WITHIN);
    assert!(!data.join("desk.json").exists());
}

struct SessionManager(tokio::sync::mpsc::UnboundedSender<String>);

#[zbus::interface(name = "org.gnome.SessionManager")]
impl SessionManager {
    fn register_client(&self, app: &str, _startup: &str) -> ObjectPath<'static> {
        self.0.send(app.to_owned()).unwrap();
        // The accessibility bus registers too.
        let is_app = app == "io.github.askdesk";
        ObjectPath::from_static_str_unchecked(if is_app { CLIENT } else { OTHER })
    }
}

/// The app's client object.
const CLIENT: &str = "/org/gnome/SessionManager/Client7";

const OTHER: &str = "/org/gnome/SessionManager/Client8";

struct Client(tokio::sync::mpsc::UnboundedSender<String>);

#[zbus::interface(name = "org.gnome.SessionManager.ClientPrivate")]
impl Client {
    fn end_session_response(&self, is_ok: bool, reason: &str) {
        self.0.send(format!("{is_ok} {reason}")).unwrap();
    }
}

#[tokio::test]
async fn case_77_the_end_of_the_desktop_session_ends_everything_and_keeps_the_draft_and_the_question() {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    // Other apps on the bus would receive the signal too.
    let bus = Bus::start();
    let manager = zbus::connection::Builder::address(bus.address.as_str()).unwrap();
    let manager = manager.name("org.gnome.SessionManager").unwrap();
    let manager = manager.serve_at("/org/gnome/SessionManager", SessionManager(tell.clone())).unwrap();
    let manager = manager.serve_at(CLIENT, Client(tell)).unwrap().build().await.unwrap();
    let outside = TempDir::new().unwrap();
    let data = outside.path().join("data");
    let setup = Setup::default().data(&data).env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    let (app, session) = open_with_draft(setup).await;
    let mut heard = async || timeout(PATIENCE, told.recv()).await.expect("a call in time").unwrap();
    while heard().await != "io.github.askdesk" {}
    let ending = Ending::of(app);
    let say = async |what: &str| {
        let interface = "org.gnome.SessionManager.ClientPrivate";
        manager.emit_signal(None::<&str>, CLIENT, interface, what, &(0_u32,)).await.unwrap();
    };
    say("QueryEndSession").await;
    assert_eq!(heard().await, "true ");
    assert!(ending.below.keys().all(|process| is_there(*process)), "it has only been asked");
    say("EndSession").await;
    ending.wait_until_gone(ENDED_WITHIN);
    assert!(!data.join("desk.json").exists());
    drop(manager);
    check_kept(&data, &session).await;
}
