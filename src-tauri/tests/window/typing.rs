//! Typing into the composer with the keys of the keyboard, and what it offers meanwhile.

use serde_json::json;

use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::App;

const COMPOSER: &str = "[data-composer]";
const ROWS: &str = "[data-completion] [role=option]";

pub async fn type_keys(app: &App, text: &str) {
    app.press(&app.find(COMPOSER).await).await;
    activate(WINDOW);
    xdotool(&["type", "--delay", "15", text]);
    composed(app, text).await;
}

/// Waits until the list begins with this row.
pub async fn first_row(app: &App, text: &str) {
    let first = "return document.querySelector(arguments[0])?.textContent ?? ''";
    let what = format!("{text:?} as the first row");
    app.wait(&what, async || {
        app.script(first, vec![json!(ROWS)]).await.as_str()?.contains(text).then_some(())
    })
    .await;
}

pub async fn composed(app: &App, text: &str) {
    let value = "return document.querySelector(arguments[0]).value";
    app.wait(text, async || (app.script(value, vec![json!(COMPOSER)]).await == text).then_some(())).await;
}

pub fn press(key: &str) {
    xdotool(&["key", key]);
}
