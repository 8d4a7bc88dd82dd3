//! Closing the window to the tray destroys it with its page. Agents keep running, and the next window restores everything.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::desktop::{
    QUIT_DIALOG, WINDOW, activate, active_window, clear_notifications, click_notification, confirm_quit,
    descendants, is_visible, press_close, visible_windows, windows, xdotool,
};
use crate::fake_tray::Tray;
use crate::harness::{App, Setup};

const OTHER: &str = "aside [data-request] fieldset textarea";
const COMPOSER: &str = "[data-composer]";

/// Returns the position and the size of the window.
fn geometry() -> String {
    let window = xdotool(&["search", "--sync", "--onlyvisible", "--name", WINDOW]);
    let geometry = xdotool(&["getwindowgeometry", &window]);
    geometry.lines().skip(1).collect::<Vec<_>>().join(" ")
}

async fn value(app: &App, css: &str) -> Value {
    app.find(css).await;
    app.script("return document.querySelector(arguments[0]).value", vec![json!(css)]).await
}

async fn reopen(app: &App, tray: &Tray) {
    tray.press("Open Askdesk").await;
    app.switch_to_new_window().await;
}

#[tokio::test]
async fn the_next_window_restores_the_last_typed_text_and_what_was_shown() {
    let app = App::open().await;
    let tray = Tray::start().await;
    app.start_demo("prefilled", "Other").await;
    let asker = app.show_demo("technology", "Asks").await;
    let window = xdotool(&["search", "--sync", "--onlyvisible", "--name", WINDOW]);
    xdotool(&["windowsize", "--sync", &window, "1111", "777"]);
    xdotool(&["windowmove", "--sync", &window, "222", "99"]);
    let before = geometry();

    for (css, typed) in [(OTHER, "a graph store"), (COMPOSER, "and then the notes")] {
        activate(WINDOW);
        if css == OTHER {
            app.click("radio", "Other").await;
        }
        let field = app.find(css).await;
        app.press(&field).await;
        // The keys that close it come right behind those of the last words.
        xdotool(&["type", "--delay", "1", typed]);
        xdotool(&["key", "alt+F4"]);
        app.window_destroyed().await;
        reopen(&app, &tray).await;
        app.find(&format!("[data-session-view='{asker}']")).await;
        app.wait(typed, async || (value(&app, css).await == typed).then_some(())).await;
        app.wait("the same position and size", async || (geometry() == before).then_some(())).await;
    }
    assert_eq!(value(&app, OTHER).await, "a graph store");
    assert_eq!(windows(), 1);
}

#[tokio::test]
async fn a_window_with_a_typed_secret_is_only_hidden() {
    let app = App::open().await;
    let tray = Tray::start().await;
    app.show_demo("kinds", "Secret").await;
    app.press(&app.find("aside [data-step=q3]").await).await;
    app.find("aside input[type=password]").await.send_keys("hunter2").await.unwrap();
    press_close();
    app.window_visible(false).await;
    assert_eq!((windows(), app.pages()), (1, 1));
    tray.press("Open Askdesk").await;
    app.window_visible(true).await;
    assert_eq!(value(&app, "aside input[type=password]").await, "hunter2");
}

#[tokio::test]
async fn case_38_a_question_without_a_window_is_notified_and_a_click_opens_one_on_it() {
    let app = App::open().await;
    let _tray = Tray::start().await;
    clear_notifications();
    let options =
        json!([{ "label": "SQLite", "description": "" }, { "label": "PostgreSQL", "description": "" }]);
    let question =
        json!({ "question": "Which store?", "header": "Store", "multiSelect": false, "options": options });
    let turns = json!([[app.until_released("closed"), { "ask": { "questions": [question] } }]]);
    // The session is in view, so there would be no notification if its window still counted.
    let asker = app.show_demo(&app.scenario("asks-later", turns), "Asks later").await;
    app.close_to_tray().await;
    app.release("closed");
    app.notifications(1).await;
    assert_eq!((windows(), app.pages()), (0, 0), "a question opens no window");
    click_notification();
    app.switch_to_new_window().await;
    app.shows_question(&asker).await;
    app.wait("the title", async || (active_window() == "(1) Askdesk").then_some(())).await;
    app.check_unanswered(&asker, 0).await;
    app.answer("SQLite").await;
    assert_eq!(app.wait_for_responses(1).await.len(), 1, "the agent has kept running");
}

#[tokio::test]
async fn closing_and_opening_in_any_rhythm_ends_with_one_window() {
    let home = TempDir::new().unwrap();
    let app = Setup::default().at_home(home.path()).open().await;
    let tray = Tray::start().await;
    let session = app.show_demo("technology", "Asks").await;
    app.click("radio", "PostgreSQL").await;
    for pause in [0, 20, 60, 90, 120, 150, 200, 300, 500] {
        press_close();
        sleep(Duration::from_millis(pause)).await;
        tray.press("Open Askdesk").await;
        tray.press("Open Askdesk").await;
        app.wait("the window", async || (is_visible() && windows() == 1).then_some(())).await;
    }
    app.switch_to_new_window().await;
    app.find(&format!("[data-session-view='{session}']")).await;
    let chosen = app.by_role("radio", "PostgreSQL").await;
    app.wait("the choice", async || chosen.is_selected().await.ok()?.then_some(())).await;

    // It is also destroyed and created again while its page loads. A second window would remain.
    app.script("setTimeout(() => location.reload())", vec![]).await;
    app.close_to_tray().await;
    assert!(app.start_again(&[]).await.success());
    app.switch_to_new_window().await;
    app.find(&format!("[data-session-view='{session}']")).await;
}

#[tokio::test]
async fn quitting_from_the_tray_without_a_window_asks_first() {
    let app = App::open().await;
    let tray = Tray::start().await;
    let session = app.start_demo("technology", "Asks").await;
    app.in_state(&session, "needs_you").await;
    app.close_to_tray().await;
    let dialogs = async |count: usize| {
        app.wait("the dialog", async || (visible_windows(QUIT_DIALOG) == count).then_some(())).await;
    };
    let runs = || descendants(app.root()).iter().any(|name| name.starts_with("askdesk"));
    tray.press("Quit Askdesk").await;
    dialogs(1).await;
    activate(QUIT_DIALOG);
    xdotool(&["key", "Escape"]);
    dialogs(0).await;
    assert!(runs());
    tray.press("Quit Askdesk").await;
    dialogs(1).await;
    confirm_quit();
    dialogs(0).await;
    app.wait("the app to end", async || (!runs()).then_some(())).await;
}
