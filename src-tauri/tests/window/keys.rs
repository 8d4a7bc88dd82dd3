//! The panel's keys, pressed in the real window.

use serde_json::json;

use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::{App, OPEN_CARD, Setup};
use crate::typing::{composed, type_keys};

async fn press(app: &App, keys: &[&str]) {
    for key in keys {
        app.key(key).await;
    }
}

/// Focuses the question, as a click on its text does.
async fn focus_question(app: &App) {
    let text = app.find(&format!("{OPEN_CARD} legend .text")).await;
    app.press(&text).await;
}

#[tokio::test]
async fn case_17_keys_stay_in_their_field_when_a_question_arrives() {
    let app = App::open().await;
    let options =
        json!([{ "label": "Yes", "description": "Do it" }, { "label": "No", "description": "Leave it" }]);
    let really =
        json!({ "question": "Really?", "header": "Really?", "multiSelect": false, "options": options });
    let turns = json!([[{ "say": { "text": "Hello." } }],
        [app.until_released("typed"), { "ask": { "questions": [really] } }]]);
    let session = app.show_demo(&app.scenario("asks-later", turns), "Notes").await;
    app.in_state(&session, "idle").await;
    let composer = app.find("[data-composer]").await;
    app.press(&composer).await;
    press(&app, &["g", "o", "Enter"]).await;
    let written = async || composer.prop("value").await.unwrap().unwrap();
    app.wait("the message to go", async || written().await.is_empty().then_some(())).await;
    press(&app, &["1", "2"]).await;
    app.release("typed");
    app.find(OPEN_CARD).await;
    press(&app, &["1", "n", "u", "/", "2"]).await;
    app.wait("all that was typed", async || (written().await == "121nu/2").then_some(())).await;
    let focused = "return document.activeElement.matches('[data-composer]')";
    assert_eq!(app.script(focused, vec![]).await, true);
    assert_eq!(app.count("aside fieldset input:checked").await, 0);
    assert!(!app.shows("aside [data-held]").await);
}

const PALETTE: &str = "dialog.palette[open]";

/// Opens the palette, types a name and runs the chosen entry.
pub async fn run_from_palette(app: &App, name: &str) {
    press(app, &["Ctrl+k"]).await;
    let field = app.find(&format!("{PALETTE} input")).await;
    field.send_keys(name).await.unwrap();
    app.shows_text(&format!("{PALETTE} [role=option][aria-selected=true]"), name).await;
    press(app, &["Enter"]).await;
    app.gone(PALETTE).await;
}

#[tokio::test]
async fn case_127_esc_closes_what_was_opened_last_and_does_nothing_else() {
    let (app, session) = Setup::default().open_asked("technology").await;
    app.change_setting("quick_answer", "off").await;
    let escape = || xdotool(&["key", "Escape"]);
    activate(WINDOW);

    // A list over a search: only the list closes, then the search.
    press(&app, &["Ctrl+f"]).await;
    app.find("[data-find]").await;
    press(&app, &["Ctrl+k"]).await;
    app.find(PALETTE).await;
    escape();
    app.gone(PALETTE).await;
    assert!(app.shows("[data-find]").await);
    escape();
    app.gone("[data-find]").await;

    // An empty search field of a dialog.
    press(&app, &["Ctrl+,"]).await;
    app.press(&app.find("dialog.settings input[type=search]").await).await;
    escape();
    app.gone("dialog.settings[open]").await;

    // A list of commands over a message: the message stays.
    type_keys(&app, "/").await;
    let list = "[data-completion] [role=option]";
    app.find(list).await;
    escape();
    app.gone(list).await;
    composed(&app, "/").await;

    // A menu, and a name that is being changed.
    app.press(&app.find("header [aria-haspopup=menu]").await).await;
    app.find("[role=menu]").await;
    escape();
    app.gone("[role=menu]").await;
    press(&app, &["Ctrl+1"]).await;
    run_from_palette(&app, "Rename").await;
    app.find("[data-rename]").await;
    escape();
    app.gone("[data-rename]").await;

    // The message of a skip: its text is there again when it is opened again.
    let skip = "aside [role=group] textarea";
    focus_question(&app).await;
    app.click("button", "More ways to skip").await;
    app.click("menuitem", "Skip with message…").await;
    app.find(skip).await;
    activate(WINDOW);
    xdotool(&["type", "--delay", "15", "too early"]);
    app.wait("the text", async || {
        (app.find(skip).await.prop("value").await.ok()?.as_deref() == Some("too early")).then_some(())
    })
    .await;
    escape();
    app.gone(skip).await;
    assert!(app.shows(OPEN_CARD).await, "the panel stays open");
    app.click("button", "More ways to skip").await;
    app.click("menuitem", "Skip with message…").await;
    app.wait("the text again", async || {
        (app.find(skip).await.prop("value").await.ok()?.as_deref() == Some("too early")).then_some(())
    })
    .await;
    escape();
    app.gone(skip).await;
    app.check_unanswered(&session, 0).await;
}
