//! The ends of a request other than an answer, and the end of an answer that could not be handed over.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::demo::asked;
use crate::harness::{App, Setup};

#[tokio::test]
async fn declining_tells_the_agent_and_it_goes_on() {
    let app = asked("technology").await;
    app.click("button", "Decline").await;
    app.by_role("textbox", "What to tell the agent (optional)").await.send_keys("You decide").await.unwrap();
    app.by_role_in("aside [role=group]", "button", "Decline").await.click().await.unwrap();
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    assert!(responses[0]["message"].as_str().unwrap().contains("You decide"), "{}", responses[0]);
    assert_ne!(responses[0]["interrupt"], json!(true));
    app.find("main [data-request][data-state=declined][data-delivery=delivered]").await;
    app.shows_text("main", "Understood, I go on without asking:").await;
    app.close().await;
}

#[tokio::test]
async fn case_21_cancelling_closes_the_card_and_tells_the_agent() {
    let app = asked("technology").await;
    app.click("button", "Cancel question").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    app.find("main [data-request][data-state=withdrawn]").await;
    app.shows_text("main [data-request]", "Cancelled by you").await;
    app.gone("aside [data-request][data-state=open]").await;
    app.close().await;
}

#[tokio::test]
async fn a_question_the_agent_withdraws_leaves_the_panel() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let session = app.start_demo("withdrawn", "Notes").await;
    app.select(&session).await;
    app.find("aside [data-request][data-state=open]").await;
    app.shows_text("main", "The agent withdrew it").await;
    app.gone("aside [data-request]").await;
    assert!(app.responses().is_empty(), "nothing is sent for a question that was taken back");
    app.close().await;
}

#[tokio::test]
async fn case_26_stopping_the_agent_closes_the_card_as_interrupted() {
    let app = asked("technology").await;
    app.click("button", "Stop").await;
    app.shows_text("main [data-request]", "Interrupted").await;
    app.gone("aside [data-request]").await;
    app.find("nav [data-session][data-state=idle]").await;
    assert!(app.responses().is_empty());
    app.close().await;
}

#[tokio::test]
async fn case_35_a_message_ends_the_question_as_replied_in_chat() {
    let app = asked("technology").await;
    let composer = app.find("[data-composer]").await;
    assert_eq!(composer.attr("placeholder").await.unwrap().unwrap(), "Reply in chat (ends the questions)");
    composer.send_keys("Use whatever is there already.\u{e007}").await.unwrap();
    app.find("main [data-request][data-state=replied_in_chat]").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    assert_eq!(responses[0]["message"], "User responded in chat; questions canceled");
    let words = json!("Use whatever is there already.");
    let all = app.received();
    let denied = all.iter().position(|line| line["type"] == "control_response").unwrap();
    let said = all.iter().position(|line| line["message"]["content"] == words).expect("the message was sent");
    assert!(denied < said, "the refusal comes before the message");
    app.close().await;
}

/// Leaves the time to write something before it asks.
const WORKS_THEN_ASKS: &str = r#"{ "name": "works", "title": "Works", "description": "Asks after a while", "turns": [[
    { "sleep_ms": 3000 },
    { "ask": { "questions": [{ "question": "Which way?", "header": "Way", "multiSelect": false,
        "options": [{ "label": "Left", "description": "" }, { "label": "Right", "description": "" }] }] } },
    { "say": { "text": "Thank you." } }
], [{ "say": { "text": "And that too." } }]] }"#;

#[tokio::test]
async fn case_35_what_waits_in_the_queue_leaves_the_question_open_and_goes_after_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let scenario = folder.path().join("works.json");
    fs::write(&scenario, WORKS_THEN_ASKS).unwrap();
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let session = app.start_demo(&scenario.display().to_string(), "Queue").await;
    app.select(&session).await;
    app.find(&format!("nav [data-session='{session}'][data-state=working]")).await;
    app.find("[data-composer]").await.send_keys("Then the tests.\u{e007}").await.unwrap();
    app.shows_text("[data-session-view]", "Then the tests.").await;
    app.find("aside [data-request][data-state=open]").await;
    let said = async || app.received().iter().any(|line| line["message"]["content"] == "Then the tests.");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(!said().await && app.responses().is_empty(), "nothing goes past an open question");
    app.find("aside [data-request][data-state=open]").await;
    app.click("radio", "Right").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["updatedInput"]["answers"], json!({ "Which way?": "Right" }));
    app.wait("the message at the agent", async || said().await.then_some(())).await;
    app.shows_text("main", "And that too.").await;
    app.close().await;
}

#[tokio::test]
async fn an_agent_that_dies_leaves_a_missed_question_and_says_why() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = app.start_demo("dies-pending", "Notes").await;
    app.select(&session).await;
    app.find("main [data-request][data-state=orphaned]").await;
    app.shows_text("main", "Missed").await;
    app.find("nav [data-session][data-state=failed]").await;
    app.shows_text("main", "fatal: lost while waiting").await;
    app.close().await;
}

/// An agent that asks, closes its input and stays: whatever is written to it fails.
const DEAF_AGENT: &str = r#"#!/bin/sh
read -r hello
printf '%s\n' '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t1","input":{"questions":[{"question":"Can you hear me?","header":"Hearing","multiSelect":false,"options":[{"label":"Yes","description":""},{"label":"No","description":""}]}]}}}'
exec 0<&-
sleep 60
"#;

#[tokio::test]
async fn case_32_a_failed_delivery_keeps_the_answer_and_offers_retry() {
    let app = App::open().await;
    let program = app.home().join("deaf-agent");
    fs::write(&program, DEAF_AGENT).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": app.home(),
        "options": { "program": program }, "name": "Deaf" });
    let session = app.invoke("start_session", input).await.unwrap();
    app.select(session["id"].as_str().unwrap()).await;
    app.click("radio", "Yes").await;
    app.click("button", "Submit").await;
    app.find("aside [data-request][data-state=failed]").await;
    app.shows_text("aside [data-request]", "Yes").await;
    app.by_role("button", "Retry").await;
    let line = app.find("main [data-request]").await;
    assert!(!line.text().await.unwrap().contains('✔'), "nothing is confirmed that was not delivered");
    assert_eq!(app.find("nav [data-session]").await.attr("data-state").await.unwrap().unwrap(), "needs_you");
    app.click("button", "Retry").await;
    app.find("aside [data-request][data-state=failed]").await;
    app.close().await;
}

#[tokio::test]
async fn case_33_submit_pressed_twice_writes_one_answer() {
    let app = asked("technology").await;
    app.click("radio", "Plain files").await;
    let twice = "const b = [...document.querySelectorAll('aside button')].find(b => b.textContent.trim() === 'Submit');
        b.click(); b.click();";
    app.script(twice, vec![]).await;
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(app.responses().len(), 1);
    app.close().await;
}
