//! The buttons of a notification, pressed in a real daemon: an option answers once it can no longer be taken back, the
//! notification itself answers nothing, and what the daemon does loses no question.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;

use crate::attention::{displayed, dunst, taken_back};
use crate::harness::{App, PATIENCE};

const DAEMON: &str = "org.freedesktop.Notifications";

/// The daemon of the session, started anew with a menu of buttons in which a test chooses.
struct Daemon {
    folder: TempDir,
}

impl Daemon {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let daemon = Self { folder };
        let menu = daemon.file("menu");
        let (lines, wanted) = (daemon.file("lines"), daemon.file("wanted"));
        let script = format!(
            "#!/bin/sh\ncat > '{0}.new'\ngrep -m1 -F -f '{1}' '{0}.new'\nmv '{0}.new' '{0}'\n",
            lines.display(),
            wanted.display()
        );
        fs::write(&menu, script).unwrap();
        fs::set_permissions(&menu, fs::Permissions::from_mode(0o755)).unwrap();
        let stay = ["low", "normal", "critical"].map(|urgency| format!("[urgency_{urgency}]\ntimeout=0\n"));
        let settings = format!(
            "[global]\nmarkup=full\nfollow=none\nidle_threshold=0\ndmenu={}\n{}",
            menu.display(),
            stay.concat()
        );
        fs::write(daemon.file("dunstrc"), settings).unwrap();
        daemon.again().await;
        daemon
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Kills the daemon that runs and starts another.
    async fn again(&self) {
        let bus = zbus::Connection::session().await.unwrap();
        let bus = DBusProxy::new(&bus).await.unwrap();
        let name = || BusName::try_from(DAEMON).unwrap();
        let process = bus.get_connection_unix_process_id(name()).await.expect("a daemon runs");
        let process = rustix::process::Pid::from_raw(process.cast_signed()).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        while bus.name_has_owner(name()).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut dunst = Command::new("dunst");
        dunst.arg("-conf").arg(self.file("dunstrc")).stdout(Stdio::null()).stderr(Stdio::null());
        // It stays for the tests that follow, and ends with the bus.
        drop(dunst.spawn().expect("dunst is installed"));
        while !bus.name_has_owner(name()).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the buttons of what is shown, each as the daemon's menu lists it.
    async fn buttons(&self) -> String {
        self.choose("no button is called so").await
    }

    /// Presses the button that is called so, once it is there.
    async fn press(&self, app: &App, label: &str) {
        let wanted = format!("#{label} (");
        let pressed = async || self.choose(&wanted).await.contains(&wanted).then_some(());
        app.wait(&format!("a button {label} on a notification"), pressed).await;
    }

    async fn choose(&self, wanted: &str) -> String {
        let lines = self.file("lines");
        let _ = fs::remove_file(&lines);
        fs::write(self.file("wanted"), wanted).unwrap();
        dunst(&["context"]);
        // Where nothing has a button the daemon has no menu.
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if let Ok(lines) = fs::read_to_string(&lines) {
                return lines;
            }
        }
        String::new()
    }
}

fn asks(question: &str, options: &[&str]) -> String {
    let options: Vec<_> = options.iter().map(|label| json!({ "label": label, "description": "" })).collect();
    let question =
        json!({ "question": question, "header": "Auth", "multiSelect": false, "options": options });
    let turn = json!([{ "ask": { "questions": [question] } }, { "say": { "text": "Thank you." } }]);
    json!({ "name": "asks", "title": "Asks", "description": "Asks one thing", "turns": [turn] }).to_string()
}

/// Opens the desk on a session that asks nothing more, beside one that asks; returns both.
async fn asked_out_of_view(name: &str, scenario: &str) -> (Daemon, App, String, String) {
    let app = App::open().await;
    // Only with the desk open is this the one test that has a window, and so the daemon.
    let daemon = Daemon::start().await;
    dunst(&["close-all"]);
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.find(&format!("nav [data-session='{shown}'][data-state=idle]")).await;
    let asker = ask(&app, &daemon, name, scenario).await;
    (daemon, app, shown, asker)
}

async fn ask(app: &App, daemon: &Daemon, name: &str, scenario: &str) -> String {
    let file = daemon.file("asks.json");
    fs::write(&file, scenario).unwrap();
    let before = displayed();
    let asker = app.start_demo(&file.display().to_string(), name).await;
    app.wait("a notification", async || (displayed() == before + 1).then_some(())).await;
    asker
}

const AUTH: &str = "Which auth?";

#[tokio::test]
async fn case_51_an_option_of_the_notification_answers_after_the_time_to_undo() {
    let name = format!("Pressed {}", std::process::id());
    let (daemon, app, shown, asker) = asked_out_of_view(&name, &asks(AUTH, &["JWT", "Session"])).await;
    let before = app.responses().len();
    let pressed = Instant::now();
    daemon.press(&app, "Session").await;
    app.wait("the button that takes it back", async || {
        daemon.buttons().await.contains("#Undo (").then_some(())
    })
    .await;
    assert!(pressed.elapsed() > Duration::from_secs(3) || app.responses().len() == before, "it waits");
    let answered = app.wait_for_responses(before + 1).await;
    assert!(pressed.elapsed() >= Duration::from_secs(3), "{:?}", pressed.elapsed());
    assert_eq!(answered[before]["updatedInput"]["answers"], json!({ AUTH: "Session" }));
    app.wait("the last notification to go", async || (displayed() == 0).then_some(())).await;
    let told = taken_back();
    let told = told.iter().find(|(title, _)| *title == name).map(|(_, body)| body.as_str());
    assert_eq!(told, Some("Answered: Session"));
    // The window stayed where it was.
    app.find(&format!("[data-session-view='{shown}']")).await;
    app.find(&format!("nav [data-session='{asker}'][data-state=idle]")).await;
    app.close().await;
}

#[tokio::test]
async fn case_52_undo_on_the_notification_keeps_the_question_open() {
    let (daemon, app, _, asker) = asked_out_of_view("Undone", &asks(AUTH, &["JWT", "Session"])).await;
    let before = app.responses().len();
    let seconds = 8;
    let change = json!({ "change": { "setting": "undo_seconds", "value": seconds } });
    app.invoke("change_setting", change).await.unwrap();
    let pressed = Instant::now();
    daemon.press(&app, "JWT").await;
    app.wait("the button that takes it back", async || {
        daemon.buttons().await.contains("#Undo (").then_some(())
    })
    .await;
    daemon.press(&app, "Undo").await;
    app.wait("the notification to go", async || (displayed() == 0).then_some(())).await;
    assert!(pressed.elapsed() < Duration::from_secs(seconds), "it was taken back, not answered");
    tokio::time::sleep(Duration::from_secs(seconds + 1)).await;
    assert_eq!(app.responses().len(), before);
    app.find(&format!("nav [data-session='{asker}'][data-state=needs_you]")).await;
    app.select(&asker).await;
    app.by_role("radio", "JWT").await;
    app.find("aside [data-request][data-state=open]").await;
    app.close().await;
}

#[tokio::test]
async fn case_51_the_notification_itself_and_open_answer_nothing() {
    let (daemon, app, shown, asker) = asked_out_of_view("Opened", &asks(AUTH, &["JWT", "Session"])).await;
    let before = app.responses().len();
    dunst(&["action", "0"]);
    app.find(&format!("[data-session-view='{asker}']")).await;
    app.by_role("radio", "JWT").await;
    app.select(&shown).await;
    let other = ask(&app, &daemon, "Opened too", &asks(AUTH, &["JWT", "Session"])).await;
    daemon.press(&app, "Open").await;
    app.find(&format!("[data-session-view='{other}']")).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(app.responses().len(), before);
    assert_eq!(displayed(), 0);
    app.close().await;
}

#[tokio::test]
async fn an_option_pressed_where_words_are_begun_brings_them_up_and_answers_nothing() {
    let (daemon, app, shown, asker) = asked_out_of_view("Begun", &asks(AUTH, &["JWT", "Session"])).await;
    let before = app.responses().len();
    app.select(&asker).await;
    app.find("aside textarea").await.send_keys("half a thought").await.unwrap();
    app.wait("the words to be kept", async || {
        let kept = app.invoke("read_drafts", json!({})).await.unwrap();
        kept.to_string().contains("half a thought").then_some(())
    })
    .await;
    app.select(&shown).await;
    daemon.press(&app, "JWT").await;
    app.find(&format!("[data-session-view='{asker}']")).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(app.responses().len(), before);
    let words = app.find("aside textarea").await.prop("value").await.unwrap();
    assert_eq!(words.as_deref(), Some("half a thought"));
    app.close().await;
}

#[tokio::test]
async fn an_agents_markup_and_endless_words_are_text_in_its_notification() {
    let name = format!("<b>R&D</b> {}", std::process::id());
    let hostile = "<i>a</i> & &lt; <a href=\"https://example.org\">b</a>\u{7}\u{202e}c";
    let scenario = asks(hostile, &["<b>Yes</b> & more", "\u{1b}[31mNo\u{7}"]);
    let (daemon, app, _, _) = asked_out_of_view(&name, &scenario).await;
    let buttons = daemon.buttons().await;
    assert!(buttons.contains("#<b>Yes</b> & more (") && buttons.contains("#No ("), "{buttons}");
    ask(&app, &daemon, "Endless", &asks(&"x".repeat(10_000), &["Yes", "No"])).await;
    dunst(&["close-all"]);
    let told = taken_back();
    let body = |title: &str| told.iter().find(|(of, _)| of == title).map(|(_, body)| body.clone());
    let escaped =
        "&lt;i&gt;a&lt;/i&gt; &amp; &amp;lt; &lt;a href=\"https://example.org\"&gt;b&lt;/a&gt;⟨U+202E⟩c";
    assert_eq!(body(&name).as_deref(), Some(escaped), "{told:?}");
    assert_eq!(body("Endless"), Some(format!("{}…", "x".repeat(300))));
    app.close().await;
}

#[tokio::test]
async fn a_daemon_that_is_killed_and_started_again_loses_no_question() {
    let (daemon, app, _, first) = asked_out_of_view("Before", &asks(AUTH, &["JWT", "Session"])).await;
    let before = app.responses().len();
    daemon.again().await;
    assert_eq!(displayed(), 0);
    app.find(&format!("nav [data-session='{first}'][data-state=needs_you]")).await;
    ask(&app, &daemon, "After", &asks("Which store?", &["Redis", "None"])).await;
    daemon.press(&app, "Redis").await;
    let answered = app.wait_for_responses(before + 1).await;
    assert_eq!(answered[before]["updatedInput"]["answers"], json!({ "Which store?": "Redis" }));
    app.select(&first).await;
    app.click("radio", "JWT").await;
    app.click("button", "Submit").await;
    let answered = app.wait_for_responses(before + 2).await;
    assert_eq!(answered[before + 1]["updatedInput"]["answers"], json!({ AUTH: "JWT" }));
    app.close().await;
}

#[tokio::test]
async fn an_app_that_quits_takes_its_notifications_back() {
    let (_daemon, app, _, _) = asked_out_of_view("Left", &asks(AUTH, &["JWT", "Session"])).await;
    let change = json!({ "change": { "setting": "on_close", "value": "quit" } });
    app.invoke("change_setting", change).await.unwrap();
    let close = "xdotool search --sync --onlyvisible --name '(^|[)] )Askdesk$' windowactivate --sync && xdotool key alt+F4";
    assert!(Command::new("sh").args(["-c", close]).status().unwrap().success());
    let agree = "xdotool search --sync --onlyvisible --name '^Quit Askdesk' windowactivate --sync && xdotool key alt+q Return";
    assert!(Command::new("sh").args(["-c", agree]).status().unwrap().success());
    let began = Instant::now();
    while displayed() > 0 {
        assert!(began.elapsed() < PATIENCE, "the notification stays");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_test_question_of_the_settings_reaches_by_a_notification_and_the_settings_say_why() {
    let app = App::open().await;
    let daemon = Daemon::start().await;
    dunst(&["close-all"]);
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.find(&format!("nav [data-session='{shown}'][data-state=idle]")).await;
    app.click("button", "Settings").await;
    app.click("button", "Send a test question").await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    app.script("document.querySelector('dialog .test + details > summary').click()", vec![]).await;
    let list = "return document.querySelector('dialog .test + details li')?.innerText ?? ''";
    app.wait("the decision in the list", async || {
        let first = app.script(list, vec![]).await;
        let said = |words: &str| first.as_str().is_some_and(|first| first.contains(words));
        (said("A question of Test question") && said("Notified.")).then_some(())
    })
    .await;
    app.script("document.querySelector('dialog .test + details').scrollIntoView({ block: 'end' })", vec![])
        .await;
    app.picture("settings-reach").await;
    daemon.press(&app, "Yes, by a notification").await;
    let before = app.responses().len();
    let answered = app.wait_for_responses(before + 1).await;
    let answers = json!({ "Did this question reach you?": "Yes, by a notification" });
    assert_eq!(answered[before]["updatedInput"]["answers"], answers);
    assert_eq!(taken_back().iter().filter(|(title, _)| title == "Test question").count(), 1);
    app.find("nav [data-state=ended]").await;
    app.close().await;
}
