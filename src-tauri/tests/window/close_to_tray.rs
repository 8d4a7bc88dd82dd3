//! Closing the window to the tray ends it with its page; what runs goes on, and the next window goes on where it stopped.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::attention::{displayed, dunst};
use crate::deep_links::{WINDOW, nothing_was_answered, seen, shows_question, xdotool};
use crate::fake_tray::Tray;
use crate::harness::{App, PATIENCE, Setup};

const OTHER: &str = "aside [data-request] fieldset textarea";
const COMPOSER: &str = "main form textarea";

/// Lists the processes below one by name.
pub fn descendants(root: u32) -> Vec<String> {
    let listed = Command::new("ps").args(["-e", "-o", "pid=,ppid=,comm="]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut known = vec![root.to_string()];
    let mut names = Vec::new();
    // A parent has not always the lower number.
    for _ in 0..3 {
        for line in listed.lines() {
            let mut words = line.split_whitespace();
            let (Some(pid), Some(parent)) = (words.next(), words.next()) else { continue };
            if known.iter().any(|one| one == parent) && !known.iter().any(|one| one == pid) {
                known.push(pid.to_owned());
                names.push(words.collect::<Vec<_>>().join(" "));
            }
        }
    }
    names
}

fn pages(app: &App) -> usize {
    descendants(app.root()).iter().filter(|name| name.starts_with("WebKitWebPro")).count()
}

/// Counts the windows of the app, those too that nobody sees.
fn windows() -> usize {
    xdotool(&["search", "--name", WINDOW]).lines().count()
}

fn in_front() {
    let window = xdotool(&["search", "--onlyvisible", "--name", WINDOW]);
    xdotool(&["windowactivate", "--sync", &window]);
}

/// Closes the window by the keys of the window manager.
pub fn press_close() {
    in_front();
    xdotool(&["key", "alt+F4"]);
}

/// Waits until the window is gone, and its page with it.
pub async fn window_destroyed(app: &App) {
    app.wait("the window and its page to go", async || (windows() == 0 && pages(app) == 0).then_some(()))
        .await;
}

/// Where the window stands and how large it is.
fn place() -> String {
    let window = xdotool(&["search", "--onlyvisible", "--name", WINDOW]);
    let told = xdotool(&["getwindowgeometry", &window]);
    told.lines().skip(1).collect::<Vec<_>>().join(" ")
}

async fn value(app: &App, css: &str) -> Value {
    app.find(css).await;
    app.script("return document.querySelector(arguments[0]).value", vec![json!(css)]).await
}

async fn reopen(app: &App, tray: &Tray) {
    tray.press("Open Askdesk").await;
    app.go_on_in_the_new_window().await;
}

#[tokio::test]
async fn what_was_typed_last_and_what_was_shown_are_there_when_the_window_comes_again() {
    let app = App::open().await;
    let tray = Tray::start().await;
    app.start_demo("prefilled", "Other").await;
    let asker = app.start_demo("technology", "Asks").await;
    app.select(&asker).await;
    let window = xdotool(&["search", "--onlyvisible", "--name", WINDOW]);
    xdotool(&["windowsize", "--sync", &window, "1111", "777"]);
    xdotool(&["windowmove", "--sync", &window, "222", "99"]);
    let before = place();

    for (css, typed) in [(OTHER, "a graph store"), (COMPOSER, "and then the notes")] {
        in_front();
        let field = app.find(css).await;
        app.press(&field).await;
        // The keys that close it come right behind those of the last words.
        xdotool(&["type", "--delay", "1", typed]);
        xdotool(&["key", "alt+F4"]);
        window_destroyed(&app).await;
        reopen(&app, &tray).await;
        app.find(&format!("[data-session-view='{asker}']")).await;
        app.wait(typed, async || (value(&app, css).await == typed).then_some(())).await;
        app.wait("the place it had", async || (place() == before).then_some(())).await;
    }
    assert_eq!(value(&app, OTHER).await, "a graph store");
    assert_eq!(windows(), 1);
    app.close().await;
    drop(tray);
}

#[tokio::test]
async fn a_secret_that_is_being_written_stays_in_its_window_which_is_only_hidden() {
    let app = App::open().await;
    let tray = Tray::start().await;
    let session = app.start_demo("kinds", "Secret").await;
    app.select(&session).await;
    app.find("aside [data-step=q3]").await.click().await.unwrap();
    app.find("aside input[type=password]").await.send_keys("hunter2").await.unwrap();
    press_close();
    app.wait("the window to be hidden", async || (!seen()).then_some(())).await;
    sleep(Duration::from_secs(2)).await;
    assert_eq!((windows(), pages(&app)), (1, 1));
    tray.press("Open Askdesk").await;
    app.wait("the window", async || seen().then_some(())).await;
    assert_eq!(value(&app, "aside input[type=password]").await, "hunter2");
    app.close().await;
    drop(tray);
}

/// Leaves the time to close the window before it asks.
const ASKS_LATER: &str = r#"{ "name": "later", "title": "Later", "description": "Asks after a while", "turns": [[
    { "sleep_ms": 5000 },
    { "ask": { "questions": [{ "question": "Which store?", "header": "Store", "multiSelect": false,
        "options": [{ "label": "SQLite", "description": "" }, { "label": "PostgreSQL", "description": "" }] }] } }
]] }"#;

#[tokio::test]
async fn case_38_a_question_that_comes_while_there_is_no_window_is_told_and_a_click_opens_one_on_it() {
    let folder = TempDir::new().unwrap();
    let scenario = folder.path().join("later.json");
    fs::write(&scenario, ASKS_LATER).unwrap();
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let tray = Tray::start().await;
    dunst(&["close-all"]);
    let asker = app.start_demo(&scenario.display().to_string(), "Asks later").await;
    // It was in view, so nobody would be told of it if its window still counted.
    app.select(&asker).await;
    press_close();
    window_destroyed(&app).await;
    assert_eq!(displayed(), 0, "it has not asked yet");
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    assert_eq!((windows(), pages(&app)), (0, 0), "a question brings no window");
    dunst(&["action", "0"]);
    app.go_on_in_the_new_window().await;
    shows_question(&app, &asker).await;
    assert_eq!(xdotool(&["getactivewindow", "getwindowname"]), "(1) Askdesk");
    nothing_was_answered(&app, 0).await;
    app.click("radio", "SQLite").await;
    app.click("button", "Submit").await;
    assert_eq!(app.wait_for_responses(1).await.len(), 1, "the session went on all the time");
    app.close().await;
    drop(tray);
}

#[tokio::test]
async fn however_closing_and_opening_follow_each_other_there_is_one_window_in_the_end() {
    let home = TempDir::new().unwrap();
    let app = Setup::default().at_home(home.path()).open().await;
    let tray = Tray::start().await;
    let session = app.start_demo("technology", "Asks").await;
    app.select(&session).await;
    app.click("radio", "PostgreSQL").await;
    for pause in [0, 20, 60, 90, 120, 150, 200, 300, 500] {
        press_close();
        sleep(Duration::from_millis(pause)).await;
        tray.press("Open Askdesk").await;
        tray.press("Open Askdesk").await;
        app.wait("the window", async || (seen() && windows() == 1).then_some(())).await;
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!((windows(), pages(&app), seen()), (1, 1, true));
    app.go_on_in_the_new_window().await;
    app.find(&format!("[data-session-view='{session}']")).await;
    let chosen = app.by_role("radio", "PostgreSQL").await;
    app.wait("the choice", async || chosen.is_selected().await.ok()?.then_some(())).await;

    // While its page is loaded it goes too, and comes again.
    app.script("setTimeout(() => location.reload())", vec![]).await;
    press_close();
    window_destroyed(&app).await;
    assert!(app.start_again(&[]).await.success());
    app.go_on_in_the_new_window().await;
    app.find(&format!("[data-session-view='{session}']")).await;
    app.close().await;
    drop(tray);
}

#[tokio::test]
async fn quitting_from_the_tray_while_there_is_no_window_asks_before_anything_ends() {
    let app = App::open().await;
    let tray = Tray::start().await;
    let session = app.start_demo("technology", "Asks").await;
    app.find(&format!("nav [data-session='{session}'][data-state=needs_you]")).await;
    press_close();
    window_destroyed(&app).await;
    let question = || xdotool(&["search", "--onlyvisible", "--name", "^Quit Askdesk"]);
    for answer in [&["key", "Escape"][..], &["key", "alt+q", "Return"]] {
        tray.press("Quit Askdesk").await;
        app.wait("the question", async || (!question().is_empty()).then_some(())).await;
        xdotool(&["windowactivate", "--sync", &question()]);
        xdotool(answer);
        app.wait("it to go", async || question().is_empty().then_some(())).await;
        if answer.contains(&"Escape") {
            assert!(descendants(app.root()).iter().any(|name| name.starts_with("askdesk")), "it goes on");
        }
    }
    let began = Instant::now();
    while descendants(app.root()).iter().any(|name| name.starts_with("askdesk")) {
        assert!(began.elapsed() < PATIENCE, "it goes on: {:?}", descendants(app.root()));
        sleep(Duration::from_millis(50)).await;
    }
    app.close().await;
    drop(tray);
}
