//! How questions end, and what the agent receives.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};

const MISSED: &str = "aside details[data-missed]";

async fn send_answer(app: &App, id: &Value, answers: Value) -> Result<Value, Value> {
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "id": id, "answers": answers });
    app.invoke("answer_question", input).await
}

#[tokio::test]
async fn case_20_and_24_a_request_takes_one_answer_and_the_bridge_refuses_others_with_a_code() {
    let app = App::open_asked("technology").await;
    let id = json!(app.find(OPEN_CARD).await.attr("data-request").await.unwrap().unwrap());
    let chosen = json!([{ "question": "q1", "chosen": ["q1o2"] }]);
    for (id, answers, code) in [
        (json!(uuid::Uuid::new_v4()), chosen.clone(), "not_found"),
        (json!("no id at all"), chosen.clone(), "invalid"),
        (id.clone(), json!([]), "invalid"),
        (id.clone(), json!("q1o2"), "invalid"),
    ] {
        let error = send_answer(&app, &id, answers).await.unwrap_err();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()));
    }
    assert_eq!(app.invoke("answer_question", Value::Null).await.unwrap_err()["code"], "invalid");
    assert!(app.shows(OPEN_CARD).await);
    assert!(app.responses().is_empty());

    app.answer("PostgreSQL").await;
    app.find(DELIVERED).await;
    app.gone(OPEN_CARD).await;
    send_answer(&app, &id, chosen).await.expect("the same answer again succeeds");
    let other = json!([{ "question": "q1", "chosen": ["q1o3"] }]);
    let error = send_answer(&app, &id, other).await.unwrap_err();
    assert_eq!((&error["code"], &error["ended"]["by"]), (&json!("already_ended"), &json!("person")));
    let cancel = json!({ "requestId": uuid::Uuid::new_v4(), "id": id });
    assert_eq!(app.invoke("cancel_question", cancel).await.unwrap_err()["code"], "already_ended");
    assert_eq!(app.responses().len(), 1);
}

#[tokio::test]
async fn the_page_has_no_permissions_beyond_the_list() {
    let app = App::open().await;
    for command in
        ["plugin:dialog|open", "plugin:notification|notify", "plugin:window|close", "plugin:shell|open"]
    {
        let error = app.invoke(command, json!({})).await.unwrap_err().to_string();
        assert!(error.contains("not allowed") || error.contains("not found"), "{command}: {error}");
    }
}

#[tokio::test]
async fn case_21_skipping_closes_the_card_and_tells_the_agent() {
    let app = App::open_asked("technology").await;
    app.click("button", "Skip").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    app.find("main [data-request][data-state=withdrawn]").await;
    app.shows_text("main [data-request]", "You skipped this").await;
    app.gone(OPEN_CARD).await;
}

#[tokio::test]
async fn case_22_two_requests_of_one_session_are_answered_in_any_order() {
    let app = App::open_asked("parallel").await;
    app.click("button", "2 Features").await;
    app.click("checkbox", "Sync").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    let features = "Which features should the first version have?";
    assert_eq!(responses[0]["updatedInput"]["answers"], json!({ features: "Sync" }));
    app.answer("PostgreSQL").await;
    let responses = app.wait_for_responses(2).await;
    let store = "Which store should the notes be kept in?";
    assert_eq!(responses[1]["updatedInput"]["answers"], json!({ store: "PostgreSQL" }));
    app.shows_text("main", "Both are clear now:").await;
}

#[tokio::test]
async fn case_26_stopping_the_agent_closes_the_card_as_interrupted() {
    let app = App::open_asked("technology").await;
    app.click("button", "Stop").await;
    app.shows_text("main [data-request]", "Closed when you stopped the agent").await;
    app.gone("aside [data-request]").await;
    app.find("nav [data-session][data-state=idle]").await;
    assert!(app.responses().is_empty());
}

/// The messages about late answers that the agents have received.
fn late_messages(app: &App) -> Vec<String> {
    let messages =
        app.received().into_iter().filter_map(|line| Some(line["message"]["content"].as_str()?.to_owned()));
    messages.filter(|text| text.starts_with("This is a late answer.")).collect()
}

#[tokio::test]
async fn case_27_and_47_a_missed_question_is_answered_late_and_reaches_the_resumed_agent_once() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = app.show_demo("dies-pending", "Notes").await;
    app.in_state(&session, "failed").await;
    app.shows_text("main", "fatal: lost while waiting").await;
    app.shows_text(MISSED, "The agent exited").await;
    let row = "return document.querySelector('nav [data-session]').innerText.includes('1 missed')";
    app.wait("the row to count it", async || (app.script(row, vec![]).await == true).then_some(())).await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    let summary = app.find(&format!("{MISSED} summary")).await;
    app.press(&summary).await;
    app.click("radio", "PostgreSQL").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Send on resume").await;
    app.gone(MISSED).await;
    app.shows_text("aside", "Saved. Sent when you resume the session.").await;
    app.find("main [data-request][data-state=answered][data-delivery=parked]").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert!(late_messages(&app).is_empty(), "no agent runs yet");

    let resume = app.by_role_in("aside", "button", "Resume").await;
    app.press(&resume).await;
    app.find(DELIVERED).await;
    app.shows_text("main [data-request]", "Delivered late").await;
    app.in_state(&session, "idle").await;
    let sent = late_messages(&app);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].contains("Answer: \"PostgreSQL\""), "{sent:?}");
    assert!(app.responses().is_empty(), "the call of the dead agent gets no response");
}

#[tokio::test]
async fn case_30_a_question_never_waits_for_another_session() {
    let app = App::open().await;
    let first = app.start_demo("technology", "First").await;
    let second = app.start_demo("features", "Second").await;
    app.in_state(&first, "needs_you").await;
    app.in_state(&second, "needs_you").await;
    app.select(&second).await;
    app.click("checkbox", "Export").await;
    app.click("button", "Submit").await;
    app.check_answers(json!({ "Which features should the first version have?": "Export" })).await;
    app.in_state(&second, "idle").await;
    app.in_state(&first, "needs_you").await;
    app.select(&first).await;
    app.answer("Plain files").await;
    app.wait_for_responses(2).await;
}

/// An agent that asks, closes its input and keeps running, so that every write to it fails.
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
    let options = json!({ "program": program });
    let input = json!({ "agent": "claude_code", "folder": app.home(), "options": options, "name": "Deaf" });
    let session = app.start_session(input).await;
    app.select(&session).await;
    app.answer("Yes").await;
    app.find("aside [data-request][data-state=failed]").await;
    app.shows_text("aside [data-request]", "Yes").await;
    app.by_role("button", "Retry").await;
    app.find("main [data-request][data-delivery=failed]").await;
    app.in_state(&session, "needs_you").await;
    app.click("button", "Retry").await;
    app.find("aside [data-request][data-state=failed]").await;
}

#[tokio::test]
async fn case_35_a_message_ends_the_question_as_replied_in_chat() {
    let app = App::open_asked("technology").await;
    app.find("[data-act=reply]").await;
    let composer = app.find("[data-composer]").await;
    assert_eq!(composer.attr("placeholder").await.unwrap().unwrap(), "Reply in chat…");
    composer.send_keys("Use whatever is there already.\u{e007}").await.unwrap();
    app.find("[data-held-reply]").await;
    app.find("main [data-request][data-state=replied_in_chat]").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "deny");
    assert_eq!(responses[0]["message"], "User responded in chat; questions canceled");
    let received = app.received();
    let denied = received.iter().position(|line| line["type"] == "control_response").unwrap();
    let message = received
        .iter()
        .position(|line| line["message"]["content"] == "Use whatever is there already.")
        .expect("the message was sent");
    assert!(denied < message, "the refusal comes before the message");
}

/// A turn that asks. The pause leaves the time to write a message before.
fn asks_after_a_pause() -> Value {
    let options = json!([{ "label": "Left", "description": "" }, { "label": "Right", "description": "" }]);
    let question =
        json!({ "question": "Which way?", "header": "Way", "multiSelect": false, "options": options });
    json!([{ "sleep_ms": 3000 }, { "ask": { "questions": [question] } }, { "say": { "text": "Thank you." } }])
}

#[tokio::test]
async fn case_35_a_queued_message_leaves_the_question_open_and_is_sent_after_it() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let first = asks_after_a_pause();
    let file = app.scenario("works", json!([first, [{ "say": { "text": "And that too." } }]]));
    let session = app.show_demo(&file, "Queue").await;
    app.in_state(&session, "working").await;
    app.find("[data-composer]").await.send_keys("Then the tests.\u{e007}").await.unwrap();
    app.shows_text("[data-session-view]", "Then the tests.").await;
    app.find(OPEN_CARD).await;
    app.answer("Right").await;
    app.shows_text("main", "And that too.").await;
    let received = app.received();
    let answered = received.iter().position(|line| line["type"] == "control_response").unwrap();
    let message = received.iter().position(|line| line["message"]["content"] == "Then the tests.").unwrap();
    assert!(answered < message, "the message waits for the answer");
    assert_eq!(app.responses()[0]["updatedInput"]["answers"], json!({ "Which way?": "Right" }));
}

#[tokio::test]
async fn case_104_a_message_begun_before_a_question_came_is_queued_and_closes_nothing() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let first = asks_after_a_pause();
    let file = app.scenario("comes", json!([first, [{ "say": { "text": "And that too." } }]]));
    let session = app.show_demo(&file, "Come").await;
    app.in_state(&session, "working").await;
    let composer = app.find("[data-composer]").await;
    app.press(&composer).await;
    composer.send_keys("Then the tests.").await.unwrap();
    app.find(OPEN_CARD).await;
    app.key_now("Enter").await;
    app.find("[data-queued]").await;
    app.find(OPEN_CARD).await;
    assert!(app.received().iter().all(|line| line["type"] != "control_response"));
    app.answer("Right").await;
    app.shows_text("main", "And that too.").await;
    assert_eq!(app.responses()[0]["updatedInput"]["answers"], json!({ "Which way?": "Right" }));
}
