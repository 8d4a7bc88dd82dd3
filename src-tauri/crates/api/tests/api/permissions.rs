//! The list of what was always allowed, and removals from an agent's files.

use std::fs;
use std::path::PathBuf;

use crate::bridge::{Bridge, claude_code, fresh};
use serde_json::{Value, json};

/// Plays a scenario whose first permission request is decided with options, and returns the session.
async fn decided(bridge: &Bridge, scenario: &str, options: &[&str]) -> Value {
    let session = bridge.call("start_session", claude_code(bridge, scenario, &json!({}))).await.unwrap();
    let now = bridge.until("a permission request", |now| !now.approvals.is_empty()).await;
    let decision = json!({"options": options, "message": null, "plan": null});
    bridge.run("decide_approval", json!({"id": now.approvals[0].id, "decision": decision})).await;
    session
}

fn file(session: &Value) -> PathBuf {
    PathBuf::from(session["folder"].as_str().unwrap()).join(".claude/settings.local.json")
}

fn write(session: &Value, text: &str) {
    fs::create_dir_all(file(session).parent().unwrap()).unwrap();
    fs::write(file(session), text).unwrap();
}

/// The listed permissions of the session's folder.
async fn standing(bridge: &Bridge, session: &Value) -> Vec<Value> {
    let read = bridge.call("read_permissions", json!({})).await.unwrap();
    let listed = read["standing"].as_array().unwrap().clone();
    listed.into_iter().filter(|one| one["folder"] == session["folder"]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_100_the_list_says_where_a_permission_is_written_who_allowed_it_and_how_far_it_reaches() {
    let bridge = Bridge::open();
    // The third one is a mode.
    let session = decided(&bridge, "rules", &["r1", "r2", "r3"]).await;
    write(
        &session,
        "{\n  // mine\n  \"permissions\": {\"allow\": [\"Bash(npm install *)\", \"WebFetch\"]}\n}\n",
    );
    let listed = standing(&bridge, &session).await;
    let [allowed, by_hand, in_memory] = listed.as_slice() else { panic!("{listed:#?}") };
    assert_eq!(
        allowed["label"],
        json!({"label": "tool", "tool": "Bash", "content": "npm install *", "behavior": "allow"})
    );
    assert_eq!(allowed["scope"], "local");
    assert_eq!(allowed["allowed"]["session"], session["id"]);
    assert_eq!(allowed["allowed"]["name"], session["name"]);
    assert_eq!(allowed["written"], json!({"file": file(&session), "text": "Bash(npm install *)"}));
    assert_eq!((&by_hand["label"]["tool"], &by_hand["allowed"]), (&json!("WebFetch"), &json!(null)));
    assert_eq!(in_memory["label"], json!({"label": "folder", "paths": ["/tmp/packages"]}));
    assert_eq!((&in_memory["scope"], &in_memory["written"]), (&json!("session"), &json!(null)));

    // What a session was allowed ends with it.
    bridge.run("stop_session", json!({"session": session["id"]})).await;
    assert_eq!(standing(&bridge, &session).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_100_a_removal_is_shown_and_changes_only_its_entry() {
    let bridge = Bridge::open();
    let session = decided(&bridge, "rules", &["allow"]).await;
    write(&session, "{\n  // mine\n  \"permissions\": {\"allow\": [\"Bash(ls)\", \"WebFetch\"]}\n}\n");
    let written = json!({"file": file(&session), "text": "Bash(ls)"});
    let plan = async |written: &Value| {
        let id = fresh();
        let input = json!({"requestId": id, "written": written});
        (id, bridge.call("plan_permission_removal", input).await.unwrap())
    };
    let (first, _) = plan(&written).await;
    let (second, shown) = plan(&written).await;
    assert!(
        shown["change"]["diff"]
            .as_str()
            .unwrap()
            .contains("+  \"permissions\": {\"allow\": [ \"WebFetch\"]}"),
        "{shown:#?}"
    );
    let gone = bridge.refused("remove_permission", json!({"requestId": fresh(), "plan": first})).await;
    assert_eq!(gone["code"], "plan_gone");
    bridge.run("remove_permission", json!({"plan": second})).await;
    let text = fs::read_to_string(file(&session)).unwrap();
    assert_eq!(text, "{\n  // mine\n  \"permissions\": {\"allow\": [ \"WebFetch\"]}\n}\n");
    assert_eq!(plan(&written).await.1, json!({"change": null}), "it is gone");

    // Only files that are listed are changed.
    let elsewhere = bridge.folder.path().join("other.json");
    fs::write(&elsewhere, "{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}").unwrap();
    assert_eq!(plan(&json!({"file": elsewhere, "text": "Bash(ls)"})).await.1, json!({"change": null}));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_100_a_file_that_cannot_be_read_is_named() {
    let bridge = Bridge::open();
    let session = decided(&bridge, "rules", &["allow"]).await;
    write(&session, "{ \"permissions\": ");
    let read = bridge.call("read_permissions", json!({})).await.unwrap();
    let named =
        read["unreadable"].as_array().unwrap().iter().find(|one| one["file"] == json!(file(&session)));
    assert_eq!(named.unwrap()["trouble"]["trouble"], "unparsed", "{read:#?}");
    assert_eq!(standing(&bridge, &session).await, Vec::<Value>::new());
}
