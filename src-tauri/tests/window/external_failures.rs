//! What can go wrong outside the desk is said in the window, and everything else goes on.

use std::fs;

use serde_json::json;

use crate::harness::{App, Setup};

#[tokio::test]
async fn unusable_lines_are_counted_and_the_session_goes_on() {
    let app = App::open().await;
    let session = app.start_demo("malformed", "Broken").await;
    app.select(&session).await;
    app.find("aside [data-request][data-state=open]").await;
    app.find("main [data-notice=question_refused]").await;
    app.shows_text("main", "That question was refused:").await;
    app.shows_text("main", "unusable lines").await;
    app.click("button", "6 unusable lines").await;
    app.find("dialog [data-kind=unusable]").await;
    app.shows_text("dialog", "not JSON").await;
    app.shows_text("dialog", "2097152").await;
    app.click("button", "Close").await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    app.shows_text("main", "Still here. Your answer: PostgreSQL").await;
    app.close().await;
}

#[tokio::test]
async fn a_last_line_that_is_cut_in_half_is_said() {
    let app = App::open().await;
    let session = app.start_demo("dies-mid-line", "Cut").await;
    app.select(&session).await;
    app.find("main [data-notice=cut_in_half]").await;
    app.find("nav [data-session][data-state=failed]").await;
    app.close().await;
}

#[tokio::test]
async fn case_04_a_question_that_cannot_be_shown_is_refused_in_the_same_turn() {
    let app = App::open().await;
    let session = app.start_demo("unusable", "Unusable").await;
    app.select(&session).await;
    let responses = app.wait_for_responses(4).await;
    assert!(responses.iter().all(|response| response["behavior"] == "deny"), "{responses:?}");
    assert!(responses[0]["message"].as_str().unwrap().contains("questions: at least 1 question, got 0"));
    app.shows_text("main", "First refusal:").await;
    assert!(!app.shows("aside [data-request]").await);
    app.close().await;
}

#[tokio::test]
async fn a_missing_agent_says_what_was_tried_and_how_to_install_it() {
    let app = App::open().await;
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": app.home(),
        "options": { "program": "/nowhere/claude" }, "prompt": "Please begin." });
    let session = app.invoke("start_session", input).await.unwrap();
    app.select(session["id"].as_str().unwrap()).await;
    app.find("nav [data-session][data-state=failed]").await;
    app.shows_text("main", "/nowhere/claude").await;
    app.shows_text("main", "npm install").await;
    app.shows_text("main", "Please begin.").await;
    app.close().await;
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_said_before_anything_starts() {
    let app = App::open().await;
    let folder = app.by_role("textbox", "Folder").await;
    folder.clear().await.unwrap();
    folder.send_keys("/nowhere/at/all").await.unwrap();
    app.click("button", "Start session").await;
    app.shows_text("main", "/nowhere/at/all").await;
    assert!(!app.shows("nav [data-session]").await, "no session was begun");
    app.close().await;
}

#[tokio::test]
async fn a_damaged_database_is_said_and_kept() {
    let data = tempfile::TempDir::new().unwrap();
    let rubbish = vec![0x5a; 8_192];
    fs::write(data.path().join("desk.db"), &rubbish).unwrap();
    let app = Setup::default().data(data.path()).open().await;
    app.find("[data-storage=corrupt]").await;
    let kept = fs::read_dir(data.path()).unwrap().flatten().map(|entry| entry.path());
    let kept: Vec<_> = kept.filter(|path| path.to_string_lossy().contains("damaged")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(fs::read(&kept[0]).unwrap(), rubbish);
    app.close().await;
}
