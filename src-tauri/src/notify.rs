//! Notifications of the system: told once, taken back when the question ends, a click brings up the window.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_api::DeskApi;
use askdesk_domain::{Occasion, Settings, Waiting};
use askdesk_engine::{Attention, with_reminders};
use tauri::{AppHandle, Emitter};
use tauri_plugin_notification::{Action, ActionPerformed, ActionType, NotificationExt};
use tokio::sync::mpsc;

use crate::notices::{self, About, Notice};
use crate::{language, window};

/// The set of buttons of a question's notification.
const QUESTION_ACTIONS: &str = "question";

/// Tells the window which request or approval a click was about.
const OPEN_REQUEST: &str = "open-request";

/// What the shown notifications are about. Their numbers are ours: the system's are not known.
#[derive(Default)]
struct Shown {
    last: i32,
    numbers: HashMap<About, i32>,
}

impl Shown {
    fn add(&mut self, about: About) -> i32 {
        self.last = self.last.wrapping_add(1);
        self.numbers.insert(about, self.last);
        self.last
    }

    fn by_number(&self, number: i32) -> Option<About> {
        self.numbers.iter().find(|(_, shown)| **shown == number).map(|(about, _)| *about)
    }
}

/// Carries out what the engine says the person should be told.
pub fn listen(app: &AppHandle, desk: DeskApi, attention: mpsc::Receiver<Attention>) {
    let shown = Arc::new(Mutex::new(Shown::default()));
    hear_clicks(app, desk.clone(), Arc::clone(&shown));
    let settings = desk.settings().watch();
    speak(app, &settings.borrow());
    let (mut attention, reminding) = with_reminders(desk.engine(), desk.settings().watch(), attention);
    tauri::async_runtime::spawn(reminding);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let post = |notice: Option<Notice>| {
            let Some(Notice { about, title, body }) = notice else { return };
            // One that was told of before, or an older summary, gives way.
            remove(&app, &shown, about);
            let number = shown.lock().unwrap_or_else(PoisonError::into_inner).add(about);
            show(&app, number, &title, &body);
        };
        let take_back = |about: About| remove(&app, &shown, about);
        while let Some(attention) = attention.recv().await {
            match attention {
                Attention::Asked { request, session } => {
                    post(notices::of_question(&desk, Occasion::Asked, &request, &session));
                }
                Attention::StillWaits { request, session } => {
                    // It may have been muted since it was asked.
                    let session = desk.engine().session(session.id).await.unwrap_or(session);
                    post(notices::of_question(&desk, Occasion::Reminder, &request, &session));
                }
                Attention::ApprovalAsked { approval, session } => {
                    post(notices::of_approval(&desk, &approval, &session));
                }
                Attention::Ended { request } => {
                    take_back(notices::over(&desk, Waiting::Question(request)));
                }
                Attention::ApprovalEnded { approval } => {
                    take_back(notices::over(&desk, Waiting::Permission(approval)));
                }
            }
        }
    });
}

fn remove(app: &AppHandle, shown: &Mutex<Shown>, about: About) {
    let number = shown.lock().unwrap_or_else(PoisonError::into_inner).numbers.remove(&about);
    if let Some(number) = number
        && let Err(error) = app.notification().remove_active(vec![number])
    {
        tracing::warn!(%error, "a notification could not be taken back");
    }
}

/// An agent's words are text; where the system reads markup in a notification they are escaped.
fn plain(text: &str) -> String {
    if cfg!(target_os = "linux") {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    } else {
        text.to_owned()
    }
}

fn show(app: &AppHandle, number: i32, title: &str, body: &str) {
    let posted = app
        .notification()
        .builder()
        .id(number)
        .title(title)
        .body(plain(body))
        .action_type_id(QUESTION_ACTIONS)
        .show();
    if let Err(error) = posted {
        tracing::warn!(%error, "a notification could not be shown");
    }
}

/// Puts the buttons of what is shown from now on into the language that is set.
pub fn speak(app: &AppHandle, settings: &Settings) {
    let open = Action::builder("open", language::words(settings).open).build();
    let open = ActionType::builder(QUESTION_ACTIONS).actions(vec![open]).build();
    if let Err(error) = app.notification().register_action_types(vec![open]) {
        tracing::warn!(%error, "notifications have no buttons");
    }
}

fn hear_clicks(app: &AppHandle, desk: DeskApi, shown: Arc<Mutex<Shown>>) {
    let handle = app.clone();
    let heard = app.notification().on_action(move |performed: &ActionPerformed| {
        let number = performed.notification().map(|notification| notification.id());
        let about = {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            number.and_then(|number| shown.by_number(number))
        };
        window::raise(&handle);
        let waiting = match about {
            Some(About::One(waiting)) => Some(waiting),
            Some(About::Summary) => desk.first_summed(),
            None => None,
        };
        let opened = match waiting {
            Some(Waiting::Question(request)) => handle.emit_to(window::MAIN, OPEN_REQUEST, request),
            Some(Waiting::Permission(approval)) => handle.emit_to(window::MAIN, OPEN_REQUEST, approval),
            None => Ok(()),
        };
        if let Err(error) = opened {
            tracing::warn!(%error, "the window was not told of a click");
        }
    });
    if let Err(error) = heard {
        tracing::warn!(%error, "clicks on notifications cannot be heard");
    }
}
