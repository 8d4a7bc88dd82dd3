//! Started by the system at login: the entry that says so is there while it is wanted, and nobody gets a window unasked.

use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

use crate::close_to_tray::descendants;
use crate::deep_links::WINDOW;
use crate::fake_tray::Tray;
use crate::harness::{App, PATIENCE, Setup};

const ENTRY: &str = "config/autostart/io.github.askdesk.desktop";

fn windows_on_the_screen() -> usize {
    let search = ["search", "--onlyvisible", "--name", WINDOW];
    let output = Command::new("xdotool").args(search).output().expect("xdotool is installed");
    String::from_utf8_lossy(&output.stdout).lines().count()
}

async fn set(app: &App, choice: &str) {
    let control = app.by_role_in("dialog[open]", "combobox", "Start at login").await;
    control.select_by_label(choice).await.unwrap();
}

#[tokio::test]
async fn the_system_has_an_entry_as_long_as_starting_at_login_is_set() {
    let home = TempDir::new().unwrap();
    let app = Setup::default().at_home(home.path()).open().await;
    let entry = home.path().join(ENTRY);
    app.click("button", "Settings").await;
    set(&app, "On").await;
    let text = app.wait("the entry", async || std::fs::read_to_string(&entry).ok()).await;
    let program = env!("CARGO_BIN_EXE_askdesk-desktop");
    assert!(text.contains(&format!("\nExec=\"{program}\" --in-background\n")), "{text}");
    let file = home.path().join("share/io.github.askdesk/settings.toml");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "[window]\nstart_at_login = \"on\"\n");
    set(&app, "Off").await;
    app.wait("it to go", async || (!entry.exists()).then_some(())).await;

    // Where the entry belongs stands something else.
    let folder = entry.parent().unwrap();
    std::fs::remove_dir(folder).unwrap();
    std::fs::write(folder, "").unwrap();
    set(&app, "On").await;
    app.shows_text("dialog[open] #setting-start_at_login-unmet", "io.github.askdesk.desktop").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.close().await;
}

#[tokio::test]
async fn a_desk_with_a_folder_of_its_own_leaves_the_system_as_it_is_and_says_so() {
    let app = App::open().await;
    app.click("button", "Settings").await;
    set(&app, "On").await;
    app.shows_text("dialog[open] #setting-start_at_login-unmet", "a data folder of its own").await;
    assert!(!app.home().join(ENTRY).exists());
    app.close().await;
}

#[tokio::test]
async fn what_the_system_has_is_brought_in_line_when_the_app_starts() {
    let home = TempDir::new().unwrap();
    let entry = home.path().join(ENTRY);
    std::fs::create_dir_all(entry.parent().unwrap()).unwrap();
    std::fs::write(&entry, "[Desktop Entry]\nExec=/gone/askdesk-desktop\n").unwrap();
    let app = Setup::default().at_home(home.path()).open().await;
    app.wait("the entry nobody wants to go", async || (!entry.exists()).then_some(())).await;
    app.close().await;
}

#[tokio::test]
async fn started_in_the_background_without_a_tray_the_window_shows() {
    let app = Setup::default().arg("--in-background").open().await;
    app.wait("the window", async || (windows_on_the_screen() == 1).then_some(())).await;
    app.close().await;
}

#[tokio::test]
async fn started_in_the_background_with_a_tray_there_is_no_window_until_it_is_asked_for() {
    let home = TempDir::new().unwrap();
    let app = Setup::default().at_home(home.path()).arg("--in-background").start().await;
    // Only now is this the one test that has an app, and so a tray.
    let tray = Tray::start().await;
    // Longer than it waits for a tray.
    tokio::time::sleep(std::time::Duration::from_secs(12)).await;
    assert_eq!(descendants(app.root()), Vec::<String>::new(), "not even what a window would need is there");
    for (arguments, windows) in [(&["--in-background"][..], 0), (&[], 1)] {
        assert!(app.start_again(arguments).await.success());
        let began = Instant::now();
        while windows_on_the_screen() != windows {
            assert!(began.elapsed() < PATIENCE, "{} windows", windows_on_the_screen());
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        }
    }
    let began = Instant::now();
    while !descendants(app.root()).iter().any(|name| name.starts_with("WebKitWebPro")) {
        assert!(began.elapsed() < PATIENCE, "the window has a page");
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    drop(tray);
}
