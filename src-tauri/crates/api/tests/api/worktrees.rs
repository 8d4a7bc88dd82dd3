//! Sessions in git worktrees, as the window starts them and merges or removes what they made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::git_folder::{self, git};
use askdesk_domain::SessionState;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::bridge::{Bridge, PATIENCE, fresh, playing};

/// A repository below a folder of its own, because its worktrees are beside it.
pub struct Code {
    root: TempDir,
}

impl Code {
    pub fn new() -> Self {
        let code = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir(code.folder()).unwrap();
        git_folder::init(&code.folder());
        git_folder::write(&code.folder(), "a.txt", "one\ntwo\n");
        git_folder::commit(&code.folder(), "first");
        code
    }

    fn root(&self) -> PathBuf {
        dunce::canonicalize(self.root.path()).unwrap()
    }

    pub fn folder(&self) -> PathBuf {
        self.root.path().join("api")
    }
}

/// Input that starts an agent which plays these turns, in a new worktree as it is suggested.
async fn input(bridge: &Bridge, code: &Code, turns: Value, setup: &str) -> Value {
    let program = playing(bridge, &turns);
    let plan = json!({"folder": code.folder(), "message": "Add b"});
    let planned = bridge.call("plan_worktree", plan).await.unwrap();
    let worktree = json!({"base": planned["plan"]["base"], "branch": planned["plan"]["branch"],
        "path": planned["plan"]["path"], "setup": setup});
    json!({"agent": "claude_code", "folder": code.folder(), "prompt": "Add b", "worktree": worktree,
        "options": {"program": program}})
}

pub async fn until_idle(bridge: &Bridge) {
    let is_idle =
        |it: &askdesk_domain::Session| matches!(it.state, SessionState::Idle | SessionState::Ended { .. });
    bridge.until("the turn is over", |now| now.sessions.iter().all(is_idle)).await;
}

/// Starts an agent in a new worktree, and waits for the end of its turn.
async fn start(bridge: &Bridge, code: &Code, turns: Value) -> Value {
    let input = input(bridge, code, turns, "").await;
    let session = bridge.run("start_session", input).await;
    until_idle(bridge).await;
    session
}

fn edits() -> Value {
    json!([[{"write_file": {"path": "b.txt", "text": "b\n"}}, {"say": {"text": "Done."}}], [{"say": {"text": "More."}}]])
}

async fn seen(bridge: &Bridge, session: &Value) -> Value {
    bridge.call("read_worktree", json!({"session": session["id"]})).await.unwrap()
}

#[tokio::test]
async fn case_84_a_dirty_worktree_asks_and_another_session_keeps_it() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let session = start(&bridge, &code, edits()).await;
    let folder = session["folder"].clone();
    let mut second = input(&bridge, &code, edits(), "").await;
    second["worktree"] = Value::Null;
    second["folder"] = folder.clone();
    second["name"] = json!("review");
    let second = bridge.run("start_session", second).await;
    until_idle(&bridge).await;
    bridge.run("stop_session", json!({"session": session["id"]})).await;
    let state = seen(&bridge, &session).await;
    assert_eq!(state["remove"], json!({"blocked": "in_use", "sessions": ["review"]}));
    bridge.run("stop_session", json!({"session": second["id"]})).await;

    let state = seen(&bridge, &session).await;
    assert_eq!(state["losses"], json!(["untracked"]));
    let remove = |losses: Value| json!({"requestId": fresh(), "session": session["id"], "seen": state["seen"], "losses": losses, "branch": "stays"});
    let error = bridge.refused("remove_worktree", remove(json!([]))).await;
    assert_eq!(error["detail"]["why"], json!({"refused": "would_lose", "losses": ["untracked"]}));
    assert!(Path::new(folder.as_str().unwrap()).join("b.txt").exists());
    bridge.call("remove_worktree", remove(json!(["untracked"]))).await.unwrap();
    assert!(!Path::new(folder.as_str().unwrap()).exists());
    assert!(git(&code.folder(), &["branch"]).contains("askdesk/add-b"));
}

#[tokio::test]
async fn a_setup_command_runs_first_and_its_output_is_in_the_log() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let setup = "echo \"in $PWD\" && echo 'it'\\''s ready' >&2 && touch made && cat";
    let input = input(&bridge, &code, edits(), setup).await;
    let session = bridge.run("start_session", input).await;
    assert_eq!(session["state"]["state"], "starting");
    until_idle(&bridge).await;
    let folder = session["folder"].as_str().unwrap();
    assert!(Path::new(folder).join("made").exists());
    let mut lines = setup_lines(&bridge, &session).await;
    lines.sort_unstable();
    assert_eq!(lines, [format!("in {folder}"), "it's ready".to_owned()]);
    // The next worktree of the repository gets the same command.
    let plan = json!({"folder": code.folder(), "message": "x"});
    assert_eq!(bridge.call("plan_worktree", plan).await.unwrap()["setup"], setup);
}

async fn setup_lines(bridge: &Bridge, session: &Value) -> Vec<String> {
    let log = bridge.call("read_log", json!({"session": session["id"]})).await.unwrap();
    let lines = log["lines"].as_array().unwrap().iter().filter(|line| line["kind"] == "setup");
    lines.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

async fn entries(bridge: &Bridge, session: &Value) -> Vec<Value> {
    let read = json!({"session": session["id"], "limit": 1_000});
    let page = bridge.call("read_transcript", read).await.unwrap();
    page["entries"].as_array().unwrap().iter().map(|entry| entry["body"].clone()).collect()
}

/// Waits until the only session has ended; returns how.
async fn end_of_only(bridge: &Bridge) -> Value {
    let ended = |it: &askdesk_domain::Session| matches!(it.state, SessionState::Ended { .. });
    let now = bridge.until("it ends", |now| now.sessions.iter().all(ended)).await;
    json!(now.sessions[0].state)["end"].clone()
}

#[cfg(unix)]
#[tokio::test]
async fn case_117_what_a_failing_hook_wrote_is_a_warning_in_the_session() {
    use std::os::unix::fs::PermissionsExt as _;
    let (bridge, code) = (Bridge::open(), Code::new());
    let hook = code.folder().join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'node: not found' >&2\nexit 127\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let session = start(&bridge, &code, edits()).await;
    assert!(Path::new(session["folder"].as_str().unwrap()).exists());
    let warned = json!({"kind": "notice", "notice": {"notice": "hook_failed", "output": "node: not found"}});
    assert!(entries(&bridge, &session).await.contains(&warned));
}

#[tokio::test]
async fn a_failed_setup_starts_nothing_until_the_user_decides() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let mut start = input(&bridge, &code, edits(), "for n in $(seq 30); do echo line $n; done; exit 7").await;
    let session = bridge.run("start_session", start.clone()).await;
    let end = end_of_only(&bridge).await;
    assert_eq!((&end["why"]["failure"], &end["why"]["code"]), (&json!("setup_failed"), &json!(7)));
    let said = end["why"]["said"].as_str().unwrap().lines().collect::<Vec<_>>();
    assert_eq!((said.len(), said[19]), (20, "line 30"));
    assert_eq!(setup_lines(&bridge, &session).await.len(), 30);
    assert_eq!(
        entries(&bridge, &session).await,
        [json!({"kind": "user", "text": "Add b", "attachments": []})]
    );
    let path = PathBuf::from(start["worktree"]["path"].as_str().unwrap());
    assert!(path.exists());

    // Again: the worktree is used as it is, and nothing is run in it.
    start["worktree"]["made"] = json!(true);
    start["worktree"]["setup"] = json!("");
    let again = bridge.run("start_session", start.clone()).await;
    assert_eq!(again["folder"], json!(path));
    until_idle(&bridge).await;
    assert_eq!(setup_lines(&bridge, &again).await, <[&str; 0]>::default());
    bridge.run("stop_session", json!({"session": again["id"]})).await;

    // Or it is removed, and made once more with its setup command.
    let state = seen(&bridge, &session).await;
    let remove = json!({"requestId": fresh(), "session": session["id"], "seen": state["seen"], "losses": state["losses"],
        "branch": "deleted"});
    bridge.call("remove_worktree", remove).await.unwrap();
    assert!(!path.exists());
    let session = bridge.run("start_session", start.clone()).await;
    bridge.until("it has ended", |now| now.sessions.iter().all(|it| !it.is_running())).await;
    assert_eq!(setup_lines(&bridge, &session).await.len(), 30);
}

#[cfg(unix)]
#[tokio::test]
async fn a_setup_command_that_cannot_be_stored_starts_nothing() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let mut start = input(&bridge, &code, edits(), "true").await;
    start["requestId"] = json!(fresh());
    let data = ["data", "away"].map(|name| bridge.folder.path().join(name));
    fs::rename(&data[0], &data[1]).unwrap();
    let error = bridge.refused("start_session", start.clone()).await;
    fs::rename(&data[1], &data[0]).unwrap();
    assert_eq!(error["code"], "settings_not_written");
    assert_eq!(bridge.snapshot().await.sessions, []);
    assert!(!Path::new(start["worktree"]["path"].as_str().unwrap()).exists());
}

#[tokio::test]
async fn case_148_what_is_written_while_a_session_is_set_up_reaches_its_agent() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let gate = code.root().join("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let start = input(&bridge, &code, edits(), &format!("cat '{}'", gate.display())).await;
    let session = bridge.run("start_session", start).await;
    let message = json!({"session": session["id"], "text": "Add c", "attachments": []});
    bridge.run("queue_message", message).await;
    assert_eq!(
        entries(&bridge, &session).await,
        [json!({"kind": "user", "text": "Add b", "attachments": []})]
    );
    assert!(bridge.snapshot().await.sessions[0].is_running());
    tokio::task::spawn_blocking(move || fs::write(gate, "")).await.unwrap().unwrap();
    let is_done = |it: &askdesk_domain::Session| it.queue.is_empty() && it.state == SessionState::Idle;
    bridge.until("both turns are over", |now| now.sessions.iter().all(is_done)).await;
    let said = entries(&bridge, &session).await;
    let said = said.iter().filter(|body| body["kind"] == "user").map(|body| body["text"].as_str().unwrap());
    assert_eq!(said.collect::<Vec<_>>(), ["Add b", "Add c"]);
}

#[tokio::test]
async fn case_148_a_setup_that_hangs_ends_with_its_session_and_everything_it_started() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let held = code.root().join("held");
    assert!(Command::new("mkfifo").arg(&held).status().unwrap().success());
    let setup = format!("exec 9>'{}'; sleep 60 & sleep 60", held.display());
    let start = input(&bridge, &code, edits(), &setup).await;
    let session = bridge.run("start_session", start).await;
    // It opens once the setup has begun, and ends with the last process that holds it.
    let mut begun = tokio::task::spawn_blocking(|| fs::File::open(held)).await.unwrap().unwrap();
    bridge.run("stop_session", json!({"session": session["id"]})).await;
    assert_eq!(end_of_only(&bridge).await, json!({"end": "stopped"}));
    let ended = tokio::task::spawn_blocking(move || std::io::copy(&mut begun, &mut std::io::sink()));
    timeout(PATIENCE, ended).await.expect("a process of the setup still runs").unwrap().unwrap();
}

#[tokio::test]
async fn a_plan_says_what_is_wrong_and_a_start_refuses_it() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let plan =
        json!({"folder": code.folder(), "message": "", "branch": "main", "path": "~/askdesk no such folder"});
    let planned = bridge.call("plan_worktree", plan).await.unwrap();
    assert_eq!(planned["plan"]["flaws"], json!([{"flaw": "branch_taken", "with": "main"}]));
    let home = std::env::home_dir().unwrap();
    assert_eq!(planned["plan"]["path"], json!(home.join("askdesk no such folder")));
    let mut start = input(&bridge, &code, edits(), "").await;
    start["worktree"]["branch"] = json!("a..b");
    start["requestId"] = json!(fresh());
    let error = bridge.refused("start_session", start).await;
    assert_eq!(error["detail"]["why"], json!({"refused": "flawed", "flaw": {"flaw": "branch_invalid"}}));
    let none = json!({"folder": code.root(), "message": ""});
    let error = bridge.refused("plan_worktree", none).await;
    assert_eq!(error["detail"], json!({"detail": "no_worktree", "why": {"unavailable": "no_repository"}}));
    let long = json!({"folder": code.folder(), "message": "x".repeat(200_000)});
    bridge.call("plan_worktree", long).await.unwrap();
}

#[tokio::test]
async fn the_branch_of_every_session_is_known_also_after_a_restart() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let mut start = input(&bridge, &code, json!([[{"say": {"text": "Done."}}]]), "").await;
    start["worktree"] = Value::Null;
    let session = bridge.run("start_session", start).await;
    until_idle(&bridge).await;
    let heads = |now: &askdesk_contract::frame::Snapshot| json!(now.heads);
    let expected = |head: Value| json!([{"session": session["id"], "head": head}]);
    let main = expected(json!({"head": "branch", "name": "main"}));
    bridge.until("the branch is known", |now| heads(now) == main).await;
    git(&code.folder(), &["checkout", "-q", "--detach"]);
    let commit = git(&code.folder(), &["rev-parse", "HEAD"])[..8].to_owned();
    bridge.call("list_changes", json!({"session": session["id"]})).await.unwrap();
    let detached = expected(json!({"head": "detached", "commit": commit}));
    bridge.until("the commit is known", |now| heads(now) == detached).await;
    bridge.api.sessions().shut_down().await;
    let bridge = bridge.reopen();
    bridge.until("the commit is known again", |now| heads(now) == detached).await;
}
