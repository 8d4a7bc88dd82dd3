//! A click on a notification and an address lead to the session and the question, wherever the window is and before there is
//! one; nothing is answered by either.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::attention::{displayed, dunst};
use crate::close_to_tray::{press_close, window_destroyed};
use crate::fake_tray::Tray;
use crate::harness::{App, Setup};

pub const WINDOW: &str = "(^|[)] )Askdesk$";

pub fn xdotool(args: &[&str]) -> String {
    let output = Command::new("xdotool").args(args).output().expect("xdotool is installed");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub fn seen() -> bool {
    !xdotool(&["search", "--onlyvisible", "--name", WINDOW]).is_empty()
}

/// Opens a question in one session and leaves another in view; returns the asking session and the request.
async fn ask(app: &App) -> (String, String) {
    let asker = app.start_demo("technology", "Asks").await;
    app.select(&asker).await;
    let card = app.find("aside [data-request][data-state=open]").await;
    let request = card.attr("data-request").await.unwrap().unwrap();
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.find(&format!("[data-session-view='{shown}']")).await;
    // The one in view brought its answer along.
    app.wait_for_responses(1).await;
    (asker, request)
}

/// Opens the desk on one session while another asks, which a notification tells; returns both.
pub async fn notified_question() -> (App, String, String) {
    let app = App::open().await;
    dunst(&["close-all"]);
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.wait_for_responses(1).await;
    let asker = app.start_demo("technology", "Asks").await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    (app, shown, asker)
}

/// Waits until the window is in front with the focus in a question of this session.
pub async fn shows_question(app: &App, session: &str) {
    let script = "const card = document.activeElement?.closest('aside fieldset');
        return [document.hasFocus(), card !== null && card !== undefined, document.activeElement?.checked === true,
            document.querySelector('[data-session-view]')?.dataset.sessionView ?? ''];";
    let there = json!([true, true, false, session]);
    let mut last = json!(null);
    let began = std::time::Instant::now();
    while last != there {
        last = app.script(script, vec![]).await;
        assert!(began.elapsed() < crate::harness::PATIENCE, "not {there} but {last}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(seen());
    let active = xdotool(&["getactivewindow", "getwindowname"]);
    assert!(active.ends_with("Askdesk"), "{active}");
}

/// Waits longer than a quick answer can be undone.
pub async fn nothing_was_answered(app: &App, before: usize) {
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(app.responses().len(), before);
    assert!(app.shows("aside [data-request][data-state=open]").await);
}

#[tokio::test]
async fn case_38_a_click_brings_the_window_up_from_minimised_and_from_another_workspace() {
    let (app, shown, asker) = notified_question().await;
    let window = xdotool(&["search", "--name", WINDOW]);
    let before = app.responses().len();
    xdotool(&["windowminimize", &window]);
    app.wait("the window to be minimised", async || (!seen()).then_some(())).await;
    dunst(&["action", "0"]);
    shows_question(&app, &asker).await;
    nothing_was_answered(&app, before).await;

    app.select(&shown).await;
    let other = app.start_demo("technology", "Asks elsewhere").await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    xdotool(&["set_desktop", "1"]);
    app.wait("another workspace", async || (!seen()).then_some(())).await;
    dunst(&["action", "0"]);
    shows_question(&app, &other).await;
    nothing_was_answered(&app, before).await;
    xdotool(&["set_desktop", "0"]);
    app.close().await;
}

#[tokio::test]
async fn case_38_a_click_brings_the_window_up_from_the_tray() {
    let (app, _, asker) = notified_question().await;
    let tray = Tray::start().await;
    let before = app.responses().len();
    press_close();
    window_destroyed(&app).await;
    dunst(&["action", "0"]);
    app.go_on_in_the_new_window().await;
    shows_question(&app, &asker).await;
    nothing_was_answered(&app, before).await;
    app.close().await;
    drop(tray);
}

#[tokio::test]
async fn case_38_a_click_while_the_page_is_loaded_anew_is_not_lost() {
    let (app, _, asker) = notified_question().await;
    let before = app.responses().len();
    let page = app.script("return performance.timeOrigin", vec![]).await;
    app.script("location.reload()", vec![]).await;
    // The page before could still take the click, and go with it.
    app.wait("the page before to be gone", async || {
        let now = app.client.execute("return performance.timeOrigin", vec![]).await.ok()?;
        (now != page).then_some(())
    })
    .await;
    dunst(&["action", "0"]);
    app.find(&format!("[data-session-view='{asker}']")).await;
    shows_question(&app, &asker).await;
    nothing_was_answered(&app, before).await;
    app.close().await;
}

fn address(request: &str) -> String {
    format!("askdesk://request/{request}")
}

/// A home with a tool in its path that notes what the desktop is told of who opens what.
fn home() -> (TempDir, Setup) {
    let home = TempDir::new().unwrap();
    let tools = home.path().join("tools");
    fs::create_dir(&tools).unwrap();
    let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\n", home.path().join("told").display());
    fs::write(tools.join("xdg-mime"), script).unwrap();
    fs::set_permissions(tools.join("xdg-mime"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let setup = Setup::default().at_home(home.path()).env("PATH", path);
    (home, setup)
}

#[tokio::test]
async fn case_38_a_second_start_hands_its_address_to_the_first_and_ends() {
    let (home, setup) = home();
    let app = setup.open().await;
    let (asker, request) = ask(&app).await;
    let window = xdotool(&["search", "--name", WINDOW]);
    let before = app.responses().len();
    xdotool(&["windowminimize", &window]);
    app.wait("the window to be minimised", async || (!seen()).then_some(())).await;
    assert!(app.start_again(&[&address(&request)]).await.success());
    shows_question(&app, &asker).await;
    nothing_was_answered(&app, before).await;
    assert_eq!(xdotool(&["search", "--name", WINDOW]), window, "it is the one window");

    // Without an address, and with one that leads nowhere, the window comes up as it is.
    for nowhere in [&[][..], &[&*format!("{}/answer?option=1", address(&request))], &[&*address(&uuid())]] {
        xdotool(&["windowminimize", &window]);
        app.wait("the window to be minimised", async || (!seen()).then_some(())).await;
        assert!(app.start_again(nowhere).await.success());
        app.wait("the window", async || seen().then_some(())).await;
        shows_question(&app, &asker).await;
    }
    nothing_was_answered(&app, before).await;
    assert!(!app.shows("[role=alert]").await);

    // Nobody opened such addresses, and the program came by itself.
    let entry = home.path().join("share/applications/askdesk-desktop-handler.desktop");
    let entry = app.wait("a desktop entry", async || fs::read_to_string(&entry).ok()).await;
    assert!(entry.contains("MimeType=x-scheme-handler/askdesk"), "{entry}");
    assert!(entry.contains(env!("CARGO_BIN_EXE_askdesk-desktop")), "{entry}");
    let said = "default askdesk-desktop-handler.desktop x-scheme-handler/askdesk";
    app.wait("the desktop to be told", async || {
        fs::read_to_string(home.path().join("told")).ok()?.lines().any(|line| line == said).then_some(())
    })
    .await;
    app.close().await;
}

fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[tokio::test]
async fn case_38_an_address_starts_the_app_on_its_session_and_its_question() {
    let data = TempDir::new().unwrap();
    let app = Setup::default().data(data.path()).open().await;
    let (asker, request) = ask(&app).await;
    app.close().await;

    // The question was missed when the app ended; it is shown where those are, and its agent is told nothing.
    let app = Setup::default().data(data.path()).arg(address(&request)).open().await;
    shows_question(&app, &asker).await;
    assert!(app.shows(&format!("aside details[data-missed='{request}'][open]")).await);
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(app.received().is_empty(), "no agent was started");
    assert!(app.shows(&format!("aside details[data-missed='{request}'][open]")).await);
    app.close().await;

    let app = Setup::default().data(data.path()).arg(address(&uuid())).open().await;
    app.find("[data-session-view]").await;
    assert!(!app.shows(&format!("[data-session-view='{asker}']")).await, "the usual session is shown");
    assert!(!app.shows("[role=alert]").await);
    app.close().await;
}
