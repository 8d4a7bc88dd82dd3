//! What was begun comes back: after a reload, another session, a restart, and a kill.

use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use serde_json::json;

use crate::harness::{Desk, Setup};

const CARD: &str = "aside [data-request]";
const MISSED: &str = "aside details[data-missed]";

/// The longest a change may take to the disk.
const TO_DISK: Duration = Duration::from_millis(300);

/// Whether a text stands in the database or in its log.
fn on_disk(data: &Path, text: &str) -> bool {
    ["desk.db", "desk.db-wal"].iter().any(|name| {
        let bytes = std::fs::read(data.join(name)).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

async fn until_on_disk(desk: &Desk, data: &Path, text: &str) {
    desk.wait(&format!("{text:?} on disk"), async || on_disk(data, text).then_some(())).await;
}

async fn open(data: &Path, example: &str) -> (Desk, String) {
    let desk = Setup::default().data(data).open().await;
    let session = desk.start_demo(example, "Notes").await;
    desk.select(&session).await;
    desk.find(&format!("{CARD}[data-state=open]")).await;
    (desk, session)
}

async fn value(element: &Element) -> String {
    element.prop("value").await.unwrap().unwrap_or_default()
}

async fn begin(desk: &Desk) {
    desk.by_role("textbox", "Your own words").await.send_keys("a graph store").await.unwrap();
    desk.click("button", "Add a note").await;
    desk.by_role("textbox", "Note").await.send_keys("or a heap").await.unwrap();
    desk.click("button", "Next").await;
    desk.find("aside fieldset[data-question=q2]").await;
}

async fn check_begun(desk: &Desk) {
    desk.find("aside fieldset[data-question=q2]").await;
    desk.click("button", "Back").await;
    assert_eq!(value(&desk.by_role("textbox", "Your own words").await).await, "a graph store");
    assert_eq!(value(&desk.by_role("textbox", "Note").await).await, "or a heap");
    desk.click("button", "Next").await;
    desk.find("aside fieldset[data-question=q2]").await;
}

#[tokio::test]
async fn case_28_question_choices_words_and_place_return_after_a_reload_another_session_and_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let (desk, first) = open(data.path(), "four").await;
    begin(&desk).await;
    let second = desk.start_demo("technology", "Second").await;
    desk.select(&second).await;
    desk.click("radio", "PostgreSQL").await;
    desk.select(&first).await;
    check_begun(&desk).await;
    desk.client.refresh().await.unwrap();
    desk.select(&first).await;
    check_begun(&desk).await;
    desk.select(&second).await;
    let chosen = desk.by_role("radio", "PostgreSQL").await;
    assert!(chosen.is_selected().await.unwrap());
    desk.close().await;

    let desk = Setup::default().data(data.path()).open().await;
    desk.select(&first).await;
    desk.shows_text(MISSED, "Askdesk was closed").await;
    check_begun(&desk).await;
    desk.by_role_in("aside", "button", "Copy what you have begun").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.close().await;
}

#[tokio::test]
async fn case_28_the_app_is_killed_and_what_was_typed_half_a_second_before_stands_with_the_missed_question() {
    let data = tempfile::tempdir().unwrap();
    let (desk, first) = open(data.path(), "technology").await;
    let words = desk.by_role("textbox", "Your own words").await;
    words.send_keys("do not lose th").await.unwrap();
    words.send_keys("is").await.unwrap();
    tokio::time::sleep(TO_DISK + Duration::from_millis(200)).await;
    // Nothing is asked to end: the whole group is killed.
    drop(desk);

    let desk = Setup::default().data(data.path()).open().await;
    desk.select(&first).await;
    let words = desk.by_role_in(MISSED, "textbox", "Your own words").await;
    assert_eq!(value(&words).await, "do not lose this");
    desk.by_role_in(MISSED, "button", "Copy what you have begun").await;
    assert!(desk.responses().is_empty(), "nothing was sent");
    // It is sent once the session goes on, and then there is no draft any more.
    desk.click("button", "Send when resumed").await;
    desk.gone(MISSED).await;
    desk.client.refresh().await.unwrap();
    desk.select(&first).await;
    desk.shows_text("aside", "do not lose this").await;
    let left = desk.invoke("read_drafts", json!({})).await.unwrap();
    assert_eq!(left, json!({ "drafts": [] }));
    desk.close().await;
}

#[tokio::test]
async fn a_change_is_on_disk_within_300_ms_and_at_once_when_the_page_goes() {
    let data = tempfile::tempdir().unwrap();
    let (desk, first) = open(data.path(), "technology").await;
    let words = desk.by_role("textbox", "Your own words").await;
    let mut slowest = Duration::ZERO;
    for n in 0..8 {
        let text = format!("word{n}end");
        words.send_keys(&text).await.unwrap();
        let typed = Instant::now();
        until_on_disk(&desk, data.path(), &text).await;
        slowest = slowest.max(typed.elapsed());
    }
    println!("the slowest change was on disk after {slowest:?}");
    assert!(slowest < TO_DISK, "{slowest:?}");
    // By a script, because the driver takes its time between two commands.
    let leave = "const [text] = arguments;
        const field = document.activeElement;
        field.setRangeText(text, field.value.length, field.value.length, 'end');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        location.reload();";
    desk.script(leave, vec![json!(" and the last")]).await;
    until_on_disk(&desk, data.path(), "and the last").await;
    desk.select(&first).await;
    let again = desk.by_role("textbox", "Your own words").await;
    desk.wait("the last words", async || value(&again).await.ends_with("and the last").then_some(())).await;
    desk.close().await;
}

#[tokio::test]
async fn an_edited_plan_comes_back() {
    let data = tempfile::tempdir().unwrap();
    let desk = Setup::default().data(data.path()).open().await;
    let session = desk.start_demo("plan", "Notes").await;
    desk.select(&session).await;
    desk.click("button", "Edit").await;
    let plan = desk.find("aside [data-approval] textarea").await;
    plan.send_keys("\n9. Wait for me").await.unwrap();
    until_on_disk(&desk, data.path(), "9. Wait for me").await;
    desk.client.refresh().await.unwrap();
    desk.select(&session).await;
    let plan = desk.find("aside [data-approval] textarea").await;
    assert!(value(&plan).await.contains("9. Wait for me"));
    desk.close().await;
}
