//! Clicks on notifications and deep links show the session and the question, from any state of the window. Neither answers
//! anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use crate::desktop::{WINDOW, click_notification, is_visible, xdotool};
use crate::harness::{App, OPEN_CARD, Setup};

/// Asks in one session and shows another; returns the asking session and the request.
async fn ask_out_of_view(app: &App) -> (String, String) {
    let asker = app.show_demo("technology", "Asks").await;
    let card = app.find(OPEN_CARD).await;
    let request = card.attr("data-request").await.unwrap().unwrap();
    let shown = app.show_idle_session().await;
    app.find(&format!("[data-session-view='{shown}']")).await;
    (asker, request)
}

#[tokio::test]
async fn case_38_a_click_raises_the_window_from_minimized_and_from_another_workspace() {
    let (app, shown, asker) = App::open_notified().await;
    app.minimize().await;
    click_notification();
    app.shows_question(&asker).await;
    app.check_unanswered(&asker, 1).await;

    app.select(&shown).await;
    let other = app.start_demo("technology", "Asks elsewhere").await;
    app.notifications(1).await;
    xdotool(&["set_desktop", "1"]);
    app.window_visible(false).await;
    click_notification();
    app.shows_question(&other).await;
    app.check_unanswered(&other, 1).await;
    xdotool(&["set_desktop", "0"]);
}

#[tokio::test]
async fn case_38_a_click_during_a_reload_is_not_lost() {
    let (app, _, asker) = App::open_notified().await;
    let page = app.script("return performance.timeOrigin", vec![]).await;
    app.script("location.reload()", vec![]).await;
    // The earlier page could still receive the click and disappear with it.
    app.wait("the new page", async || {
        let now = app.client.execute("return performance.timeOrigin", vec![]).await.ok()?;
        (now != page).then_some(())
    })
    .await;
    click_notification();
    app.find(&format!("[data-session-view='{asker}']")).await;
    app.shows_question(&asker).await;
    app.check_unanswered(&asker, 1).await;
}

fn address(request: &str) -> String {
    format!("askdesk://request/{request}")
}

/// Makes a home folder with an `xdg-mime` that records its arguments.
fn home() -> (TempDir, Setup) {
    let home = TempDir::new().unwrap();
    let tools = home.path().join("tools");
    fs::create_dir(&tools).unwrap();
    let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\n", home.path().join("calls").display());
    fs::write(tools.join("xdg-mime"), script).unwrap();
    fs::set_permissions(tools.join("xdg-mime"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let setup = Setup::default().at_home(home.path()).env("PATH", path);
    (home, setup)
}

#[tokio::test]
async fn case_38_a_second_instance_hands_its_address_to_the_first_and_ends() {
    let (home, setup) = home();
    let app = setup.open().await;
    let (asker, request) = ask_out_of_view(&app).await;
    let window = xdotool(&["search", "--name", WINDOW]);
    app.minimize().await;
    assert!(app.start_again(&[&address(&request)]).await.success());
    app.shows_question(&asker).await;
    app.check_unanswered(&asker, 1).await;
    assert_eq!(xdotool(&["search", "--name", WINDOW]), window, "it is the same window");

    // Without a valid address, the window is raised unchanged.
    for invalid in [&[][..], &[&*format!("{}/answer?option=1", address(&request))], &[&*address(&uuid())]] {
        app.minimize().await;
        assert!(app.start_again(invalid).await.success());
        app.shows_question(&asker).await;
    }
    app.check_unanswered(&asker, 1).await;
    assert!(!app.shows("[role=alert]").await);

    // No program opened such addresses, and no package installed this one.
    let entry = home.path().join("share/applications/askdesk-desktop-handler.desktop");
    let entry = app.wait("a desktop entry", async || fs::read_to_string(&entry).ok()).await;
    assert!(entry.contains("MimeType=x-scheme-handler/askdesk"), "{entry}");
    assert!(entry.contains(env!("CARGO_BIN_EXE_askdesk-desktop")), "{entry}");
    let default = "default askdesk-desktop-handler.desktop x-scheme-handler/askdesk";
    app.wait("the desktop to register it", async || {
        fs::read_to_string(home.path().join("calls")).ok()?.lines().any(|line| line == default).then_some(())
    })
    .await;
}

fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[tokio::test]
async fn case_38_an_address_starts_the_app_on_its_session_and_its_question() {
    let data = TempDir::new().unwrap();
    let app = Setup::default().data(data.path()).open().await;
    let (asker, request) = ask_out_of_view(&app).await;
    app.close().await;

    // The question was missed when the app ended.
    let app = Setup::default().data(data.path()).arg(address(&request)).open().await;
    app.shows_question(&asker).await;
    let missed = format!("aside details[data-missed='{request}'][open]");
    assert!(app.shows(&missed).await);
    app.catch_up(&asker).await;
    app.in_state(&asker, "ended").await;
    assert!(app.received().is_empty(), "no agent was started");
    assert!(app.shows(&missed).await);
    let other = app.find(&format!("nav [data-session]:not([data-session='{asker}'])")).await;
    let other = other.attr("data-session").await.unwrap().unwrap();
    app.select(&other).await;
    app.until_stored(data.path()).await;
    app.close().await;

    let app = Setup::default().data(data.path()).arg(address(&uuid())).open().await;
    // An address of nothing shows the session that was left.
    app.find(&format!("[data-session-view='{other}']")).await;
    assert!(!app.shows("[role=alert]").await);
    assert!(is_visible());
}
