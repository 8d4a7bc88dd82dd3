//! A question that was missed because its agent died: answered late, delivered once when the session is resumed.

use serde_json::Value;

use crate::harness::{Desk, Setup};

const MISSED: &str = "aside details[data-missed]";
const LATE: &str = "This is a late answer.";

/// The messages of late answers that the agents have received.
fn late_messages(desk: &Desk) -> Vec<String> {
    let said = desk.received().into_iter().filter_map(|line| match &line["message"]["content"] {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    said.filter(|text| text.starts_with(LATE)).collect()
}

#[tokio::test]
async fn case_27_and_47_a_missed_question_is_answered_late_and_reaches_the_resumed_agent_once() {
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = desk.start_demo("dies-pending", "Notes").await;
    desk.select(&session).await;
    desk.find("nav [data-session][data-state=failed]").await;
    desk.shows_text(MISSED, "The agent ended").await;
    desk.shows_text("nav [data-session]", "1 missed").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());

    let summary = desk.find(&format!("{MISSED} summary")).await;
    desk.press(&summary).await;
    desk.click("radio", "PostgreSQL").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.click("button", "Send when resumed").await;
    desk.gone(MISSED).await;
    desk.shows_text("aside", "Kept, will be delivered when the session is resumed").await;
    desk.find("main [data-request][data-state=answered][data-delivery=parked]").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    assert!(late_messages(&desk).is_empty(), "nobody is there to be told");

    let resume = desk.by_role_in("aside", "button", "Resume").await;
    desk.press(&resume).await;
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    desk.shows_text("main [data-request]", "Delivered late").await;
    desk.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    let sent = late_messages(&desk);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].contains("Answer: \"PostgreSQL\""), "{sent:?}");
    assert!(desk.responses().is_empty(), "nothing is said to the call of the agent that is gone");
    desk.close().await;
}

#[tokio::test]
async fn case_27_a_missed_question_is_dismissed_and_the_agent_is_not_told() {
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "20").open().await;
    let session = desk.start_demo("dies-pending", "Notes").await;
    desk.select(&session).await;
    let summary = desk.find(&format!("{MISSED} summary")).await;
    desk.press(&summary).await;
    desk.click("button", "Dismiss").await;
    desk.gone(MISSED).await;
    desk.shows_text("main [data-request]", "Cancelled by you").await;
    desk.click("button", "Resume").await;
    desk.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    assert!(late_messages(&desk).is_empty());
    desk.close().await;
}
