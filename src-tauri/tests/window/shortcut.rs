//! Keys that are pressed in another program bring up what waits, and the focus goes back there once it is answered.

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

use crate::deep_links::{WINDOW, shows_question, xdotool};
use crate::harness::{App, Setup};

const KEYS: &str = "ctrl+alt+j";
const SET: &str = "[window]\nglobal_shortcut = \"Ctrl+Alt+J\"\n";

/// A window of another program, in which somebody types.
struct Elsewhere {
    x11: RustConnection,
    window: u32,
}

impl Elsewhere {
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

    /// Waits until it has the focus, and what is typed arrives in it.
    async fn is_back(&self, app: &App) {
        app.wait("the focus to go back", async || self.has_focus().then_some(())).await;
        self.hears(app, &["type", "abc"]).await;
    }

    /// Waits until three keys arrive in it, the ones that are held too.
    async fn hears(&self, app: &App, keys: &[&str]) {
        self.typed();
        xdotool(keys);
        let mut typed = 0;
        app.wait("what is typed", async || {
            typed += self.typed();
            (typed == 3).then_some(())
        })
        .await;
    }

    /// Counts what was typed since it was asked last.
    fn typed(&self) -> usize {
        let events = std::iter::from_fn(|| self.x11.poll_for_event().unwrap());
        events.filter(|event| matches!(event, Event::KeyPress(_))).count()
    }
}

/// Opens a desk on which the keys are set, beside a window that has the focus.
async fn desk_with_keys(data: &Path) -> (App, Elsewhere) {
    fs::write(data.join("settings.toml"), SET).unwrap();
    let app = Setup::default().data(data).open().await;
    let elsewhere = Elsewhere::open(&app).await;
    (app, elsewhere)
}

/// Has a session in view and another one ask; returns the one that asks.
async fn asks(app: &App) -> String {
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.wait_for_responses(1).await;
    let asker = app.start_demo("technology", "Asks").await;
    app.find(&format!("nav [data-session='{asker}'][data-state=needs_you]")).await;
    asker
}

/// Presses the keys once the app hears them, until the window is there.
async fn press_keys(app: &App, asker: &str) {
    app.wait("the window to come up", async || {
        xdotool(&["key", KEYS]);
        tokio::time::sleep(Duration::from_millis(400)).await;
        let active = xdotool(&["getactivewindow", "getwindowname"]);
        active.ends_with("Askdesk").then_some(())
    })
    .await;
    shows_question(app, asker).await;
}

async fn stays_here() {
    tokio::time::sleep(Duration::from_secs(1)).await;
    let active = xdotool(&["getactivewindow", "getwindowname"]);
    assert!(active.ends_with("Askdesk"), "{active}");
}

#[tokio::test]
async fn keys_pressed_in_another_window_lead_to_the_oldest_question_and_its_answer_leads_back() {
    let data = TempDir::new().unwrap();
    let (app, elsewhere) = desk_with_keys(data.path()).await;
    let asker = asks(&app).await;
    let later = app.start_demo("technology", "Asks later").await;
    app.find(&format!("nav [data-session='{later}'][data-state=needs_you]")).await;
    elsewhere.focus(&app).await;
    press_keys(&app, &asker).await;
    assert_eq!(app.responses().len(), 1, "coming here answers nothing");

    // A digit chooses, Enter sends at once, and there the person was.
    xdotool(&["key", "2"]);
    app.find("[data-held]").await;
    xdotool(&["key", "Return"]);
    elsewhere.is_back(&app).await;
    assert_eq!(app.wait_for_responses(2).await.len(), 2);

    // The same keys lead to the next one; what can be undone has not happened yet.
    press_keys(&app, &later).await;
    xdotool(&["key", "1"]);
    app.find("[data-held]").await;
    stays_here().await;
    assert_eq!(app.responses().len(), 2);
    elsewhere.is_back(&app).await;
    assert_eq!(app.wait_for_responses(3).await.len(), 3);
    app.close().await;
}

#[tokio::test]
async fn who_did_something_else_in_the_window_meanwhile_keeps_the_focus_there() {
    let data = TempDir::new().unwrap();
    let (app, elsewhere) = desk_with_keys(data.path()).await;
    let asker = asks(&app).await;
    elsewhere.focus(&app).await;
    press_keys(&app, &asker).await;
    elsewhere.typed();
    let composer = app.find("main textarea").await;
    app.press(&composer).await;
    xdotool(&["type", "hm"]);
    app.wait("the words", async || {
        (composer.prop("value").await.ok().flatten().as_deref() == Some("hm")).then_some(())
    })
    .await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    app.wait_for_responses(2).await;
    stays_here().await;
    assert_eq!(elsewhere.typed(), 0);
    app.close().await;
}

#[tokio::test]
async fn with_nothing_waiting_the_keys_bring_up_the_window_as_it_is() {
    let data = TempDir::new().unwrap();
    let (app, elsewhere) = desk_with_keys(data.path()).await;
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    elsewhere.focus(&app).await;
    let window = xdotool(&["search", "--name", WINDOW]);
    xdotool(&["windowminimize", &window]);
    app.wait("the window", async || {
        xdotool(&["key", KEYS]);
        tokio::time::sleep(Duration::from_millis(400)).await;
        (xdotool(&["getactivewindow"]) == window).then_some(())
    })
    .await;
    app.find(&format!("[data-session-view='{shown}']")).await;
    app.close().await;
}

#[tokio::test]
async fn keys_are_recorded_in_the_settings_by_pressing_them_and_cleared_there() {
    let data = TempDir::new().unwrap();
    let app = Setup::default().pictured().data(data.path()).open().await;
    let file = data.path().join("settings.toml");
    let set = async |keys: &str| {
        let line = format!("global_shortcut = \"{keys}\"");
        app.wait(keys, async || fs::read_to_string(&file).ok()?.contains(&line).then_some(())).await;
    };
    xdotool(&["search", "--sync", "--onlyvisible", "--name", WINDOW, "windowactivate", "--sync"]);
    app.click("button", "Settings").await;
    app.click("button", "Record keys").await;
    // Esc leaves the recording and not the settings; a key alone is none.
    xdotool(&["key", "k"]);
    app.shows_text("[aria-labelledby=setting-global_shortcut-name]", "Hold Ctrl, Alt or Super").await;
    xdotool(&["key", "Escape"]);
    app.by_role_in("dialog[open]", "button", "Record keys").await;
    assert!(!file.exists());

    app.click("button", "Record keys").await;
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
    app.by_role_in("dialog[open]", "button", "Record keys").await;

    // Nothing is heard any more.
    let elsewhere = Elsewhere::open(&app).await;
    elsewhere.hears(&app, &["key", KEYS]).await;
    assert!(elsewhere.has_focus());
    app.close().await;
}

#[tokio::test]
async fn keys_that_another_program_has_are_named_until_it_gives_them_up() {
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
    app.click("button", "Take Ctrl+Alt+J").await;
    let unmet = "#setting-global_shortcut-unmet";
    app.shows_text(unmet, "Another program has these keys").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    x11.ungrab_key(key, root, held).unwrap().check().unwrap();
    app.click("button", "Close").await;
    app.click("button", "Settings").await;
    app.gone(unmet).await;
    app.click("button", "Close").await;
    let elsewhere = Elsewhere::open(&app).await;
    xdotool(&["key", KEYS]);
    app.wait("the window to come up", async || (!elsewhere.has_focus()).then_some(())).await;
    app.close().await;
}

#[tokio::test]
async fn under_wayland_the_settings_say_that_no_keys_are_heard() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("settings.toml"), SET).unwrap();
    let app = Setup::default().data(data.path()).env("XDG_SESSION_TYPE", "wayland").open().await;
    app.click("button", "Settings").await;
    app.shows_text("#setting-global_shortcut-unmet", "Under Wayland no program hears keys").await;
    let elsewhere = Elsewhere::open(&app).await;
    elsewhere.hears(&app, &["key", KEYS]).await;
    assert!(elsewhere.has_focus());
    let read = app.invoke("read_settings", json!({})).await.unwrap();
    assert_eq!(read["settings"]["globalShortcut"], "Ctrl+Alt+J", "what is set stays");
    app.close().await;
}
