//! What was begun comes back: after a reload, another session, a restart, and a kill.

use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use serde_json::json;

use crate::harness::{App, Setup};

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

async fn until_on_disk(app: &App, data: &Path, text: &str) {
    app.wait(&format!("{text:?} on disk"), async || on_disk(data, text).then_some(())).await;
}

async fn open(data: &Path, example: &str) -> (App, String) {
    let app = Setup::default().data(data).open().await;
    let session = app.start_demo(example, "Notes").await;
    app.select(&session).await;
    app.find(&format!("{CARD}[data-state=open]")).await;
    (app, session)
}

async fn value(element: &Element) -> String {
    element.prop("value").await.unwrap().unwrap_or_default()
}

async fn begin(app: &App) {
    app.by_role("textbox", "Your own words").await.send_keys("a graph store").await.unwrap();
    app.click("button", "Add a note").await;
    app.by_role("textbox", "Note").await.send_keys("or a heap").await.unwrap();
    app.click("button", "Next").await;
    app.find("aside fieldset[data-question=q2]").await;
}

async fn check_begun(app: &App) {
    app.find("aside fieldset[data-question=q2]").await;
    app.click("button", "Back").await;
    assert_eq!(value(&app.by_role("textbox", "Your own words").await).await, "a graph store");
    assert_eq!(value(&app.by_role("textbox", "Note").await).await, "or a heap");
    app.click("button", "Next").await;
    app.find("aside fieldset[data-question=q2]").await;
}

#[tokio::test]
async fn case_28_question_choices_words_and_place_return_after_a_reload_another_session_and_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let (app, first) = open(data.path(), "four").await;
    begin(&app).await;
    let second = app.start_demo("technology", "Second").await;
    app.select(&second).await;
    app.click("radio", "PostgreSQL").await;
    app.select(&first).await;
    check_begun(&app).await;
    app.client.refresh().await.unwrap();
    app.select(&first).await;
    check_begun(&app).await;
    app.select(&second).await;
    let chosen = app.by_role("radio", "PostgreSQL").await;
    assert!(chosen.is_selected().await.unwrap());
    app.close().await;

    let app = Setup::default().data(data.path()).open().await;
    app.select(&first).await;
    app.shows_text(MISSED, "Askdesk was closed").await;
    check_begun(&app).await;
    app.by_role_in("aside", "button", "Copy what you have begun").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.close().await;
}

#[tokio::test]
async fn case_28_the_app_is_killed_and_what_was_typed_half_a_second_before_stands_with_the_missed_question() {
    let data = tempfile::tempdir().unwrap();
    let (app, first) = open(data.path(), "technology").await;
    let words = app.by_role("textbox", "Your own words").await;
    words.send_keys("do not lose th").await.unwrap();
    words.send_keys("is").await.unwrap();
    tokio::time::sleep(TO_DISK + Duration::from_millis(200)).await;
    // Nothing is asked to end: the whole group is killed.
    drop(app);

    let app = Setup::default().data(data.path()).open().await;
    app.select(&first).await;
    let words = app.by_role_in(MISSED, "textbox", "Your own words").await;
    assert_eq!(value(&words).await, "do not lose this");
    app.by_role_in(MISSED, "button", "Copy what you have begun").await;
    assert!(app.responses().is_empty(), "nothing was sent");
    // It is sent once the session goes on, and then there is no draft any more.
    app.click("button", "Send when resumed").await;
    app.gone(MISSED).await;
    app.client.refresh().await.unwrap();
    app.select(&first).await;
    app.shows_text("aside", "do not lose this").await;
    let left = app.invoke("read_drafts", json!({})).await.unwrap();
    assert_eq!(left, json!({ "drafts": [] }));
    app.close().await;
}

#[tokio::test]
async fn a_change_is_on_disk_within_300_ms_and_at_once_when_the_page_goes() {
    let data = tempfile::tempdir().unwrap();
    let (app, first) = open(data.path(), "technology").await;
    let words = app.by_role("textbox", "Your own words").await;
    let mut slowest = Duration::ZERO;
    for n in 0..8 {
        let text = format!("word{n}end");
        words.send_keys(&text).await.unwrap();
        let typed = Instant::now();
        until_on_disk(&app, data.path(), &text).await;
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
    app.script(leave, vec![json!(" and the last")]).await;
    until_on_disk(&app, data.path(), "and the last").await;
    app.select(&first).await;
    let again = app.by_role("textbox", "Your own words").await;
    app.wait("the last words", async || value(&again).await.ends_with("and the last").then_some(())).await;
    app.close().await;
}

#[tokio::test]
async fn an_edited_plan_comes_back() {
    let data = tempfile::tempdir().unwrap();
    let app = Setup::default().data(data.path()).open().await;
    let session = app.start_demo("plan", "Notes").await;
    app.select(&session).await;
    app.click("button", "Edit").await;
    let plan = app.find("aside [data-approval] textarea").await;
    plan.send_keys("\n9. Wait for me").await.unwrap();
    until_on_disk(&app, data.path(), "9. Wait for me").await;
    app.client.refresh().await.unwrap();
    app.select(&session).await;
    let plan = app.find("aside [data-approval] textarea").await;
    assert!(value(&plan).await.contains("9. Wait for me"));
    app.close().await;
}
