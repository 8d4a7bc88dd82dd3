//! The ends of a request other than an answer, and the end of an answer that could not be handed over.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::examples::asked;
use crate::harness::{Desk, Setup};

#[tokio::test]
async fn declining_tells_the_agent_and_it_goes_on() {
    let desk = asked("technology").await;
    desk.click("button", "Decline").await;
    desk.by_role("textbox", "What to tell the agent (optional)").await.send_keys("You decide").await.unwrap();
    desk.by_role_in("aside [role=group]", "button", "Decline").await.click().await.unwrap();
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    assert!(responses[0]["message"].as_str().unwrap().contains("You decide"), "{}", responses[0]);
    assert_ne!(responses[0]["interrupt"], json!(true));
    desk.find("main [data-request][data-state=declined][data-delivery=delivered]").await;
    desk.shows_text("main", "Understood, I go on without asking:").await;
    desk.close().await;
}

#[tokio::test]
async fn case_21_cancelling_closes_the_card_and_tells_the_agent() {
    let desk = asked("technology").await;
    desk.click("button", "Cancel question").await;
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    desk.find("main [data-request][data-state=withdrawn]").await;
    desk.shows_text("main [data-request]", "Cancelled by you").await;
    desk.gone("aside [data-request][data-state=open]").await;
    desk.close().await;
}

#[tokio::test]
async fn a_question_the_agent_withdraws_leaves_the_panel() {
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let session = desk.start_demo("withdrawn", "Notes").await;
    desk.select(&session).await;
    desk.find("aside [data-request][data-state=open]").await;
    desk.shows_text("main", "The agent withdrew it").await;
    desk.gone("aside [data-request]").await;
    assert!(desk.responses().is_empty(), "nothing is sent for a question that was taken back");
    desk.close().await;
}

#[tokio::test]
async fn case_26_stopping_the_agent_closes_the_card_as_interrupted() {
    let desk = asked("technology").await;
    desk.click("button", "Stop").await;
    desk.shows_text("main [data-request]", "Interrupted").await;
    desk.gone("aside [data-request]").await;
    desk.find("nav [data-session][data-state=idle]").await;
    assert!(desk.responses().is_empty());
    desk.close().await;
}

#[tokio::test]
async fn case_35_a_message_ends_the_question_as_replied_in_chat() {
    let desk = asked("technology").await;
    let composer = desk.find("[data-composer]").await;
    assert_eq!(composer.attr("placeholder").await.unwrap().unwrap(), "Reply in chat (ends the questions)");
    composer.send_keys("Use whatever is there already.\u{e007}").await.unwrap();
    desk.find("main [data-request][data-state=replied_in_chat]").await;
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    assert_eq!(responses[0]["message"], "User responded in chat; questions canceled");
    let words = json!("Use whatever is there already.");
    let all = desk.received();
    let denied = all.iter().position(|line| line["type"] == "control_response").unwrap();
    let said = all.iter().position(|line| line["message"]["content"] == words).expect("the message was sent");
    assert!(denied < said, "the refusal comes before the message");
    desk.close().await;
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
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let session = desk.start_demo(&scenario.display().to_string(), "Queue").await;
    desk.select(&session).await;
    desk.find(&format!("nav [data-session='{session}'][data-state=working]")).await;
    desk.find("[data-composer]").await.send_keys("Then the tests.\u{e007}").await.unwrap();
    desk.shows_text("[data-session-view]", "Then the tests.").await;
    desk.find("aside [data-request][data-state=open]").await;
    let said = async || desk.received().iter().any(|line| line["message"]["content"] == "Then the tests.");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(!said().await && desk.responses().is_empty(), "nothing goes past an open question");
    desk.find("aside [data-request][data-state=open]").await;
    desk.click("radio", "Right").await;
    desk.click("button", "Submit").await;
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(responses[0]["updatedInput"]["answers"], json!({ "Which way?": "Right" }));
    desk.wait("the message at the agent", async || said().await.then_some(())).await;
    desk.shows_text("main", "And that too.").await;
    desk.close().await;
}

#[tokio::test]
async fn an_agent_that_dies_leaves_a_missed_question_and_says_why() {
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = desk.start_demo("dies-pending", "Notes").await;
    desk.select(&session).await;
    desk.find("main [data-request][data-state=orphaned]").await;
    desk.shows_text("main", "Missed").await;
    desk.find("nav [data-session][data-state=failed]").await;
    desk.shows_text("main", "fatal: lost while waiting").await;
    desk.close().await;
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
    let desk = Desk::open().await;
    let program = desk.home().join("deaf-agent");
    fs::write(&program, DEAF_AGENT).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": desk.home(),
        "options": { "program": program }, "name": "Deaf" });
    let session = desk.invoke("start_session", input).await.unwrap();
    desk.select(session["id"].as_str().unwrap()).await;
    desk.click("radio", "Yes").await;
    desk.click("button", "Submit").await;
    desk.find("aside [data-request][data-state=failed]").await;
    desk.shows_text("aside [data-request]", "Yes").await;
    desk.by_role("button", "Retry").await;
    let line = desk.find("main [data-request]").await;
    assert!(!line.text().await.unwrap().contains('✔'), "nothing is confirmed that was not delivered");
    assert_eq!(desk.find("nav [data-session]").await.attr("data-state").await.unwrap().unwrap(), "needs_you");
    desk.click("button", "Retry").await;
    desk.find("aside [data-request][data-state=failed]").await;
    desk.close().await;
}

#[tokio::test]
async fn case_33_submit_pressed_twice_writes_one_answer() {
    let desk = asked("technology").await;
    desk.click("radio", "Plain files").await;
    let twice = "const b = [...document.querySelectorAll('aside button')].find(b => b.textContent.trim() === 'Submit');
        b.click(); b.click();";
    desk.script(twice, vec![]).await;
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(desk.responses().len(), 1);
    desk.close().await;
}
