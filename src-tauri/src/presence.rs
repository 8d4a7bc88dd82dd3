//! Whether the window is there. Closing it to the tray ends it, with its page and the memory that took; it is made anew when
//! it is wanted. Comings and goings are one after the other, so there is never a second window.

mod course;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_api::Error;
use askdesk_api::dto::NoteView;
use askdesk_domain::{Rejection, Settings, ValidationError};
use serde_json::{Value, json};
use tauri::{AppHandle, Emitter, Manager, State};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout_at};

use crate::opening::Opening;
use crate::subscribe::Subscriptions;
use crate::{language, window};
use course::{Act, Course, Heard};

pub use course::{Focus, Goal};

/// Tells the page that it is asked to keep everything.
const LEAVING: &str = "leaving";

/// How long a page may take to keep everything before its window is only hidden.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many bytes a page may leave to the next one.
const MAX_LEFT_BYTES: usize = 8 * 1024 * 1024;

/// How long the system may take to end a window.
const ENDING: Duration = Duration::from_secs(2);

/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(5);

/// The way to those who bring the window up and let it go.
pub struct Presence {
    tell: mpsc::UnboundedSender<Message>,
    messages: Mutex<Option<mpsc::UnboundedReceiver<Message>>>,
    wanted: AtomicU32,
    /// The number under which the page is asked; none is zero.
    asked: AtomicU32,
    /// Whether there is none, and the app goes on.
    away: AtomicBool,
    /// Counts the windows that were made.
    made: watch::Sender<u32>,
}

enum Message {
    Heard(Heard),
    Left { ask: u32, left: Value },
}

impl Default for Presence {
    fn default() -> Self {
        let (tell, messages) = mpsc::unbounded_channel();
        let (wanted, asked, away) = Default::default();
        let messages = Mutex::new(Some(messages));
        Self { tell, messages, wanted, asked, away, made: watch::Sender::new(0) }
    }
}

impl Presence {
    /// Says whether the app goes on without a window.
    pub fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Returns how often it was wanted until now.
    pub fn wanted(&self) -> u32 {
        self.wanted.load(Ordering::Relaxed)
    }

    pub fn want(&self, focus: Focus) {
        self.wanted.fetch_add(1, Ordering::Relaxed);
        self.hear(Heard::Wanted(focus));
    }

    /// Lets it go, unless it was wanted more often by then.
    pub fn leave(&self, goal: Goal, wanted: u32) {
        self.hear(Heard::Leave { goal, wanted });
    }

    /// Tells of each window that is made.
    pub fn made(&self) -> watch::Receiver<u32> {
        self.made.subscribe()
    }

    fn hear(&self, heard: Heard) {
        // Nobody hears it only when the app ends.
        let _ = self.tell.send(Message::Heard(heard));
    }
}

/// Begins with a window on the screen, or with none.
pub fn start(app: &AppHandle, settings: Option<watch::Receiver<Settings>>, there: bool) -> tauri::Result<()> {
    let presence = app.state::<Presence>();
    let messages = presence.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut comings = Comings { app: app.clone(), settings, left: None, course: Course::new(there) };
    if there {
        window::open_first(app, &comings.script())?;
    } else {
        presence.away.store(true, Ordering::Relaxed);
    }
    if let Some(messages) = messages {
        tauri::async_runtime::spawn(async move { comings.attend(messages).await });
    }
    Ok(())
}

/// Returns the number under which the page is asked to keep everything, if it is.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn leaving(presence: State<'_, Presence>) -> Option<u32> {
    Some(presence.asked.load(Ordering::Relaxed)).filter(|ask| *ask != 0)
}

/// Hears that the page has kept everything, and what the next one is to show.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn kept(presence: State<'_, Presence>, ask: u32, left: Value) -> Result<(), Error> {
    let bytes = left.to_string().len();
    if bytes > MAX_LEFT_BYTES {
        return Err(
            Rejection::invalid("left", ValidationError::TooLong { most: MAX_LEFT_BYTES, bytes }).into()
        );
    }
    let _ = presence.tell.send(Message::Left { ask, left });
    Ok(())
}

struct Comings {
    app: AppHandle,
    settings: Option<watch::Receiver<Settings>>,
    /// What the page before left to the next.
    left: Option<Value>,
    course: Course,
}

impl Comings {
    async fn attend(&mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        let mut late: Option<(u32, Instant)> = None;
        loop {
            let message = match late {
                Some((ask, at)) => match timeout_at(at, messages.recv()).await {
                    Ok(message) => message,
                    Err(_) => Some(Message::Heard(Heard::Late(ask))),
                },
                None => messages.recv().await,
            };
            let heard = match message {
                None => return,
                Some(Message::Heard(heard)) => heard,
                Some(Message::Left { ask, left }) => {
                    self.left = Some(left);
                    Heard::Kept(ask)
                }
            };
            let act = self.course.hear(heard);
            let asked = self.course.asked();
            self.presence().asked.store(asked.unwrap_or_default(), Ordering::Relaxed);
            if let Act::Ask(ask) = act {
                late = Some((ask, Instant::now() + PATIENCE));
            } else if late.is_some_and(|(ask, _)| asked != Some(ask) || heard == Heard::Late(ask)) {
                late = None;
            }
            self.carry_out(act).await;
        }
    }

    fn presence(&self) -> State<'_, Presence> {
        self.app.state()
    }

    async fn carry_out(&mut self, act: Act) {
        match act {
            Act::Nothing => {}
            Act::Make(focus) => self.make(focus).await,
            Act::Raise(focus) => window::bring_up(&self.app, focus),
            Act::Ask(_) => {
                // A page that does not listen yet looks by itself once it does.
                if let Err(error) = self.app.emit_to(window::MAIN, LEAVING, ()) {
                    tracing::warn!(%error, "the window was not told that it is to close");
                }
            }
            Act::Hide => window::hide(&self.app),
            Act::End => self.end().await,
            Act::Exit => self.app.exit(0),
        }
    }

    async fn make(&mut self, focus: Focus) {
        let (app, script) = (self.app.clone(), self.script());
        let made = tauri::async_runtime::spawn_blocking(move || window::open(&app, &script, focus)).await;
        match made {
            Ok(Ok(())) => {
                self.presence().away.store(false, Ordering::Relaxed);
                self.presence().made.send_modify(|made| *made += 1);
            }
            Ok(Err(error)) => self.not_made(&error.to_string()),
            Err(error) => self.not_made(&error.to_string()),
        }
    }

    fn not_made(&mut self, error: &str) {
        tracing::error!(error, "the window could not be made");
        self.course.failed(false);
    }

    async fn end(&mut self) {
        let Some(window) = self.app.get_webview_window(window::MAIN) else { return };
        // The end of the last window asks whether the app is to end.
        self.presence().away.store(true, Ordering::Relaxed);
        if let Err(error) = window.destroy() {
            tracing::warn!(%error, "the window could not be ended and is only hidden");
            self.presence().away.store(false, Ordering::Relaxed);
            self.course.failed(true);
            return window::hide(&self.app);
        }
        drop(window);
        let began = Instant::now();
        while self.app.get_webview_window(window::MAIN).is_some() && began.elapsed() < ENDING {
            sleep(LOOK).await;
        }
        self.app.state::<Subscriptions>().end_all();
        if let Some(desk) = self.app.state::<Opening>().now() {
            // Nobody looks at anything now.
            let nothing = NoteView { session: None, focused: false };
            if let Err(error) = desk.note_view(nothing).await {
                tracing::warn!(error = error.message, "what the window showed counts as seen");
            }
        }
    }

    /// What the page knows before its first line runs.
    fn script(&self) -> String {
        let chosen = self.settings.as_ref().map(|settings| settings.borrow().language);
        let language = language::script(chosen.unwrap_or_default());
        match &self.left {
            // A text and not an object: a name in it could mean something to the language itself.
            Some(left) => {
                let left = json!(left.to_string());
                format!("{language}\nObject.defineProperty(window, '__ASKDESK_LEFT__', {{ value: {left} }});")
            }
            None => language,
        }
    }
}
