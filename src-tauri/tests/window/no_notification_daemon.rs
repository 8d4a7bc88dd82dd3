//! Without a notification daemon, the title and the tray show open questions.

use std::fs;

use tempfile::TempDir;

use crate::desktop::{WINDOW, press_close, xdotool};
use crate::fake_tray::Tray;
use crate::harness::Setup;
use crate::private_bus::Bus;

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
