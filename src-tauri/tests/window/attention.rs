//! A question in a session that is not in view: the count on its tab, the notification of the system.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{App, Setup};

/// Runs a command of the notification daemon.
pub fn dunst(args: &[&str]) -> String {
    let output = Command::new("dunstctl").args(args).output().expect("dunst is installed and runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Counts the notifications that are on the screen.
pub fn displayed() -> usize {
    dunst(&["count", "displayed"]).trim().parse().unwrap_or_default()
}

/// Returns title and text of every notification that was taken back, newest first.
pub fn taken_back() -> Vec<(String, String)> {
    let history: Value = serde_json::from_str(&dunst(&["history"])).unwrap();
    let all = history["data"][0].as_array().cloned().unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field]["data"].as_str().unwrap_or_default().to_owned();
    all.iter().map(|entry| (text(entry, "summary"), text(entry, "body"))).collect()
}

#[tokio::test]
async fn case_36_a_question_out_of_view_counts_on_its_tab_and_is_notified_until_answered() {
    let app = App::open().await;
    dunst(&["close-all"]);
    let name = format!("Out of view {}", std::process::id());
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.find(&format!("nav [data-session='{shown}'][data-state=idle]")).await;
    let other = app.start_demo("technology", &name).await;
    let tab = format!("nav [data-session='{other}'][data-state=needs_you]");
    app.find(&tab).await;
    app.shows_text(&tab, "1").await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    // Looking does not clear it; answering does.
    app.select(&other).await;
    app.by_role("radio", "PostgreSQL").await;
    app.find(&tab).await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    app.wait("the notification to be taken back", async || (displayed() == 0).then_some(())).await;
    app.find(&format!("nav [data-session='{other}'][data-state=idle]")).await;
    let (title, body) = taken_back().into_iter().find(|(title, _)| *title == name).expect("it was posted");
    assert_eq!((title.as_str(), body.as_str()), (name.as_str(), "Which store should the notes be kept in?"));
    app.close().await;
}

/// Leaves the time to look at the session before it asks.
const ASKS_LATER: &str = r#"{ "name": "later", "title": "Later", "description": "Asks after a while", "turns": [[
    { "sleep_ms": 2000 },
    { "ask": { "questions": [{ "question": "Are you looking?", "header": "Look", "multiSelect": false,
        "options": [{ "label": "Yes", "description": "" }, { "label": "No", "description": "" }] }] } }
]] }"#;

#[tokio::test]
async fn a_question_in_the_session_that_is_looked_at_is_not_notified() {
    let folder = tempfile::TempDir::new().unwrap();
    let scenario = folder.path().join("later.json");
    fs::write(&scenario, ASKS_LATER).unwrap();
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    dunst(&["close-all"]);
    let raise = "xdotool search --sync --onlyvisible --name '(^|[)] )Askdesk$' windowactivate --sync";
    let raised = Command::new("sh").args(["-c", raise]).status().unwrap();
    assert!(raised.success(), "the window can be given the focus");
    let session = app.start_demo(&scenario.display().to_string(), "Looked at").await;
    app.select(&session).await;
    app.wait("the focus", async || {
        (app.script("return document.hasFocus()", vec![]).await == true).then_some(())
    })
    .await;
    app.find("aside [data-request][data-state=open]").await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(displayed(), 0);
    app.close().await;
}

#[tokio::test]
async fn a_click_on_the_notification_brings_up_the_question() {
    let app = App::open().await;
    dunst(&["close-all"]);
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.wait_for_responses(1).await;
    let other = app.start_demo("technology", "Clicked").await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    dunst(&["action", "0"]);
    app.find(&format!("[data-session-view='{other}']")).await;
    app.by_role("radio", "PostgreSQL").await;
    assert_eq!(
        app.responses().len(),
        1,
        "a click answers nothing; the one is the answer the other agent brought"
    );
    app.close().await;
}

#[tokio::test]
async fn case_37_a_muted_session_only_counts_and_a_private_one_says_no_more_than_that_it_waits() {
    let folder = tempfile::TempDir::new().unwrap();
    let scenario = folder.path().join("later.json");
    fs::write(&scenario, ASKS_LATER).unwrap();
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    dunst(&["close-all"]);
    let shown = app.start_demo("prefilled", "In view").await;
    let private = format!("Private {}", std::process::id());
    for (name, attention) in [
        ("Muted", json!({ "muted": true, "private": false })),
        (private.as_str(), json!({ "muted": false, "private": true })),
    ] {
        let session = app.start_demo(&scenario.display().to_string(), name).await;
        let input = json!({ "requestId": uuid::Uuid::new_v4(), "session": session, "attention": attention });
        app.invoke("set_attention", input).await.unwrap();
        app.select(&shown).await;
        app.find(&format!("nav [data-session='{session}'][data-state=needs_you]")).await;
    }
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    dunst(&["close-all"]);
    assert_eq!(taken_back()[0], (private, "A question is waiting".to_owned()));
    app.close().await;
}

#[tokio::test]
async fn a_permission_is_notified_under_a_title_of_its_own_and_a_click_decides_nothing() {
    let app = App::open().await;
    dunst(&["close-all"]);
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.wait_for_responses(1).await;
    let name = format!("Permission {}", std::process::id());
    let other = app.start_demo("approval", &name).await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    dunst(&["action", "0"]);
    app.find(&format!("[data-session-view='{other}']")).await;
    app.find(&format!("nav [data-session='{other}'][data-state=needs_you]")).await;
    dunst(&["close-all"]);
    let title = format!("{name} asks for permission");
    assert!(taken_back().iter().any(|(posted, _)| *posted == title), "{:?}", taken_back());
    assert_eq!(app.responses().len(), 1, "a click allows nothing");
    app.close().await;
}
