//! What can go wrong outside the desk is said in the window, and everything else goes on.

use std::fs;

use serde_json::json;

use crate::harness::{Desk, Setup};

#[tokio::test]
async fn unusable_lines_are_counted_and_the_session_goes_on() {
    let desk = Desk::open().await;
    let session = desk.start_demo("malformed", "Broken").await;
    desk.select(&session).await;
    desk.find("aside [data-request][data-state=open]").await;
    desk.find("main [data-notice=question_refused]").await;
    desk.shows_text("main", "That question was refused:").await;
    desk.shows_text("main", "unusable lines").await;
    desk.click("button", "6 unusable lines").await;
    desk.find("dialog [data-kind=unusable]").await;
    desk.shows_text("dialog", "not JSON").await;
    desk.shows_text("dialog", "2097152").await;
    desk.click("button", "Close").await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    desk.shows_text("main", "Still here. Your answer: PostgreSQL").await;
    desk.close().await;
}

#[tokio::test]
async fn a_last_line_that_is_cut_in_half_is_said() {
    let desk = Desk::open().await;
    let session = desk.start_demo("dies-mid-line", "Cut").await;
    desk.select(&session).await;
    desk.find("main [data-notice=cut_in_half]").await;
    desk.find("nav [data-session][data-state=failed]").await;
    desk.close().await;
}

#[tokio::test]
async fn case_04_a_question_that_cannot_be_shown_is_refused_in_the_same_turn() {
    let desk = Desk::open().await;
    let session = desk.start_demo("unusable", "Unusable").await;
    desk.select(&session).await;
    let responses = desk.wait_for_responses(4).await;
    assert!(responses.iter().all(|response| response["behavior"] == "deny"), "{responses:?}");
    assert!(responses[0]["message"].as_str().unwrap().contains("questions: at least 1 question, got 0"));
    desk.shows_text("main", "First refusal:").await;
    assert!(!desk.shows("aside [data-request]").await);
    desk.close().await;
}

#[tokio::test]
async fn a_missing_agent_says_what_was_tried_and_how_to_install_it() {
    let desk = Desk::open().await;
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": desk.home(),
        "options": { "program": "/nowhere/claude" }, "prompt": "Please begin." });
    let session = desk.invoke("start_session", input).await.unwrap();
    desk.select(session["id"].as_str().unwrap()).await;
    desk.find("nav [data-session][data-state=failed]").await;
    desk.shows_text("main", "/nowhere/claude").await;
    desk.shows_text("main", "npm install").await;
    desk.shows_text("main", "Please begin.").await;
    desk.close().await;
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_said_before_anything_starts() {
    let desk = Desk::open().await;
    let folder = desk.by_role("textbox", "Folder").await;
    folder.clear().await.unwrap();
    folder.send_keys("/nowhere/at/all").await.unwrap();
    desk.click("button", "Start session").await;
    desk.shows_text("main", "/nowhere/at/all").await;
    assert!(!desk.shows("nav [data-session]").await, "no session was begun");
    desk.close().await;
}

#[tokio::test]
async fn a_damaged_database_is_said_and_kept() {
    let data = tempfile::TempDir::new().unwrap();
    let rubbish = vec![0x5a; 8_192];
    fs::write(data.path().join("desk.db"), &rubbish).unwrap();
    let desk = Setup::default().data(data.path()).open().await;
    desk.find("[data-storage=corrupt]").await;
    let kept = fs::read_dir(data.path()).unwrap().flatten().map(|entry| entry.path());
    let kept: Vec<_> = kept.filter(|path| path.to_string_lossy().contains("damaged")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(fs::read(&kept[0]).unwrap(), rubbish);
    desk.close().await;
}
