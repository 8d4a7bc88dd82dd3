//! The private desktop of the tests: its windows, its notifications, and the processes of the app.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{App, PATIENCE};

/// The title of the window, with or without a count.
pub const WINDOW: &str = "(^|[)] )Askdesk$";

pub const QUIT_DIALOG: &str = "^Quit Askdesk";

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is not installed: {error}"));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub fn xdotool(args: &[&str]) -> String {
    output("xdotool", args)
}

/// Puts something on the clipboard, from a program of its own that serves it until something else is copied.
pub fn copy(target: &str, content: &[u8]) {
    let mut child = Command::new("xclip")
        .args(["-selection", "clipboard", "-target", target, "-in"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("xclip is not installed: {error}"));
    child.stdin.take().unwrap().write_all(content).unwrap();
    // It goes on in the background once it has the clipboard.
    assert!(child.wait().unwrap().success());
}

/// Counts the windows that are visible on this workspace.
pub fn visible_windows(title: &str) -> usize {
    xdotool(&["search", "--onlyvisible", "--name", title]).lines().count()
}

/// Returns the titles of all visible windows, the active one marked.
pub fn all_visible_windows() -> Vec<String> {
    let active = xdotool(&["getactivewindow"]);
    let ids = xdotool(&["search", "--onlyvisible", "--name", "."]);
    let title = |id: &str| {
        let mark = if id == active { " (active)" } else { "" };
        format!("{:?}{mark}", xdotool(&["getwindowname", id]))
    };
    ids.lines().map(title).collect()
}

pub fn is_visible() -> bool {
    visible_windows(WINDOW) > 0
}

/// Counts the windows of the app, hidden ones too.
pub fn windows() -> usize {
    xdotool(&["search", "--name", WINDOW]).lines().count()
}

pub fn active_window() -> String {
    xdotool(&["getactivewindow", "getwindowname"])
}

/// Waits for a window, and focuses it unless it has the focus. A window that closes between the search and the focus is looked
/// for again.
///
/// While the window manager carries out a request to focus, it can lose a key of its own, such as Alt+F4.
pub fn activate(title: &str) {
    let active = xdotool(&["getactivewindow"]);
    if xdotool(&["search", "--onlyvisible", "--name", title]).lines().any(|id| id == active) {
        return;
    }
    let search = ["search", "--sync", "--onlyvisible", "--name", title, "windowactivate", "--sync"];
    let began = Instant::now();
    loop {
        let tried = Command::new("xdotool").args(search).output().expect("xdotool is installed");
        if tried.status.success() {
            return;
        }
        let said = String::from_utf8_lossy(&tried.stderr);
        assert!(began.elapsed() < PATIENCE, "{title} cannot be focused: {said}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Closes the window by the window manager's keys.
pub fn press_close() {
    activate(WINDOW);
    xdotool(&["key", "alt+F4"]);
}

/// Chooses to quit in the dialog.
pub fn confirm_quit() {
    activate(QUIT_DIALOG);
    xdotool(&["key", "alt+q", "Return"]);
}

pub fn dunst(args: &[&str]) -> String {
    output("dunstctl", args)
}

/// Counts the notifications that are on the screen.
pub fn displayed() -> usize {
    dunst(&["count", "displayed"]).parse().unwrap_or_default()
}

pub fn clear_notifications() {
    dunst(&["close-all"]);
}

/// Clicks the newest notification itself, not one of its buttons.
pub fn click_notification() {
    dunst(&["action", "0"]);
}

/// Returns title and text of the notifications that are closed, newest first.
pub fn notification_history() -> Vec<(String, String)> {
    let history: Value = serde_json::from_str(&dunst(&["history"])).unwrap();
    let all = history["data"][0].as_array().cloned().unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field]["data"].as_str().unwrap_or_default().to_owned();
    all.iter().map(|entry| (text(entry, "summary"), text(entry, "body"))).collect()
}

/// Returns the names of the processes below one.
pub fn descendants(root: u32) -> Vec<String> {
    let listed = output("ps", &["-e", "-o", "pid=,ppid=,comm="]);
    let mut known = vec![root.to_string()];
    let mut names = Vec::new();
    // A parent does not always have the lower number.
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

/// Returns the ids of the processes below one with this name.
pub fn descendants_named(root: u32, name: &str) -> Vec<String> {
    let ids = output("pgrep", &["-x", name]);
    let below = |id: &&str| {
        let mut id = (*id).to_owned();
        while id != "1" && !id.is_empty() {
            if id == root.to_string() {
                return true;
            }
            id = output("ps", &["-o", "ppid=", "-p", &id]);
        }
        false
    };
    ids.lines().filter(below).map(str::to_owned).collect()
}

/// Lists the files below a folder that contain a text, except the demo agent's record.
pub fn holders(folder: &Path, text: &str) -> Vec<String> {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(holders(&path, text));
        } else if path.file_name().is_some_and(|name| name != "record.jsonl") {
            let bytes = fs::read(&path).unwrap_or_default();
            let holds = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
            if holds(text.as_bytes()) || holds(&utf16) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

impl App {
    /// Opens the app on an idle session while another one asks, with a notification; returns both sessions.
    pub async fn open_notified() -> (Self, String, String) {
        let app = Self::open().await;
        clear_notifications();
        let shown = app.show_idle_session().await;
        let asker = app.start_demo("technology", "Asks").await;
        app.notifications(1).await;
        (app, shown, asker)
    }

    /// Waits until this many notifications are on the screen.
    pub async fn notifications(&self, count: usize) {
        let what = format!("{count} notifications");
        self.wait(&what, async || (displayed() == count).then_some(())).await;
    }

    pub async fn window_visible(&self, visible: bool) {
        let what = if visible { "a visible window" } else { "no visible window" };
        self.wait(what, async || (is_visible() == visible).then_some(())).await;
    }

    pub async fn minimize(&self) {
        xdotool(&["search", "--name", WINDOW, "windowminimize"]);
        self.window_visible(false).await;
    }

    /// Counts the processes that render a page.
    pub fn pages(&self) -> usize {
        descendants(self.root()).iter().filter(|name| name.starts_with("WebKitWebPro")).count()
    }

    /// Closes the window to the tray, and waits until it is destroyed with its page.
    pub async fn close_to_tray(&self) {
        press_close();
        self.window_destroyed().await;
    }

    pub async fn window_destroyed(&self) {
        self.wait("no window and no page", async || (windows() == 0 && self.pages() == 0).then_some(()))
            .await;
    }

    /// Waits until the window is in front with the focus in a question of this session, and nothing is chosen.
    pub async fn shows_question(&self, session: &str) {
        let script = "const card = document.activeElement?.closest('aside fieldset');
            return [document.hasFocus(), card !== null && card !== undefined, document.activeElement?.checked === true,
                document.querySelector('[data-session-view]')?.dataset.sessionView ?? ''];";
        let expected = json!([true, true, false, session]);
        let mut last = json!(null);
        let began = std::time::Instant::now();
        // The page has the focus before the window manager names its window as the active one.
        while last != expected || !is_visible() || !active_window().ends_with("Askdesk") {
            last = self.script(script, vec![]).await;
            let waited = began.elapsed();
            assert!(waited < PATIENCE, "not {expected} but {last}, and \"{}\" is in front", active_window());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }
}
