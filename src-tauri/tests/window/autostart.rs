//! Start at login: the system's entry exists while the setting is on, and a start in the background opens no window.

use tempfile::TempDir;

use crate::desktop::{WINDOW, descendants, visible_windows};
use crate::fake_tray::Tray;
use crate::harness::{App, Setup, wait_until};

const ENTRY: &str = "config/autostart/io.github.askdesk.desktop";

/// Turns the switch to the other side.
async fn toggle(app: &App) {
    let control = app.by_role_in("dialog[open]", "switch", "Start at login").await;
    app.press(&control).await;
}

#[tokio::test]
async fn the_entry_exists_while_the_setting_is_on() {
    let home = TempDir::new().unwrap();
    let entry = home.path().join(ENTRY);
    std::fs::create_dir_all(entry.parent().unwrap()).unwrap();
    std::fs::write(&entry, "[Desktop Entry]\nExec=/gone/askdesk-desktop\n").unwrap();
    let app = Setup::default().at_home(home.path()).open().await;
    app.wait("the outdated entry to go", async || (!entry.exists()).then_some(())).await;
    app.click("button", "Settings").await;
    app.show_category("Window").await;
    toggle(&app).await;
    let text = app.wait("the entry", async || std::fs::read_to_string(&entry).ok()).await;
    let program = env!("CARGO_BIN_EXE_askdesk-desktop");
    assert!(text.contains(&format!("\nExec=\"{program}\" --in-background\n")), "{text}");
    let file = home.path().join("share/io.github.askdesk/settings.toml");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "[window]\nstart_at_login = \"on\"\n");
    toggle(&app).await;
    app.wait("it to go", async || (!entry.exists()).then_some(())).await;

    // A file takes the place of the folder.
    let folder = entry.parent().unwrap();
    std::fs::remove_dir(folder).unwrap();
    std::fs::write(folder, "").unwrap();
    toggle(&app).await;
    app.shows_text("dialog[open] #setting-start_at_login-unmet", "io.github.askdesk.desktop").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_run_with_its_own_data_folder_leaves_the_system_alone_and_says_so() {
    let app = App::open().await;
    app.click("button", "Settings").await;
    app.show_category("Window").await;
    toggle(&app).await;
    app.shows_text("dialog[open] #setting-start_at_login-unmet", "with a custom data folder").await;
    assert!(!app.home().join(ENTRY).exists());
}

#[tokio::test]
async fn a_start_in_the_background_without_a_tray_shows_the_window() {
    let app = Setup::default().arg("--in-background").open().await;
    app.window_visible(true).await;
}

#[tokio::test]
async fn a_start_in_the_background_with_a_tray_opens_no_window_until_it_is_requested() {
    let home = TempDir::new().unwrap();
    let app = Setup::default().at_home(home.path()).arg("--in-background").start().await;
    // The tray is created after it is this test's turn.
    let tray = Tray::start().await;
    tray.press("For 1 hour").await;
    // A window that was created with the icon would be created before this change of the menu.
    tray.lists(&["Resume notifications"]).await;
    let started = descendants(app.root());
    assert!(!started.iter().any(|name| name.starts_with("WebKit")), "{started:?}");
    for (arguments, windows) in [(&["--in-background"][..], 0), (&[], 1)] {
        assert!(app.start_again(arguments).await.success());
        let what = format!("{windows} windows");
        wait_until(&what, async || (visible_windows(WINDOW) == windows).then_some(())).await;
    }
    let has_page = || descendants(app.root()).iter().any(|name| name.starts_with("WebKitWebPro"));
    wait_until("a page", async || has_page().then_some(())).await;
}
