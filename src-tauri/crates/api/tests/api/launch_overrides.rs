//! What the settings add to the start of an agent: shown first, and nothing else is ever used.

use std::path::PathBuf;

use crate::bridge::{Bridge, fake_claude, fresh};
use askdesk_domain::Session;
use serde_json::{Value, json};

/// A program that notes what it is started with, and then is the agent.
fn noting_agent(bridge: &Bridge) -> PathBuf {
    let folder = bridge.folder.path().display();
    let lines = format!(
        "{{ for word; do printf '%s\\n' \"$word\"; done; env; echo; }} >> '{folder}/started'\n\
         export ASKDESK_FAKE_SESSIONS='{folder}' ASKDESK_SCENARIO=technology"
    );
    fake_claude(bridge, &lines)
}

/// What the program was started with, one entry for each start.
fn starts(bridge: &Bridge) -> Vec<Vec<String>> {
    let note = std::fs::read_to_string(bridge.folder.path().join("started")).unwrap_or_default();
    let mut starts: Vec<&str> = note.split("\n\n").collect();
    // What follows the last empty line is not noted whole yet.
    starts.pop();
    starts.into_iter().map(|start| start.lines().map(str::to_owned).collect()).collect()
}

async fn set(bridge: &Bridge, what: &str, value: Value) {
    bridge.call("change_setting", change(what, value)).await.unwrap();
}

/// A change of what an agent gets in addition: of its `arguments` or its `environment`.
fn change(what: &str, value: Value) -> Value {
    let mut of_agent = json!({"agent": "claude_code"});
    of_agent[what] = value;
    json!({"change": {"setting": format!("agent_{what}"), "value": of_agent}})
}

async fn shown(bridge: &Bridge) -> Value {
    let found = bridge.call("list_agents", json!({})).await.unwrap();
    let agents = found["agents"].as_array().unwrap();
    let (own, others): (Vec<&Value>, Vec<&Value>) =
        agents.iter().partition(|agent| agent["agent"] == "claude_code");
    assert!(!others.is_empty());
    for other in others {
        assert_eq!(other["extras"], json!({"arguments": [], "environment": {}}), "{other}");
    }
    own[0]["extras"].clone()
}

fn start(bridge: &Bridge, extras: &Value) -> Value {
    let program = noting_agent(bridge);
    json!({
        "requestId": fresh(), "agent": "claude_code", "folder": bridge.folder.path(), "prompt": "go",
        "options": {"program": program, "extras": extras}
    })
}

fn has(start: &[String], line: &str) -> bool {
    start.iter().any(|known| known == line)
}

#[tokio::test]
async fn an_agent_is_started_with_what_the_settings_add_after_our_own_arguments() {
    let bridge = Bridge::open();
    set(&bridge, "arguments", json!(["--add-dir", "/a b"])).await;
    set(&bridge, "environment", json!({"EXTRA_KEY": "hush", "EXTRA": "plain"})).await;
    let extras = shown(&bridge).await;
    let whole =
        json!({"arguments": ["--add-dir", "/a b"], "environment": {"EXTRA": "plain", "EXTRA_KEY": "hush"}});
    assert_eq!(extras, whole);
    let session = bridge.call("start_session", start(&bridge, &extras)).await.unwrap();
    bridge.until("it asks", |now| !now.requests.is_empty()).await;
    let [start] = starts(&bridge).try_into().unwrap();
    let own = start.iter().position(|word| word == "--include-hook-events").unwrap();
    assert_eq!(start[own + 1..own + 3], ["--add-dir", "/a b"]);
    assert!(has(&start, "EXTRA=plain") && has(&start, "EXTRA_KEY=hush"), "{start:?}");
    assert_eq!(session["options"]["extras"]["environment"], json!({"EXTRA": "plain", "EXTRA_KEY": ""}));
}

#[tokio::test]
async fn what_was_not_shown_is_not_used() {
    let bridge = Bridge::open();
    let none = json!({"arguments": [], "environment": {}});
    assert_eq!(shown(&bridge).await, none);
    // Whatever stands in the folder the agent works in is not ours to read.
    std::fs::write(
        bridge.folder.path().join("settings.toml"),
        "[agents.claude_code]\narguments = ['--add-dir']\n",
    )
    .unwrap();
    assert_eq!(shown(&bridge).await, none);
    let file = bridge.folder.path().join("data/settings.toml");
    std::fs::write(file, "[agents.claude_code]\nenvironment = { EXTRA = 'x' }\n").unwrap();
    for extras in [
        none,
        json!({"environment": {"EXTRA": "y"}}),
        json!({"arguments": ["x"], "environment": {"EXTRA": "x"}}),
    ] {
        let error = bridge.refused("start_session", start(&bridge, &extras)).await;
        assert_eq!(error["code"], json!("extras_changed"), "{error}");
        assert_eq!(error["message"], json!("the settings for this agent have changed since they were shown"));
    }
    assert!(bridge.snapshot().await.sessions.is_empty());
    bridge.call("start_session", start(&bridge, &json!({"environment": {"EXTRA": "x"}}))).await.unwrap();
    bridge.until("it asks", |now| !now.requests.is_empty()).await;
    assert_eq!(starts(&bridge).len(), 1);
}

#[tokio::test]
async fn a_session_goes_on_with_what_it_was_started_with_and_the_secrets_of_now() {
    let bridge = Bridge::open();
    set(&bridge, "arguments", json!(["--add-dir", "/a"])).await;
    set(&bridge, "environment", json!({"EXTRA": "old", "EXTRA_KEY": "old"})).await;
    let extras = shown(&bridge).await;
    let session = bridge.call("start_session", start(&bridge, &extras)).await.unwrap();
    bridge.until("it asks", |now| !now.requests.is_empty()).await;
    bridge.run("stop_session", json!({"session": session["id"]})).await;
    bridge.until("it has ended", |now| now.sessions.iter().all(|session| !session.is_running())).await;
    bridge.api.sessions().shut_down().await;
    let bridge = bridge.reopen();
    set(&bridge, "arguments", json!(["--add-dir", "/b"])).await;
    set(&bridge, "environment", json!({"EXTRA": "new", "EXTRA_KEY": "new", "OTHER": "x"})).await;
    let again = json!({"requestId": fresh(), "session": session["id"]});
    bridge.call("resume_session", again).await.unwrap();
    bridge.until("it runs", |now| now.sessions.iter().any(Session::is_running)).await;
    let two = || starts(&bridge).len() == 2;
    bridge.until("it was started again", |_| two()).await;
    let [_, second] = starts(&bridge).try_into().unwrap();
    assert!(has(&second, "--resume") && has(&second, "/a") && !has(&second, "/b"), "{second:?}");
    assert!(
        has(&second, "EXTRA=old") && has(&second, "EXTRA_KEY=new") && !has(&second, "OTHER=x"),
        "{second:?}"
    );
}
