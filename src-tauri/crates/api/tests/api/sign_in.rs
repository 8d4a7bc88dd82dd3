//! Case 76: signing in to an agent with its own command, and reading whether somebody is signed in.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use crate::bridge::{Bridge, PATIENCE, fresh};

/// A bridge with a scripted agent that takes Claude Code's place.
struct Desk {
    bridge: Bridge,
    agent: PathBuf,
}

impl Desk {
    fn with(script: &str) -> Self {
        let bridge = Bridge::open();
        let agent = install(&bridge, "agent", script);
        Self { bridge, agent }
    }

    async fn signed_in(&self) -> Value {
        let input = json!({"agent": "claude_code", "program": self.agent});
        self.bridge.call("read_sign_in", input).await.unwrap()["signedIn"].clone()
    }

    fn sign_in(&self) -> Value {
        json!({"requestId": fresh(), "agent": "claude_code", "program": self.agent})
    }
}

/// Installs a program; it is written by a shell, so that no other test holds it open for writing.
fn install(bridge: &Bridge, name: &str, script: &str) -> PathBuf {
    let program = bridge.folder.path().join(name);
    let part = program.with_extension("part");
    fs::write(&part, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&part, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(std::process::Command::new("cp").args([&part, &program]).status().unwrap().success());
    program
}

async fn written(bridge: &Bridge, name: &str) -> String {
    let (file, began) = (bridge.folder.path().join(name), Instant::now());
    loop {
        if let Ok(text) = fs::read_to_string(&file) {
            return text;
        }
        assert!(began.elapsed() < PATIENCE, "{name} was not written");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn case_76_whether_somebody_is_signed_in_is_what_the_program_says_and_no_guess() {
    let says = |words: &str| format!("[ \"$*\" = 'auth status' ] && echo '{words}'");
    assert_eq!(Desk::with(&says(r#"{"loggedIn": false}"#)).signed_in().await, json!(false));
    assert_eq!(Desk::with(&says(r#"{"loggedIn": true}"#)).signed_in().await, json!(true));
    assert_eq!(Desk::with(&says("unknown command")).signed_in().await, Value::Null);
    assert_eq!(Desk::with("exit 3").signed_in().await, Value::Null);
    let desk = Desk::with(&says(r#"{"loggedIn": false}"#));
    for (agent, program) in
        [("claude_code", PathBuf::from("/nowhere/claude")), ("opencode", desk.agent.clone())]
    {
        let input = json!({"agent": agent, "program": program});
        let read = desk.bridge.call("read_sign_in", input).await.unwrap();
        assert_eq!(read, json!({"signedIn": null}), "{agent}");
    }
}

#[tokio::test]
async fn case_76_the_agents_own_sign_in_runs_in_the_users_terminal() {
    let desk = Desk::with("echo \"$*\" > \"${0%/*}/part\" && mv \"${0%/*}/part\" \"${0%/*}/seen\"");
    let error = desk.bridge.refused("sign_in", desk.sign_in()).await;
    assert_eq!(error["detail"]["why"], json!({"unopened": "no_terminal"}));
    install(&desk.bridge, "xterm", "shift; exec \"$@\"");
    desk.bridge.host.programs.lock().unwrap().push(desk.bridge.folder.path().to_owned());
    desk.bridge.call("sign_in", desk.sign_in()).await.unwrap();
    assert_eq!(written(&desk.bridge, "seen").await, "auth login\n");
}

#[tokio::test]
async fn a_sign_in_whose_program_is_missing_or_that_an_agent_lacks_is_refused() {
    let desk = Desk::with("exit 0");
    let missing = json!({"requestId": fresh(), "agent": "claude_code", "program": "/nowhere/claude"});
    let error = desk.bridge.refused("sign_in", missing).await;
    assert_eq!(error["detail"]["why"]["failure"], "agent_missing");
    let error = desk.bridge.refused("sign_in", json!({"requestId": fresh(), "agent": "demo"})).await;
    assert_eq!(error["detail"]["what"], "signing_in");
}
