//! However the desk is ended, no process of it is left, and what was begun is kept.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::timeout;
use zbus::zvariant::ObjectPath;

use crate::harness::{App, PATIENCE, Setup};
use crate::no_notification_daemon::Bus;
use crate::process_stats::main_process;

/// How long an ordinary end may take.
const ENDED_WITHIN: Duration = Duration::from_secs(3);
/// How long after SIGKILL something may be left.
const KILLED_WITHIN: Duration = Duration::from_secs(5);

const MISSED: &str = "aside details[data-missed]";

/// A process, with the time of its start, so that a later one of the same id is not taken for it.
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

/// The desk, about to be ended.
struct Doomed {
    app: App,
    process: u32,
    below: BTreeMap<Process, String>,
}

impl Doomed {
    fn of(app: App) -> Self {
        let process = main_process(app.root());
        let below = tree(process);
        Self { app, process, below }
    }

    /// Says whether a process of the desk, or one below it, was started with these words.
    fn has(&self, words: &str) -> bool {
        self.below.values().any(|command| command.contains(words))
    }

    /// Sends a signal and waits until nothing is left; returns how long that took.
    fn end(self, signal: Signal, within: Duration) -> Duration {
        kill_process(Pid::from_raw(self.process.cast_signed()).unwrap(), signal).unwrap();
        self.wait_until_gone(within)
    }

    /// Waits until nothing is left; returns how long that took.
    fn wait_until_gone(self, within: Duration) -> Duration {
        let began = Instant::now();
        loop {
            let left: Vec<_> = self.below.iter().filter(|(process, _)| is_there(**process)).collect();
            if left.is_empty() {
                break;
            }
            assert!(began.elapsed() < within, "after {:?} there is still {left:#?}", began.elapsed());
            std::thread::sleep(Duration::from_millis(10));
        }
        let took = began.elapsed();
        println!("{} processes were gone after {took:?}", self.below.len());
        // The driver has lost its window.
        drop(self.app);
        took
    }
}

/// What the webview keeps in the system's place for the app. It creates files until its own end, so that only the mode
/// of the folder around them protects them at any time.
const OF_THE_WEBVIEW: [&str; 5] =
    ["CacheStorage", "WebKitCache", "hsts-storage.sqlite", "localstorage", "storage"];

/// Lists what in a folder others could read, without what the webview keeps there.
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

async fn asked(setup: Setup) -> (App, String) {
    let app = setup.open().await;
    // This one starts a process that ignores SIGTERM.
    let family = app.start_demo("family", "Family").await;
    app.select(&family).await;
    app.shows_text("main", "grandchild").await;
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    app.find("aside [data-request][data-state=open]").await;
    (app, session)
}

async fn what_was_begun_is_kept(data: &Path, session: &str, words: &str) {
    let app = Setup::default().data(data).open().await;
    app.select(session).await;
    app.shows_text(MISSED, "Askdesk was closed").await;
    let field = app.by_role_in(MISSED, "textbox", "Your own words").await;
    assert_eq!(field.prop("value").await.unwrap().unwrap_or_default(), words);
    app.close().await;
}

async fn ends_cleanly_by(signal: Signal) {
    let outside = TempDir::new().unwrap();
    let data = outside.path().join("data");
    let (app, session) = asked(Setup::default().data(&data)).await;
    assert!(data.join("desk.json").exists());
    app.by_role("textbox", "Your own words").await.send_keys("a graph store").await.unwrap();
    let doomed = Doomed::of(app);
    assert!(doomed.has("askdesk-agent-host") && doomed.has("demo-agent") && doomed.has("WebKit"));
    doomed.end(signal, ENDED_WITHIN);
    assert!(!data.join("desk.json").exists());
    let log = fs::metadata(data.join("desk.db-wal")).map(|log| log.len()).unwrap_or_default();
    assert_eq!(log, 0, "the log was folded into the database");
    assert_eq!(open_to_others(&data), Vec::<String>::new());
    what_was_begun_is_kept(&data, &session, "a graph store").await;
}

#[tokio::test]
async fn case_77_sigterm_ends_everything_and_keeps_the_draft_and_the_question() {
    ends_cleanly_by(Signal::TERM).await;
}

#[tokio::test]
async fn case_77_sigint_ends_everything_and_keeps_the_draft_and_the_question() {
    ends_cleanly_by(Signal::INT).await;
}

#[tokio::test]
async fn case_77_sighup_ends_everything_and_keeps_the_draft_and_the_question() {
    ends_cleanly_by(Signal::HUP).await;
}

#[tokio::test]
async fn case_77_after_sigkill_no_agent_and_nothing_an_agent_started_is_left() {
    let data = TempDir::new().unwrap();
    let (app, session) = asked(Setup::default().data(data.path())).await;
    app.by_role("textbox", "Your own words").await.send_keys("a graph store").await.unwrap();
    // A draft is on disk within 300 ms.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let doomed = Doomed::of(app);
    assert!(doomed.has("askdesk-agent-host") && doomed.has("demo-agent"));
    doomed.end(Signal::KILL, KILLED_WITHIN);
    what_was_begun_is_kept(data.path(), &session, "a graph store").await;
}

/// Ignores the end of its input and every signal that can be ignored, and so does what it starts.
const STUBBORN: &str = "#!/bin/sh\ntrap '' TERM INT HUP\nsetsid sh -c 'while :; do sleep 1; done' &\nwhile :; do sleep 1; done\n";

#[tokio::test]
async fn case_77_agents_that_ignore_every_request_to_end_are_gone_in_time_too() {
    let outside = TempDir::new().unwrap();
    let program = outside.path().join("stubborn-agent");
    fs::write(&program, STUBBORN).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let data = outside.path().join("data");
    let app = Setup::default().data(&data).open().await;
    for n in 0..5 {
        let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": outside.path(),
            "options": { "program": program }, "name": format!("Stubborn {n}") });
        app.invoke("start_session", input).await.unwrap();
    }
    let doomed = Doomed::of(app);
    let agents = doomed.below.values().filter(|it| it.contains("stubborn-agent")).count();
    // Each stands below its watcher, whose arguments name it too.
    assert!(agents >= 10, "{agents}");
    doomed.end(Signal::TERM, ENDED_WITHIN);
    assert!(!data.join("desk.json").exists());
}

/// A session manager that knows one client.
struct SessionManager(tokio::sync::mpsc::UnboundedSender<String>);

#[zbus::interface(name = "org.gnome.SessionManager")]
impl SessionManager {
    fn register_client(&self, app: &str, _startup: &str) -> ObjectPath<'static> {
        self.0.send(app.to_owned()).unwrap();
        // The bus of assistive technology registers too.
        let is_desk = app == "io.github.askdesk";
        ObjectPath::from_static_str_unchecked(if is_desk { CLIENT } else { OTHER })
    }
}

/// What the session manager knows the desk by.
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
    // Every other desk on the bus would hear the end too.
    let bus = Bus::start();
    let manager = zbus::connection::Builder::address(bus.address.as_str()).unwrap();
    let manager = manager.name("org.gnome.SessionManager").unwrap();
    let manager = manager.serve_at("/org/gnome/SessionManager", SessionManager(tell.clone())).unwrap();
    let manager = manager.serve_at(CLIENT, Client(tell)).unwrap().build().await.unwrap();
    let outside = TempDir::new().unwrap();
    let data = outside.path().join("data");
    let setup = Setup::default().data(&data).env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    let (app, session) = asked(setup).await;
    let mut heard = async || timeout(PATIENCE, told.recv()).await.expect("the desk calls in time").unwrap();
    while heard().await != "io.github.askdesk" {}
    app.by_role("textbox", "Your own words").await.send_keys("a graph store").await.unwrap();
    let doomed = Doomed::of(app);
    let say = async |what: &str| {
        let interface = "org.gnome.SessionManager.ClientPrivate";
        manager.emit_signal(None::<&str>, CLIENT, interface, what, &(0_u32,)).await.unwrap();
    };
    say("QueryEndSession").await;
    assert_eq!(heard().await, "true ");
    assert!(doomed.below.keys().all(|process| is_there(*process)), "it has only been asked");
    say("EndSession").await;
    doomed.wait_until_gone(ENDED_WITHIN);
    assert!(!data.join("desk.json").exists());
    drop(manager);
    what_was_begun_is_kept(&data, &session, "a graph store").await;
}

/// Starts a real Claude Code that waits for a permission; none where it is not installed.
async fn real(test: &str, home: &Path, project: &Path) -> Option<(App, MockApi)> {
    let program = clis::claude_or_skip(test)?;
    let call = Block::tool("toolu_1", "Bash", json!({ "command": "mkdir made", "description": "Makes it" }));
    let mock = MockApi::start(Script(vec![Reply::new([call])])).await.unwrap();
    let mut setup = Setup::default();
    for (name, value) in clis::sealed_env(home, &mock.base_url) {
        setup = setup.env(&name, value);
    }
    let app = setup.data(&home.join("data")).open().await;
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": project,
        "options": { "program": program }, "prompt": "Please go on.", "name": "Real" });
    let session = app.invoke("start_session", input).await.unwrap();
    app.select(session["id"].as_str().unwrap()).await;
    app.shows_text("aside", "mkdir made").await;
    Some((app, mock))
}

async fn real_ends_by(test: &str, signal: Signal, within: Duration) {
    let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let Some((app, _mock)) = real(test, home.path(), project.path()).await else { return };
    let doomed = Doomed::of(app);
    assert!(doomed.has("--permission-prompt-tool"), "{:#?}", doomed.below);
    doomed.end(signal, within);
    assert!(!project.path().join("made").exists(), "nothing was permitted");
}

#[tokio::test]
async fn case_77_a_real_claude_that_waits_for_a_permission_ends_with_the_desk_by_sigterm() {
    let test = "case_77_a_real_claude_that_waits_for_a_permission_ends_with_the_desk_by_sigterm";
    real_ends_by(test, Signal::TERM, ENDED_WITHIN).await;
}

#[tokio::test]
async fn case_77_a_real_claude_that_waits_for_a_permission_ends_with_a_desk_that_is_killed() {
    let test = "case_77_a_real_claude_that_waits_for_a_permission_ends_with_a_desk_that_is_killed";
    real_ends_by(test, Signal::KILL, KILLED_WITHIN).await;
}

#[tokio::test]
async fn case_78_a_desk_in_the_systems_place_leaves_nothing_that_others_could_read() {
    let home = TempDir::new().unwrap();
    let app = Setup::default().at_home(home.path()).open().await;
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    app.find("aside [data-request][data-state=open]").await;
    let doomed = Doomed::of(app);
    let data = home.path().join("share/io.github.askdesk");
    for name in ["desk.db", "desk.db-wal", "desk.db-shm", "desk.lock", "desk.json", "token", "answer-token"] {
        let mode = fs::metadata(data.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(format!("{mode:o}"), "600", "{name}");
    }
    doomed.end(Signal::TERM, ENDED_WITHIN);
    assert_eq!(open_to_others(&data), Vec::<String>::new());
}
