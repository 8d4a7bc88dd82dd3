//! The global shortcut opens a question from another program. Once it is answered, the focus returns to that program.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt, CreateWindowAux, EventMask, GrabMode, ModMask, PropMode, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::desktop::{WINDOW, activate, active_window, xdotool};
use crate::harness::{App, Setup};

const KEYS: &str = "ctrl+alt+j";
const SET: &str = "[window]\nglobal_shortcut = \"Ctrl+Alt+J\"\n";

/// A window of another program that receives keys.
struct OtherWindow {
    x11: RustConnection,
    window: u32,
}

impl OtherWindow {
    async fn open(app: &App) -> Self {
        let (x11, screen) = RustConnection::connect(None).unwrap();
        let screen = &x11.setup().roots[screen];
        let (root, visual, window) = (screen.root, screen.root_visual, x11.generate_id().unwrap());
        let keys =
            CreateWindowAux::new().event_mask(EventMask::KEY_PRESS).background_pixel(screen.white_pixel);
        x11.create_window(0, window, root, 40, 40, 300, 200, 0, WindowClass::INPUT_OUTPUT, visual, &keys)
            .unwrap();
        x11.change_property8(PropMode::REPLACE, window, AtomEnum::WM_NAME, AtomEnum::STRING, b"An editor")
            .unwrap();
        x11.map_window(window).unwrap();
        x11.sync().unwrap();
        let it = Self { x11, window };
        it.focus(app).await;
        it
    }

    fn has_focus(&self) -> bool {
        xdotool(&["getactivewindow"]) == self.window.to_string()
    }

    async fn focus(&self, app: &App) {
        app.wait("the focus in the other window", async || {
            xdotool(&["windowactivate", &self.window.to_string()]);
            tokio::time::sleep(Duration::from_millis(100)).await;
            self.has_focus().then_some(())
        })
        .await;
    }

    /// Waits until it has the focus and receives keys.
    async fn is_back(&self, app: &App) {
        app.wait("the focus to go back", async || self.has_focus().then_some(())).await;
        self.receives(app, &["type", "abc"]).await;
    }

    /// Presses keys, and waits until it has received three, modifiers included.
    async fn receives(&self, app: &App, keys: &[&str]) {
        self.typed();
        xdotool(keys);
        let mut typed = 0;
        app.wait("what is typed", async || {
            typed += self.typed();
            (typed == 3).then_some(())
        })
        .await;
    }

    /// Counts the keys since the last call.
    fn typed(&self) -> usize {
        let events = std::iter::from_fn(|| self.x11.poll_for_event().unwrap());
        events.filter(|event| matches!(event, Event::KeyPress(_))).count()
    }
}

/// Opens the app with a shortcut, and another window that has the focus.
async fn open_with_shortcut(data: &Path) -> (App, OtherWindow) {
    fs::write(data.join("settings.toml"), SET).unwrap();
    let app = Setup::default().data(data).open().await;
    let other = OtherWindow::open(&app).await;
    (app, other)
}

/// Shows an idle session and asks in another one, which it returns.
async fn asks(app: &App) -> String {
    app.show_idle_session().await;
    let asker = app.start_demo("technology", "Asks").await;
    app.in_state(&asker, "needs_you").await;
    asker
}

/// Presses the shortcut, and waits for the question.
async fn press_keys(app: &App, asker: &str) {
    press_until_in_front(app).await;
    app.shows_question(asker).await;
}

/// Presses the shortcut until the window is in front, because the app may not listen yet.
async fn press_until_in_front(app: &App) {
    app.wait("the window to come up", async || {
        xdotool(&["key", KEYS]);
        // The window manager takes a moment.
        tokio::time::sleep(Duration::from_millis(400)).await;
        active_window().ends_with("Askdesk").then_some(())
    })
    .await;
}

/// Checks that the window keeps the focus. No event tells that nothing asked the window manager for it, so this takes a second.
async fn keeps_focus(app: &App, session: &str) {
    app.catch_up(session).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(active_window().ends_with("Askdesk"), "{}", active_window());
}

#[tokio::test]
async fn the_shortcut_opens_the_oldest_question_and_its_answer_returns_the_focus() {
    let data = TempDir::new().unwrap();
    let (app, other) = open_with_shortcut(data.path()).await;
    let asker = asks(&app).await;
    let later = app.start_demo("technology", "Asks later").await;
    app.in_state(&later, "needs_you").await;
    other.focus(&app).await;
    press_keys(&app, &asker).await;
    assert_eq!(app.responses().len(), 1, "opening it answers nothing");

    // A digit chooses, and Enter sends at once.
    app.armed().await;
    xdotool(&["key", "2"]);
    app.find("[data-held]").await;
    app.armed().await;
    xdotool(&["key", "Return"]);
    other.is_back(&app).await;
    assert_eq!(app.wait_for_responses(2).await.len(), 2);

    // The focus returns only after the undo window.
    press_keys(&app, &later).await;
    app.armed().await;
    xdotool(&["key", "1"]);
    app.find("[data-held]").await;
    keeps_focus(&app, &later).await;
    assert_eq!(app.responses().len(), 2);
    other.is_back(&app).await;
    assert_eq!(app.wait_for_responses(3).await.len(), 3);
}

#[tokio::test]
async fn the_focus_stays_in_the_window_after_something_else_was_done_there() {
    let data = TempDir::new().unwrap();
    let (app, other) = open_with_shortcut(data.path()).await;
    let asker = asks(&app).await;
    other.focus(&app).await;
    press_keys(&app, &asker).await;
    other.typed();
    let composer = app.find("main textarea").await;
    app.press(&composer).await;
    xdotool(&["type", "hm"]);
    app.wait("the words", async || {
        (composer.prop("value").await.ok().flatten().as_deref() == Some("hm")).then_some(())
    })
    .await;
    app.answer("PostgreSQL").await;
    app.wait_for_responses(2).await;
    keeps_focus(&app, &asker).await;
    assert_eq!(other.typed(), 0);
}

#[tokio::test]
async fn without_an_open_question_the_shortcut_raises_the_window_unchanged() {
    let data = TempDir::new().unwrap();
    let (app, other) = open_with_shortcut(data.path()).await;
    let shown = app.show_demo("prefilled", "In view").await;
    other.focus(&app).await;
    let window = xdotool(&["search", "--name", WINDOW]);
    xdotool(&["windowminimize", &window]);
    press_until_in_front(&app).await;
    app.find(&format!("[data-session-view='{shown}']")).await;
}

#[tokio::test]
async fn the_shortcut_is_recorded_and_cleared_in_the_settings() {
    let data = TempDir::new().unwrap();
    let app = Setup::default().pictured().data(data.path()).open().await;
    let file = data.path().join("settings.toml");
    let set = async |keys: &str| {
        let line = format!("global_shortcut = \"{keys}\"");
        app.wait(keys, async || fs::read_to_string(&file).ok()?.contains(&line).then_some(())).await;
    };
    activate(WINDOW);
    app.click("button", "Settings").await;
    app.show_category("Window").await;
    app.click("button", "Record shortcut").await;
    // Esc ends the recording, not the settings. A key without a modifier is refused.
    xdotool(&["key", "k"]);
    app.shows_text("[aria-labelledby=setting-global_shortcut-name]", "Add Ctrl, Alt, or Super").await;
    xdotool(&["key", "Escape"]);
    app.by_role_in("dialog[open]", "button", "Record shortcut").await;
    assert!(!file.exists());

    app.click("button", "Record shortcut").await;
    xdotool(&["key", "super+alt+k"]);
    set("Alt+Super+K").await;
    app.click("button", "Alt+Super+K").await;
    xdotool(&["key", KEYS]);
    set("Ctrl+Alt+J").await;
    assert!(!app.shows("#setting-global_shortcut-unmet").await);
    assert_eq!(app.axe().await, Vec::<String>::new());
    let row = "document.querySelector('[aria-labelledby=setting-global_shortcut-name]')";
    app.script(&format!("{row}.scrollIntoView({{ block: 'center' }})"), vec![]).await;
    app.picture("settings-shortcut").await;
    app.click("button", "Clear").await;
    set("off").await;
    app.by_role_in("dialog[open]", "button", "Record shortcut").await;

    // The shortcut is free again.
    let other = OtherWindow::open(&app).await;
    other.receives(&app, &["key", KEYS]).await;
    assert!(other.has_focus());
}

#[tokio::test]
async fn a_shortcut_that_another_program_has_is_reported_until_it_is_free() {
    let (x11, screen) = RustConnection::connect(None).unwrap();
    let root = x11.setup().roots[screen].root;
    let setup = x11.setup();
    let (first, count) = (setup.min_keycode, setup.max_keycode - setup.min_keycode + 1);
    let map = x11.get_keyboard_mapping(first, count).unwrap().reply().unwrap();
    let at =
        map.keysyms.chunks(map.keysyms_per_keycode.into()).position(|keys| keys.contains(&u32::from(b'j')));
    let key = first + u8::try_from(at.unwrap()).unwrap();
    let held = ModMask::CONTROL | ModMask::M1;

    let app = App::open().await;
    x11.grab_key(false, root, held, key, GrabMode::ASYNC, GrabMode::ASYNC).unwrap().check().unwrap();
    app.click("button", "Settings").await;
    app.show_category("Window").await;
    app.click("button", "Use Ctrl+Alt+J").await;
    let unmet = "#setting-global_shortcut-unmet";
    app.shows_text(unmet, "already uses this shortcut").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    x11.ungrab_key(key, root, held).unwrap().check().unwrap();
    app.click("button", "Close").await;
    app.click("button", "Settings").await;
    app.show_category("Window").await;
    app.gone(unmet).await;
    app.click("button", "Close").await;
    let other = OtherWindow::open(&app).await;
    xdotool(&["key", KEYS]);
    app.wait("the window to come up", async || (!other.has_focus()).then_some(())).await;
}

#[tokio::test]
async fn under_wayland_the_settings_say_that_the_shortcut_does_not_work() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("settings.toml"), SET).unwrap();
    let app = Setup::default().data(data.path()).env("XDG_SESSION_TYPE", "wayland").open().await;
    app.click("button", "Settings").await;
    app.show_category("Window").await;
    app.shows_text("#setting-global_shortcut-unmet", "don’t work on Wayland").await;
    let other = OtherWindow::open(&app).await;
    other.receives(&app, &["key", KEYS]).await;
    assert!(other.has_focus());
    let read = app.invoke("read_settings", json!({})).await.unwrap();
    assert_eq!(read["settings"]["globalShortcut"], "Ctrl+Alt+J", "the setting is kept");
}
