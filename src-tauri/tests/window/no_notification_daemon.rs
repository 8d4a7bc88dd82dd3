//! Where nobody shows notifications the window and the tray say what waits, and while one stands the app rests.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::attention::displayed;
use crate::deep_links::{WINDOW, notified_question, xdotool};
use crate::fake_tray::Tray;
use crate::harness::Setup;
use crate::process_stats::{main_process, worked};

/// The most of one processor that the app may take while a notification stands.
const AT_REST: f64 = 0.02;

/// A session bus on which nothing is started by itself.
pub(crate) struct Bus {
    process: Child,
    pub(crate) address: String,
    _folder: TempDir,
}

impl Bus {
    pub(crate) fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = folder.path().join("bus.conf");
        let listen = folder.path().display();
        let text = format!(
            "<busconfig><type>session</type><listen>unix:dir={listen}</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>"
        );
        fs::write(&settings, text).unwrap();
        let mut process = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", settings.display()))
            .args(["--nofork", "--print-address"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon is installed");
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { process, address: address.trim().to_owned(), _folder: folder }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn without_a_daemon_the_title_and_the_tray_say_what_waits_and_the_log_says_it_once() {
    let bus = Bus::start();
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let setup = Setup::default().env("DBUS_SESSION_BUS_ADDRESS", &bus.address).env("ASKDESK_LOG", "warn");
    let app = setup.log_to(&log).open().await;
    let tray = Tray::start_on(&bus.address).await;
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    for (count, name) in [(1, "Asks"), (2, "Asks too"), (3, "Asks as well")] {
        app.start_demo("technology", name).await;
        let title = format!("({count}) Askdesk");
        app.wait(&title, async || {
            let window = xdotool(&["search", "--name", WINDOW]);
            (xdotool(&["getwindowname", &window]) == title).then_some(())
        })
        .await;
    }
    xdotool(&["search", "--onlyvisible", "--name", WINDOW, "windowactivate", "--sync"]);
    xdotool(&["key", "alt+F4"]);
    tray.lists(&["Asks: ", "Asks too: ", "Asks as well: "]).await;
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(said.matches("nobody shows notifications").count(), 1, "{said}");
    app.close().await;
}

#[tokio::test]
async fn while_a_notification_stands_the_app_rests() {
    let (app, _, _) = notified_question().await;
    let process = main_process(app.root());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = worked(process);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let share = (worked(process) - before).as_secs_f64() / 5.0;
    assert_eq!(displayed(), 1, "it stands still");
    assert!(share < AT_REST, "{:.2} % of a processor", share * 100.0);
    app.close().await;
}
