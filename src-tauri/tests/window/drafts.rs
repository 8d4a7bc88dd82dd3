//! Drafts survive a reload, another session, a restart and a crash.

use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use serde_json::json;

use crate::harness::{App, Setup};

const MISSED: &str = "aside details[data-missed]";

/// The longest time until a change is on disk.
const TO_DISK: Duration = Duration::from_millis(300);

/// Returns whether the database or its log contains a text.
pub fn is_on_disk(data: &Path, text: &str) -> bool {
    ["desk.db", "desk.db-wal"].iter().any(|name| {
        let bytes = std::fs::read(data.join(name)).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

pub async fn until_on_disk(app: &App, data: &Path, text: &str) {
    app.wait(&format!("{text:?} on disk"), async || is_on_disk(data, text).then_some(())).await;
}

async fn value(element: &Element) -> String {
    element.prop("value").await.unwrap().unwrap_or_default()
}

async fn write_draft(app: &App) {
    app.write("Your own answer", "a graph store").await;
    app.click("button", "Add note").await;
    app.write("Note", "or a heap").await;
    app.click("button", "Next").await;
    app.find("aside fieldset[data-question=q2]").await;
}

async fn check_draft(app: &App) {
    app.find("aside fieldset[data-question=q2]").await;
    app.click("button", "Back").await;
    assert_eq!(value(&app.by_role("textbox", "Your own answer").await).await, "a graph store");
    assert_eq!(value(&app.by_role("textbox", "Note").await).await, "or a heap");
    app.click("button", "Next").await;
    app.find("aside fieldset[data-question=q2]").await;
}

#[tokio::test]
async fn case_28_drafts_and_the_shown_question_survive_a_reload_another_session_and_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let (app, first) = Setup::default().data(data.path()).open_asked("four").await;
    write_draft(&app).await;
    let second = app.show_demo("technology", "Second").await;
    app.click("radio", "PostgreSQL").await;
    app.select(&first).await;
    check_draft(&app).await;
    app.client.refresh().await.unwrap();
    app.select(&first).await;
    check_draft(&app).await;
    app.select(&second).await;
    let chosen = app.by_role("radio", "PostgreSQL").await;
    assert!(chosen.is_selected().await.unwrap());
    app.close().await;

    let app = Setup::default().data(data.path()).open().await;
    app.select(&first).await;
    app.shows_text(MISSED, "Askdesk quit").await;
    check_draft(&app).await;
    app.by_role_in("aside", "button", "Copy draft").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
}

#[tokio::test]
async fn case_28_text_typed_before_a_crash_is_kept_with_the_missed_question() {
    let data = tempfile::tempdir().unwrap();
    let (app, first) = Setup::default().data(data.path()).open_asked("technology").await;
    let words = app.by_role("textbox", "Your own answer").await;
    words.send_keys("do not lose th").await.unwrap();
    words.send_keys("is").await.unwrap();
    until_on_disk(&app, data.path(), "do not lose this").await;
    // Kills the whole process group.
    drop(app);

    let app = Setup::default().data(data.path()).open().await;
    app.select(&first).await;
    let words = app.by_role_in(MISSED, "textbox", "Your own answer").await;
    assert_eq!(value(&words).await, "do not lose this");
    app.by_role_in(MISSED, "button", "Copy draft").await;
    assert!(app.responses().is_empty(), "nothing was sent");
    // A sent answer leaves no draft.
    app.click("button", "Send on resume").await;
    app.gone(MISSED).await;
    app.client.refresh().await.unwrap();
    app.select(&first).await;
    app.shows_text("aside", "do not lose this").await;
    let left = app.invoke("read_drafts", json!({})).await.unwrap();
    assert_eq!(left, json!({ "drafts": [] }));
}

#[tokio::test]
async fn a_change_is_on_disk_within_300_ms_and_at_once_when_the_page_closes() {
    let data = tempfile::tempdir().unwrap();
    let (app, first) = Setup::default().data(data.path()).open_asked("technology").await;
    let words = app.by_role("textbox", "Your own answer").await;
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
    // In a script, because WebDriver is slow between two commands.
    let leave = "const [text] = arguments;
        const field = document.activeElement;
        field.setRangeText(text, field.value.length, field.value.length, 'end');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        location.reload();";
    app.script(leave, vec![json!(" and the last")]).await;
    until_on_disk(&app, data.path(), "and the last").await;
    app.select(&first).await;
    let again = app.by_role("textbox", "Your own answer").await;
    app.wait("the last words", async || value(&again).await.ends_with("and the last").then_some(())).await;
}
