//! Nothing under the pointer moves by itself, and what the user opens grows away from where they pressed.

use std::time::Duration;

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::desktop::{WINDOW, activate, descendants, press_close, xdotool};
use crate::harness::{App, OPEN_CARD, Setup, wait_until};

/// The place of what matches, rounded to pixels.
async fn place(app: &App, css: &str) -> Value {
    let script = "const box = document.querySelector(arguments[0])?.getBoundingClientRect();
        return box ? [Math.round(box.left), Math.round(box.top)] : null";
    app.script(script, vec![json!(css)]).await
}

/// The innermost element under the pointer, its text, and its place.
async fn under_pointer(app: &App) -> Value {
    let script = "const [element] = [...document.querySelectorAll(':hover')].reverse();
        const { left, top } = element.getBoundingClientRect();
        return { text: element.textContent.slice(0, 80), left: Math.round(left), top: Math.round(top) }";
    app.script(script, vec![]).await
}

/// Waits until the page has been the same for a moment.
async fn at_rest(app: &App) {
    let shown = "return document.body.innerHTML.length";
    let mut before = Value::Null;
    app.wait("a page at rest", async || {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let now = app.script(shown, vec![]).await;
        let rests = now == before;
        before = now;
        rests.then_some(())
    })
    .await;
}

/// Scrolls up as a wheel does, and lets the pointer rest on an entry of the transcript.
async fn read_further_up(app: &App) {
    let view = app.find("[data-transcript]").await;
    app.point_at(&view).await;
    // The wheel turns where the pointer of the system is.
    let script =
        "const { x, y, width, height } = document.querySelector('[data-transcript]').getBoundingClientRect();
        return [screenX + x + width / 2, screenY + y + height / 2].map(at => String(Math.round(at)))";
    let at = app.script(script, vec![]).await;
    xdotool(&["mousemove", at[0].as_str().unwrap(), at[1].as_str().unwrap()]);
    for _ in 0..4 {
        xdotool(&["click", "4"]);
    }
    app.wait("a transcript that is read further up", async || {
        let followed =
            app.client.find(Locator::XPath("//button[contains(., 'Jump to latest')]")).await.ok()?;
        followed.is_displayed().await.ok()?.then_some(())
    })
    .await;
    at_rest(app).await;
}

/// A long text, then a question once it is released.
fn turns(released: &Value) -> Value {
    let line = json!({ "say": { "text": "Line {n}: a line of text as agents write it, long enough to be broken where there is less room for it." } });
    let store = json!({ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] });
    json!([[{ "repeat": { "times": 60, "steps": [line] } }, released, { "ask": { "questions": [store] } }]])
}

#[tokio::test]
async fn case_128_what_is_under_the_pointer_stays_when_a_question_arrives_or_a_session_needs_somebody() {
    let app = Setup::default().pictured().open().await;
    for width in [1440, 1000] {
        app.resize(width, 900).await;
        activate(WINDOW);
        let release = format!("read-at-{width}");
        let scenario = app.scenario("later", turns(&app.until_released(&release)));
        let session = app.show_demo(&scenario, "Later").await;
        app.shows_text("[data-transcript]", "Line 60").await;
        read_further_up(&app).await;
        let before = under_pointer(&app).await;
        app.release(&release);
        app.find(OPEN_CARD).await;
        app.armed().await;
        assert_eq!(under_pointer(&app).await, before, "what is read stays in its place");
        app.picture(&format!("question-arrived-{width}")).await;

        // A row of the sidebar stays under the pointer while other sessions begin to need somebody.
        let row = format!("nav [data-session='{session}']");
        app.point_at(&app.find(&row).await).await;
        let at = place(&app, &row).await;
        for name in ["First", "Second"] {
            let other = app.start_demo("technology", name).await;
            app.in_state(&other, "needs_you").await;
        }
        assert_eq!(place(&app, &row).await, at, "the row stays under the pointer");
        app.select(&session).await;
    }
}

#[tokio::test]
async fn what_is_unfolded_at_the_end_grows_away_from_where_it_was_pressed() {
    let app = Setup::default().open().await;
    let long = vec!["A line of the result."; 60].join("\n");
    let tool = json!({ "tool": { "name": "Bash", "input": { "command": "ls" }, "result": long } });
    let line = json!({ "say": { "text": "Line {n}" } });
    let scenario = app.scenario("unfold", json!([[{ "repeat": { "times": 40, "steps": [line] } }, tool]]));
    let session = app.show_demo(&scenario, "Unfold").await;
    app.in_state(&session, "idle").await;
    at_rest(&app).await;
    let tool = "[data-transcript] summary";
    let before = place(&app, tool).await;
    app.press(&app.find(tool).await).await;
    app.shows_text("[data-transcript]", "A line of the result.").await;
    at_rest(&app).await;
    assert_eq!(place(&app, tool).await, before);
    app.click("button", "Jump to latest").await;
}

#[tokio::test]
async fn the_window_has_exactly_the_size_that_it_was_left_with_after_each_reopening() {
    let data = tempfile::tempdir().unwrap();
    let size = json!([1111, 777]);
    let inner = "return [innerWidth, innerHeight]";
    for n in 0..=3 {
        let app = Setup::default().data(data.path()).open().await;
        if n == 0 {
            // The page can be there before its window is.
            activate(WINDOW);
            xdotool(&["search", "--onlyvisible", "--name", WINDOW, "windowsize", "--sync", "1111", "777"]);
        }
        app.wait(&format!("the size, reopened {n} times"), async || {
            (app.script(inner, vec![]).await == size).then_some(())
        })
        .await;
        app.change_setting("on_close", "quit").await;
        press_close();
        let runs = || descendants(app.root()).iter().any(|name| name.starts_with("askdesk-desktop"));
        wait_until("the end of the app", async || (!runs()).then_some(())).await;
    }
}
