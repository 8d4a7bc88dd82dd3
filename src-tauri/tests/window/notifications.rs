//! The buttons of notifications in a real daemon: an option answers after the undo window, the notification itself answers
//! nothing, and a daemon that is killed loses no question.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;

use crate::desktop::{
    clear_notifications, click_notification, confirm_quit, displayed, dunst, notification_history,
    press_close,
};
use crate::harness::{App, OPEN_CARD, wait_until};

const DAEMON: &str = "org.freedesktop.Notifications";

/// The notification daemon, restarted with a menu program in which a test chooses buttons.
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
        daemon.restart().await;
        clear_notifications();
        daemon
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Kills the daemon and starts another one.
    async fn restart(&self) {
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
        // It remains for later tests, and ends with the bus.
        drop(dunst.spawn().expect("dunst is installed"));
        while !bus.name_has_owner(name()).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the buttons of all notifications, as the daemon's menu lists them.
    async fn buttons(&self) -> String {
        self.choose("no such button").await
    }

    /// Presses the button with this label, once it exists.
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
        // Without buttons, the daemon opens no menu.
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if let Ok(lines) = fs::read_to_string(&lines) {
                return lines;
            }
        }
        String::new()
    }
}

/// The turns of an agent that asks one question.
fn asks(question: &str, options: &[&str]) -> Value {
    let options: Vec<_> = options.iter().map(|label| json!({ "label": label, "description": "" })).collect();
    let question =
        json!({ "question": question, "header": "Auth", "multiSelect": false, "options": options });
    json!([[{ "ask": { "questions": [question] } }, { "say": { "text": "Thank you." } }]])
}

/// Opens the app on an idle session while another one asks; returns both.
async fn open_notified(name: &str, turns: Value) -> (Daemon, App, String, String) {
    let app = App::open().await;
    // Only now is it this test's turn to use the daemon.
    let daemon = Daemon::start().await;
    let shown = app.show_idle_session().await;
    let asker = ask(&app, name, turns).await;
    (daemon, app, shown, asker)
}

async fn ask(app: &App, name: &str, turns: Value) -> String {
    let before = displayed();
    let asker = app.start_demo(&app.scenario("asks", turns), name).await;
    app.notifications(before + 1).await;
    asker
}

const AUTH: &str = "Which auth?";

/// Opens the app on an idle session while another one asks for JWT or Session.
async fn open_asked_for_auth(name: &str) -> (Daemon, App, String, String) {
    open_notified(name, asks(AUTH, &["JWT", "Session"])).await
}

/// Waits until the notification offers to undo the answer.
async fn undo_offered(app: &App, daemon: &Daemon) {
    app.wait("an Undo button", async || daemon.buttons().await.contains("#Undo (").then_some(())).await;
}

#[tokio::test]
async fn case_51_an_option_of_the_notification_answers_after_the_undo_window() {
    let name = format!("Pressed {}", std::process::id());
    let (daemon, app, shown, asker) = open_asked_for_auth(&name).await;
    let pressed = Instant::now();
    daemon.press(&app, "Session").await;
    undo_offered(&app, &daemon).await;
    assert!(pressed.elapsed() > Duration::from_secs(3) || app.responses().len() == 1, "the answer is held");
    let answered = app.wait_for_responses(2).await;
    assert!(pressed.elapsed() >= Duration::from_secs(3), "{:?}", pressed.elapsed());
    assert_eq!(answered[1]["updatedInput"]["answers"], json!({ AUTH: "Session" }));
    app.notifications(0).await;
    let history = notification_history();
    let body = history.iter().find(|(title, _)| *title == name).map(|(_, body)| body.as_str());
    assert_eq!(body, Some("Answered: Session"));
    // The window has not changed.
    app.find(&format!("[data-session-view='{shown}']")).await;
    app.in_state(&asker, "idle").await;
}

#[tokio::test]
async fn case_52_undo_on_the_notification_keeps_the_question_open() {
    let (daemon, app, _, asker) = open_asked_for_auth("Undone").await;
    let seconds = 8;
    app.change_setting("undo_seconds", seconds).await;
    let pressed = Instant::now();
    daemon.press(&app, "JWT").await;
    undo_offered(&app, &daemon).await;
    daemon.press(&app, "Undo").await;
    app.notifications(0).await;
    assert!(pressed.elapsed() < Duration::from_secs(seconds), "it was undone and not sent");
    app.in_state(&asker, "needs_you").await;
    app.select(&asker).await;
    app.find(OPEN_CARD).await;
    app.check_unanswered(&asker, 1).await;
    app.answer("Session").await;
    let answered = app.wait_for_responses(2).await;
    assert_eq!(answered[1]["updatedInput"]["answers"], json!({ AUTH: "Session" }));
}

#[tokio::test]
async fn case_51_the_notification_itself_and_open_answer_nothing() {
    let (daemon, app, shown, asker) = open_asked_for_auth("Opened").await;
    click_notification();
    app.find(&format!("[data-session-view='{asker}']")).await;
    app.by_role("radio", "JWT").await;
    app.check_unanswered(&asker, 1).await;
    app.select(&shown).await;
    let other = ask(&app, "Opened too", asks(AUTH, &["JWT", "Session"])).await;
    daemon.press(&app, "Open").await;
    app.find(&format!("[data-session-view='{other}']")).await;
    app.check_unanswered(&other, 1).await;
    app.notifications(0).await;
}

#[tokio::test]
async fn an_option_opens_a_question_with_a_draft_and_answers_nothing() {
    let (daemon, app, shown, asker) = open_asked_for_auth("Begun").await;
    app.select(&asker).await;
    app.find("aside textarea").await.send_keys("half a thought").await.unwrap();
    app.wait("the draft", async || {
        let drafts = app.invoke("read_drafts", json!({})).await.unwrap();
        drafts.to_string().contains("half a thought").then_some(())
    })
    .await;
    app.select(&shown).await;
    daemon.press(&app, "JWT").await;
    app.find(&format!("[data-session-view='{asker}']")).await;
    app.check_unanswered(&asker, 1).await;
    let words = app.find("aside textarea").await.prop("value").await.unwrap();
    assert_eq!(words.as_deref(), Some("half a thought"));
}

#[tokio::test]
async fn an_agents_markup_and_long_text_are_plain_text_in_its_notification() {
    let name = format!("<b>R&D</b> {}", std::process::id());
    let hostile = "<i>a</i> & &lt; <a href=\"https://example.org\">b</a>\u{7}\u{202e}c";
    let turns = asks(hostile, &["<b>Yes</b> & more", "\u{1b}[31mNo\u{7}"]);
    let (daemon, app, _, _) = open_notified(&name, turns).await;
    let buttons = daemon.buttons().await;
    assert!(buttons.contains("#<b>Yes</b> & more (") && buttons.contains("#No ("), "{buttons}");
    ask(&app, "Endless", asks(&"x".repeat(10_000), &["Yes", "No"])).await;
    clear_notifications();
    let history = notification_history();
    let body = |title: &str| history.iter().find(|(of, _)| of == title).map(|(_, body)| body.clone());
    let escaped =
        "&lt;i&gt;a&lt;/i&gt; &amp; &amp;lt; &lt;a href=\"https://example.org\"&gt;b&lt;/a&gt;⟨U+202E⟩c";
    assert_eq!(body(&name).as_deref(), Some(escaped), "{history:?}");
    assert_eq!(body("Endless"), Some(format!("{}…", "x".repeat(300))));
}

#[tokio::test]
async fn the_branch_is_named_in_a_notification_unless_its_text_is_hidden() {
    let (_daemon, app, _, _) = open_asked_for_auth("Elsewhere").await;
    let folder = app.home().join("code/shop-api");
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::write(folder.join(".git/HEAD"), "ref: refs/heads/oauth-login\n").unwrap();
    let start = async |name: &str, turns: Value| {
        let options = json!({ "config": { "example": app.scenario(name, turns) } });
        let input = json!({ "agent": "demo", "folder": folder, "options": options, "name": name, "prompt": "Go on." });
        app.start_session(input).await
    };
    let asks = || asks("Which one?", &["A", "B"])[0].clone();
    start("shop-api", json!([asks()])).await;
    app.notifications(2).await;

    let session = start("hidden", json!([[{ "say": { "text": "Ready." } }], asks()])).await;
    app.wait("the end of its turn", async || {
        let idle = format!("nav [data-session='{session}'][data-state=idle]");
        (app.count(&idle).await > 0).then_some(())
    })
    .await;
    let hide = json!({ "requestId": uuid::Uuid::new_v4(), "session": session,
        "attention": { "muted": false, "private": true } });
    app.invoke("set_session_notifications", hide).await.unwrap();
    let message = json!({ "requestId": uuid::Uuid::new_v4(), "session": session, "text": "Ask." });
    app.invoke("send_message", message).await.unwrap();
    app.notifications(3).await;
    clear_notifications();
    let history = notification_history();
    for (title, body) in [("shop-api · oauth-login", "Which one?"), ("hidden", "A question is waiting")] {
        let shown = (title.to_owned(), body.to_owned());
        assert!(history.contains(&shown), "{history:?}");
    }
}

#[tokio::test]
async fn a_daemon_that_is_killed_and_restarted_loses_no_question() {
    let (daemon, app, _, first) = open_asked_for_auth("Before").await;
    daemon.restart().await;
    assert_eq!(displayed(), 0);
    app.in_state(&first, "needs_you").await;
    ask(&app, "After", asks("Which store?", &["Redis", "None"])).await;
    daemon.press(&app, "Redis").await;
    let answered = app.wait_for_responses(2).await;
    assert_eq!(answered[1]["updatedInput"]["answers"], json!({ "Which store?": "Redis" }));
    app.select(&first).await;
    app.answer("JWT").await;
    let answered = app.wait_for_responses(3).await;
    assert_eq!(answered[2]["updatedInput"]["answers"], json!({ AUTH: "JWT" }));
}

#[tokio::test]
async fn an_app_that_quits_withdraws_its_notifications() {
    let (_daemon, app, _, _) = open_asked_for_auth("Left").await;
    app.change_setting("on_close", "quit").await;
    press_close();
    confirm_quit();
    wait_until("no notification", async || (displayed() == 0).then_some(())).await;
}
