//! Notifications of the system: told once, taken back when the question ends, a click brings up the window.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_api::{DeskApi, View};
use askdesk_domain::{NotifyQuestions, Question, RequestId, SessionId, Settings};
use askdesk_engine::Attention;
use tauri::{AppHandle, Emitter};
use tauri_plugin_notification::{Action, ActionPerformed, ActionType, NotificationExt};
use tokio::sync::mpsc;

use crate::seen::seen;
use crate::words::Words;
use crate::{language, window};

/// The most characters of a question that a notification shows.
const BODY_CHARS: usize = 300;

/// The set of buttons of a question's notification.
const QUESTION_ACTIONS: &str = "question";

/// Tells the window which request a click was about.
const OPEN_REQUEST: &str = "open-request";

/// What the shown notifications are about. Their numbers are ours: the system's are not known.
#[derive(Default)]
struct Shown {
    last: i32,
    numbers: HashMap<RequestId, i32>,
}

impl Shown {
    fn add(&mut self, request: RequestId) -> i32 {
        self.last = self.last.wrapping_add(1);
        self.numbers.insert(request, self.last);
        self.last
    }

    fn by_number(&self, number: i32) -> Option<RequestId> {
        self.numbers.iter().find(|(_, shown)| **shown == number).map(|(request, _)| *request)
    }
}

/// Carries out what the engine says the person should be told.
pub fn listen(app: &AppHandle, desk: DeskApi, mut attention: mpsc::Receiver<Attention>) {
    let shown = Arc::new(Mutex::new(Shown::default()));
    hear_clicks(app, Arc::clone(&shown));
    let settings = desk.settings().watch();
    speak(app, &settings.borrow());
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        while let Some(attention) = attention.recv().await {
            match attention {
                Attention::Asked { request, session } => {
                    let settings = settings.borrow().clone();
                    if tells(settings.notify_questions, desk.view(), session.id) {
                        let number = shown.lock().unwrap_or_else(PoisonError::into_inner).add(request.id);
                        let body = body(&request.questions, language::words(&settings));
                        show(&app, number, &seen(&session.name), &body);
                    }
                }
                Attention::Ended { request } => {
                    let number =
                        shown.lock().unwrap_or_else(PoisonError::into_inner).numbers.remove(&request);
                    if let Some(number) = number
                        && let Err(error) = app.notification().remove_active(vec![number])
                    {
                        tracing::warn!(%error, "a notification could not be taken back");
                    }
                }
            }
        }
    });
}

/// Says whether a question of a session is worth a notification: not while the person looks at that session.
fn tells(which: NotifyQuestions, view: View, session: SessionId) -> bool {
    let unseen = !view.focused || view.session != Some(session);
    match which {
        NotifyQuestions::Unseen => unseen,
        NotifyQuestions::Never => false,
    }
}

fn body(questions: &[Question], words: &Words) -> String {
    let first = questions.first().map(|question| question.text.as_str()).unwrap_or_default();
    // What is unseen is written by number, so the cut comes first and again afterwards.
    let start: String = first.chars().take(BODY_CHARS).collect();
    let start = seen(&start);
    let mut text: String = start.chars().take(BODY_CHARS).collect();
    if first.chars().count() > BODY_CHARS || start.chars().count() > BODY_CHARS {
        text.push('…');
    }
    if questions.len() > 1 {
        text.push('\n');
        text.push_str(&words.and_more(questions.len() - 1));
    }
    text
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

fn hear_clicks(app: &AppHandle, shown: Arc<Mutex<Shown>>) {
    let handle = app.clone();
    let heard = app.notification().on_action(move |performed: &ActionPerformed| {
        let number = performed.notification().map(|notification| notification.id());
        let request = {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            number.and_then(|number| shown.by_number(number))
        };
        window::raise(&handle);
        if let Some(request) = request
            && let Err(error) = handle.emit_to(window::MAIN, OPEN_REQUEST, request)
        {
            tracing::warn!(%error, "the window was not told of a click");
        }
    });
    if let Err(error) = heard {
        tracing::warn!(%error, "clicks on notifications cannot be heard");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId::new(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn only_the_session_that_is_looked_at_is_not_told() {
        let looking = |shown: Option<u128>, focused| View { session: shown.map(session), focused };
        assert!(!tells(NotifyQuestions::Unseen, looking(Some(1), true), session(1)));
        assert!(tells(NotifyQuestions::Unseen, looking(Some(1), false), session(1)));
        assert!(tells(NotifyQuestions::Unseen, looking(Some(2), true), session(1)));
        assert!(tells(NotifyQuestions::Unseen, looking(None, true), session(1)));
    }

    #[test]
    fn who_wants_no_notifications_is_told_of_nothing() {
        let away = View { session: None, focused: false };
        assert!(!tells(NotifyQuestions::Never, away, session(1)));
    }
}
