//! Without a notification daemon, the title and the tray show open questions. With a notification on the screen, the app is idle.

use std::fs;
use std::time::Duration;

use tempfile::TempDir;

use crate::desktop::{WINDOW, displayed, press_close, xdotool};
use crate::fake_tray::Tray;
use crate::harness::{App, Setup};
use crate::private_bus::Bus;
use crate::process_stats::{Worked, main_process};

/// The most of one processor that the app may use while a notification is on the screen.
const AT_REST: f64 = 0.02;

#[tokio::test]
async fn without_a_daemon_the_title_and_the_tray_show_open_questions_and_the_log_has_one_warning() {
    let bus = Bus::start();
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let setup = Setup::default().env("DBUS_SESSION_BUS_ADDRESS", &bus.address).env("ASKDESK_LOG", "warn");
    let app = setup.log_to(&log).open().await;
    let tray = Tray::start_on(&bus.address).await;
    app.show_idle_session().await;
    for (count, name) in [(1, "Asks"), (2, "Asks too"), (3, "Asks as well")] {
        app.start_demo("technology", name).await;
        let title = format!("({count}) Askdesk");
        app.wait(&title, async || {
            let window = xdotool(&["search", "--name", WINDOW]);
            (xdotool(&["getwindowname", &window]) == title).then_some(())
        })
        .await;
    }
    press_close();
    tray.lists(&["Asks: ", "Asks too: ", "Asks as well: "]).await;
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(said.matches("nobody shows notifications").count(), 1, "{said}");
}

#[tokio::test]
async fn an_app_with_a_notification_on_the_screen_is_idle() {
    let (app, _, _) = App::open_notified().await;
    let process = main_process(app.root());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = Worked::of(process);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let share = Worked::of(process).since(&before).as_secs_f64() / 5.0;
    assert_eq!(displayed(), 1, "it is still on the screen");
    assert!(share < AT_REST, "{:.2} % of a processor", share * 100.0);
}
