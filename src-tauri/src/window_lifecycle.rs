//! The life of the window. Closing it to the tray destroys it with its page, to free the memory; showing it again creates a new
//! one. One task handles all events in order, so there is never a second window.
//! Before the window closes, its page saves everything. If that takes longer than a second, closing to the tray hides the window
//! instead, and quitting ends the app.

mod state;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_contract::Error;
use askdesk_desk::{Desk, View};
use askdesk_domain::{Rejection, Settings, ValidationError};
use serde_json::{Value, json};
use tauri::{AppHandle, Emitter, Manager, State, WebviewWindow};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout_at};

use crate::subscribe::Subscriptions;
use crate::updates::Updates;
use crate::window::Focus;
use crate::{field_menu, language, page_crash, subscribe, window};
use state::{Action, Event, StateMachine};

pub use state::Goal;

/// The event that asks the page to save everything.
const CLOSE_EVENT: &str = "close";

/// A page that has not saved everything after this time is hidden, not destroyed.
const SAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// The most bytes that a page may hand over to the next one.
const MAX_HANDOVER_BYTES: usize = 8 * 1024 * 1024;

/// How long the system may take to destroy a window.
const DESTROY_TIMEOUT: Duration = Duration::from_secs(2);

const DESTROY_POLL: Duration = Duration::from_millis(5);

/// Sends events to the task that shows and closes the window.
pub struct WindowLifecycle {
    sender: mpsc::UnboundedSender<Message>,
    messages: Mutex<Option<mpsc::UnboundedReceiver<Message>>>,
    show_count: AtomicU32,
    /// The number of the save request to the page; zero is none.
    save_request: AtomicU32,
    /// The app runs in the tray.
    no_window: AtomicBool,
    created: watch::Sender<u32>,
}

enum Message {
    Event(Event),
    PageSaved { request: u32, handover: Value },
}

impl Default for WindowLifecycle {
    fn default() -> Self {
        let (sender, messages) = mpsc::unbounded_channel();
        let (show_count, save_request, no_window) = Default::default();
        let messages = Mutex::new(Some(messages));
        Self { sender, messages, show_count, save_request, no_window, created: watch::Sender::new(0) }
    }
}

impl WindowLifecycle {
    pub fn has_no_window(&self) -> bool {
        self.no_window.load(Ordering::Relaxed)
    }

    /// Returns how often [`Self::show`] was called.
    pub fn show_count(&self) -> u32 {
        self.show_count.load(Ordering::Relaxed)
    }

    pub fn show(&self, focus: Focus) {
        self.show_count.fetch_add(1, Ordering::Relaxed);
        self.send(Event::ShowRequested(focus));
    }

    /// Closes the window, unless it was shown again since the count was taken.
    pub fn close(&self, goal: Goal, show_count: u32) {
        self.send(Event::CloseRequested { goal, show_count });
    }

    pub fn watch_created(&self) -> watch::Receiver<u32> {
        self.created.subscribe()
    }

    fn send(&self, event: Event) {
        // The task has ended only if the app is ending.
        let _ = self.sender.send(Message::Event(event));
    }
}

fn follow(window: &WebviewWindow) {
    page_crash::follow(window);
    field_menu::extend(window);
}

/// Starts the task, with a window or without.
pub fn start(app: &AppHandle, settings: Option<watch::Receiver<Settings>>, open: bool) -> tauri::Result<()> {
    let lifecycle = app.state::<WindowLifecycle>();
    let messages = lifecycle.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut driver = Driver { app: app.clone(), settings, handover: None, machine: StateMachine::new(open) };
    if open {
        if let Some(settings) = &driver.settings {
            window::set_theme(app, settings.borrow().theme);
        }
        window::create_first(app, &driver.script())?.iter().for_each(follow);
    } else {
        lifecycle.no_window.store(true, Ordering::Relaxed);
    }
    if let Some(messages) = messages {
        tauri::async_runtime::spawn(async move { driver.run(messages).await });
    }
    Ok(())
}

/// Returns the number of the save request that the page has not answered.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn close_request(lifecycle: State<'_, WindowLifecycle>) -> Option<u32> {
    Some(lifecycle.save_request.load(Ordering::Relaxed)).filter(|request| *request != 0)
}

/// The page calls this once it has saved everything; `handover` is for the next page.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn ready_to_close(
    lifecycle: State<'_, WindowLifecycle>,
    request: u32,
    handover: Value,
) -> Result<(), Error> {
    let bytes = handover.to_string().len();
    if bytes > MAX_HANDOVER_BYTES {
        return Err(Rejection::invalid(
            "handover",
            ValidationError::TooLong { most: MAX_HANDOVER_BYTES, bytes },
        )
        .into());
    }
    let _ = lifecycle.sender.send(Message::PageSaved { request, handover });
    Ok(())
}

struct Driver {
    app: AppHandle,
    settings: Option<watch::Receiver<Settings>>,
    /// What the last page handed over to the next one.
    handover: Option<Value>,
    machine: StateMachine,
}

impl Driver {
    async fn run(&mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        let mut timeout: Option<(u32, Instant)> = None;
        loop {
            let message = match timeout {
                Some((request, at)) => match timeout_at(at, messages.recv()).await {
                    Ok(message) => message,
                    Err(_) => Some(Message::Event(Event::PageTimedOut(request))),
                },
                None => messages.recv().await,
            };
            let event = match message {
                None => return,
                Some(Message::Event(event)) => event,
                Some(Message::PageSaved { request, handover }) => {
                    self.handover = Some(handover);
                    Event::PageSaved(request)
                }
            };
            let action = self.machine.handle(event);
            let open_request = self.machine.save_request();
            self.lifecycle().save_request.store(open_request.unwrap_or_default(), Ordering::Relaxed);
            if let Action::AskPage(request) = action {
                timeout = Some((request, Instant::now() + SAVE_TIMEOUT));
            } else if timeout.is_some_and(|(request, _)| {
                open_request != Some(request) || event == Event::PageTimedOut(request)
            }) {
                timeout = None;
            }
            self.carry_out(action).await;
        }
    }

    fn lifecycle(&self) -> State<'_, WindowLifecycle> {
        self.app.state()
    }

    async fn carry_out(&mut self, action: Action) {
        match action {
            Action::Nothing => {}
            Action::Create(focus) => self.create(focus).await,
            Action::Raise(focus) => window::show(&self.app, focus),
            Action::AskPage(_) => {
                // A page that does not listen yet asks once it has loaded.
                if let Err(error) = self.app.emit_to(window::MAIN, CLOSE_EVENT, ()) {
                    tracing::warn!(%error, "the page was not asked to save");
                }
            }
            Action::Hide => window::hide(&self.app),
            Action::Destroy => self.destroy().await,
            Action::Exit => self.app.exit(0),
            Action::Restart => {
                if self.app.state::<Updates>().may_restart().await {
                    self.app.request_restart();
                } else {
                    self.machine.failed(!self.lifecycle().has_no_window());
                }
            }
            Action::StayOpen => self.app.state::<Updates>().not_saved(),
        }
    }

    async fn create(&mut self, focus: Focus) {
        let (app, script) = (self.app.clone(), self.script());
        let created =
            tauri::async_runtime::spawn_blocking(move || window::create(&app, &script, focus)).await;
        match created.flatten() {
            Ok(window) => {
                window.iter().for_each(follow);
                self.lifecycle().no_window.store(false, Ordering::Relaxed);
                self.lifecycle().created.send_modify(|count| *count += 1);
            }
            Err(error) => {
                tracing::error!(%error, "the window could not be created");
                self.machine.failed(false);
            }
        }
    }

    async fn destroy(&mut self) {
        let Some(window) = self.app.get_webview_window(window::MAIN) else { return };
        // Destroying the last window makes Tauri ask whether to exit.
        self.lifecycle().no_window.store(true, Ordering::Relaxed);
        if let Err(error) = window.destroy() {
            tracing::warn!(%error, "the window could not be destroyed and is hidden instead");
            self.lifecycle().no_window.store(false, Ordering::Relaxed);
            self.machine.failed(true);
            return window::hide(&self.app);
        }
        drop(window);
        let began = Instant::now();
        while self.app.get_webview_window(window::MAIN).is_some() && began.elapsed() < DESTROY_TIMEOUT {
            sleep(DESTROY_POLL).await;
        }
        self.app.state::<Subscriptions>().end_all();
        if let Some(desk) = self.app.try_state::<Desk>() {
            desk.note_view(View::default());
        }
    }

    /// Returns the script that runs before the page's own.
    fn script(&self) -> String {
        let chosen = self.settings.as_ref().map(|settings| settings.borrow().language);
        let language = language::script(chosen.unwrap_or_default());
        let start = subscribe::START_SCRIPT;
        match &self.handover {
            // A JSON string, not an object literal, in which the key `__proto__` has a meaning.
            Some(handover) => {
                let left = json!(handover.to_string());
                format!(
                    "{language}\n{start}\nObject.defineProperty(window, '__ASKDESK_LEFT__', {{ value: {left} }});"
                )
            }
            None => format!("{language}\n{start}"),
        }
    }
}
