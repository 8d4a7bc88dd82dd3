//! Askdesk as it runs in the system of the trial: started from the desktop's menu, seen and steered through the display.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::report::{Failure, Result, ensure, failed};
use crate::root::{Root, run};

/// The entry that the package puts into the desktop's menu.
pub const ENTRY: &str = "usr/share/applications/Askdesk.desktop";
/// The title of the window, with or without a count.
const WINDOW: &str = "(^|[)] )Askdesk$";
/// The program of the app.
const PROGRAM: &str = "/usr/bin/askdesk-desktop";
/// The data folder, below the user's home.
pub const DATA: &str = ".local/share/io.github.askdesk";
/// How long anything may take; a machine that builds something else is slow.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// How long the page of a started app may take until it takes keys.
const SETTLING: Duration = Duration::from_secs(8);
const POLL: Duration = Duration::from_millis(250);
/// Names the folder for pictures of the display.
const PICTURES: &str = "ASKDESK_PICTURES";

/// A session bus, as a desktop has one.
pub struct Bus(Child);

impl Bus {
    pub async fn start(root: &Root) -> Result<Self> {
        let mut daemon =
            root.menu(&["dbus-daemon", "--session", "--nofork", "--address=unix:path=/run/user/1000/bus"]);
        let bus = Self(daemon.stdin(Stdio::null()).spawn()?);
        until("the session bus", || Ok(root.path("run/user/1000/bus").exists().then_some(()))).await?;
        Ok(bus)
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The running app.
pub struct Desk<'a> {
    root: &'a Root,
    /// None if the app has restarted itself.
    app: Option<Child>,
}

impl<'a> Desk<'a> {
    /// Starts the app by the line of its entry, and waits for its window and its connection.
    pub async fn open(root: &'a Root) -> Result<Self> {
        let entry = fs::read_to_string(root.path(ENTRY))?;
        let line = entry.lines().find_map(|line| line.strip_prefix("Exec="));
        let line = line.ok_or_else(|| Failure::from("the entry of the menu has no Exec line"))?;
        let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with('%')).collect();
        let app = root.menu(&words).stdin(Stdio::null()).spawn()?;
        let mut desk = Self { root, app: Some(app) };
        until("the window", || desk.window()).await?;
        desk.until_ready().await
    }

    /// Waits until the app that this one has started in its place is ready.
    pub async fn restarted(mut self) -> Result<Self> {
        if let Some(app) = &mut self.app {
            until("the end of the old version", || Ok(app.try_wait()?)).await?;
        }
        let mut restarted = Self { root: self.root, app: None };
        until("the window of the new version", || restarted.window()).await?;
        let restarted = restarted.until_ready().await?;
        // Its page may still be loading.
        tokio::time::sleep(SETTLING).await;
        Ok(restarted)
    }

    async fn until_ready(self) -> Result<Self> {
        let published = self.root.home(DATA).join("desk.json");
        until("the connection for other programs", || Ok(published.exists().then_some(()))).await?;
        until("an answer of `askdesk list`", || Ok(self.root.type_line("askdesk list --json").ok())).await?;
        Ok(self)
    }

    fn window(&mut self) -> Result<Option<String>> {
        if let Some(app) = &mut self.app
            && let Some(status) = app.try_wait()?
        {
            return failed(format!("the app ended with {status}"));
        }
        Ok(window())
    }

    /// Returns the ids of the open questions.
    pub fn questions(&self) -> Result<Vec<String>> {
        let listed: Value = serde_json::from_str(&self.root.type_line("askdesk list --json")?)?;
        let requests = listed["requests"].as_array().cloned().unwrap_or_default();
        Ok(requests.iter().filter_map(|request| request["requestId"].as_str()).map(str::to_owned).collect())
    }

    /// Waits for the one open question.
    pub async fn question(&self) -> Result<String> {
        until("a question", || Ok(self.questions()?.into_iter().next())).await
    }

    /// Leads the window to a question by its link, as a click on one does, and answers it by a key.
    pub async fn answer_by_key(&self, question: &str, key: &str) -> Result<()> {
        self.root.type_line(&format!("xdg-open askdesk://request/{question}"))?;
        until("the window in front", || {
            let active = Command::new("xdotool").arg("getactivewindow").output()?;
            let active = String::from_utf8_lossy(&active.stdout).trim().to_owned();
            Ok((window().as_deref() == Some(&active)).then_some(()))
        })
        .await?;
        // A card that has just appeared takes no keys for half a second.
        tokio::time::sleep(Duration::from_secs(2)).await;
        picture("question");
        press(key)?;
        let gone = || Ok(self.questions()?.iter().all(|open| open != question).then_some(()));
        let answered = until("the answer of a question", gone).await;
        picture("answered");
        answered
    }

    /// Quits the app as its user does, and waits until nothing of it runs.
    pub async fn quit(mut self) -> Result<()> {
        press("ctrl+q")?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        // It asks first if something is running. The dialog starts on its button.
        if self.root.runs(PROGRAM) {
            press("Return")?;
        }
        until("the end of the app", || Ok((!self.root.runs(PROGRAM)).then_some(()))).await?;
        match self.app.take() {
            Some(mut app) => {
                let status = app.wait()?;
                ensure(status.success(), || format!("the app ended with {status}"))
            }
            None => Ok(()),
        }
    }
}

fn window() -> Option<String> {
    let found = Command::new("xdotool").args(["search", "--onlyvisible", "--name", WINDOW]).output().ok()?;
    String::from_utf8_lossy(&found.stdout).lines().next().map(str::to_owned)
}

pub fn press(key: &str) -> Result<()> {
    run(Command::new("xdotool").args(["key", "--clearmodifiers", key])).map(drop)
}

pub fn type_text(text: &str) -> Result<()> {
    run(Command::new("xdotool").args(["type", "--delay", "20", text])).map(drop)
}

/// Takes a picture of the display if a folder for pictures is named.
pub fn picture(name: &str) {
    if let Some(folder) = std::env::var_os(PICTURES) {
        let file = Path::new(&folder).join(format!("{name}.png"));
        let _ = Command::new("import").args(["-window", "root"]).arg(file).status();
    }
}

/// Waits until something is there.
pub async fn until<T>(what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let began = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if began.elapsed() > PATIENCE {
            picture("waited-in-vain");
            return failed(format!("waited {} s in vain for {what}", PATIENCE.as_secs()));
        }
        tokio::time::sleep(POLL).await;
    }
}
