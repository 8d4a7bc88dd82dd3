//! A question that was missed because its agent died: answered late, delivered once when the session is resumed.

use serde_json::Value;

use crate::harness::{App, Setup};

const MISSED: &str = "aside details[data-missed]";
const LATE: &str = "This is a late answer.";

/// The messages of late answers that the agents have received.
fn late_messages(app: &App) -> Vec<String> {
    let said = app.received().into_iter().filter_map(|line| match &line["message"]["content"] {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    said.filter(|text| text.starts_with(LATE)).collect()
}

#[tokio::test]
async fn case_27_and_47_a_missed_question_is_answered_late_and_reaches_the_resumed_agent_once() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = app.start_demo("dies-pending", "Notes").await;
    app.select(&session).await;
    app.find("nav [data-session][data-state=failed]").await;
    app.shows_text(MISSED, "The agent ended").await;
    app.shows_text("nav [data-session]", "1 missed").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    let summary = app.find(&format!("{MISSED} summary")).await;
    app.press(&summary).await;
    app.click("radio", "PostgreSQL").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Send when resumed").await;
    app.gone(MISSED).await;
    app.shows_text("aside", "Kept, will be delivered when the session is resumed").await;
    app.find("main [data-request][data-state=answered][data-delivery=parked]").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert!(late_messages(&app).is_empty(), "nobody is there to be told");

    let resume = app.by_role_in("aside", "button", "Resume").await;
    app.press(&resume).await;
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    app.shows_text("main [data-request]", "Delivered late").await;
    app.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    let sent = late_messages(&app);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].contains("Answer: \"PostgreSQL\""), "{sent:?}");
    assert!(app.responses().is_empty(), "nothing is said to the call of the agent that is gone");
    app.close().await;
}

#[tokio::test]
async fn case_27_a_missed_question_is_dismissed_and_the_agent_is_not_told() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = app.start_demo("dies-pending", "Notes").await;
    app.select(&session).await;
    let summary = app.find(&format!("{MISSED} summary")).await;
    app.press(&summary).await;
    app.click("button", "Dismiss").await;
    app.gone(MISSED).await;
    app.shows_text("main [data-request]", "Cancelled by you").await;
    app.click("button", "Resume").await;
    app.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    assert!(late_messages(&app).is_empty());
    app.close().await;
}
