//! How questions end, and what the agent receives.

use serde_json::json;

use crate::harness::{App, DELIVERED, Setup};

const MISSED: &str = "aside details[data-missed]";

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
