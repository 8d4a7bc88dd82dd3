//! Told once, taken back when the question ends. A press on a notification brings up the window and answers nothing; a press on
//! one of its options answers, and for a moment that can be taken back.

mod choices;
mod contract;
#[cfg(target_os = "linux")]
mod freedesktop;
#[cfg(not(target_os = "linux"))]
mod plugin;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_api::dto::{HoldAnswer, TakeBackAnswer};
use askdesk_api::{Commands, DeskApi, ErrorCode, View};
use askdesk_domain::{
    AnswerInput, Begun, CommandId, HeldAnswer, NotifyQuestions, OptionId, Question, RequestId, SessionId,
};
use askdesk_engine::Attention;
use tauri::async_runtime::JoinHandle;
use tauri::{AppHandle, Emitter, Manager};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::seen::seen;
use crate::words::Words;
use crate::{language, window};
use choices::Choices;
use contract::{Button, Clicked, Notifier, Posted, What};

/// The most characters of a question that a notification shows.
const BODY_CHARS: usize = 300;

/// How long the end of the app waits for the notifications of its questions to go.
const PARTING: Duration = Duration::from_millis(500);

/// Tells the window which request a click was about.
const OPEN_REQUEST: &str = "open-request";

/// Carries out what the engine says the person should be told.
pub fn listen(app: &AppHandle, desk: DeskApi, mut attention: mpsc::Receiver<Attention>) {
    // A notification is pressed once, so no more waits here than notifications stand.
    let (tell, mut clicks) = mpsc::unbounded_channel();
    #[cfg(target_os = "linux")]
    let notifier = Box::new(freedesktop::Freedesktop::start(tell));
    #[cfg(not(target_os = "linux"))]
    let notifier = Box::new(plugin::Plugin::start(app, tell));
    let mut telling = Telling { app: app.clone(), desk, notifier, told: HashMap::new() };
    let listening = tauri::async_runtime::spawn(async move {
        loop {
            tokio::select! {
                attention = attention.recv() => match attention {
                    Some(attention) => telling.attend(attention),
                    None => break,
                },
                Some(clicked) = clicks.recv() => telling.clicked(clicked).await,
            }
        }
        // The notifier ends when it has taken back what the end of the app ended, and then nobody can click. The plugin
        // takes back at once, and never stops to listen.
        drop(telling);
        #[cfg(target_os = "linux")]
        while clicks.recv().await.is_some() {}
    });
    app.manage(Listening(Mutex::new(Some(listening))));
}

/// Waits, once the desk is closed, until the notifications of what that ended are taken back.
pub async fn taken_back(app: &AppHandle) {
    let listening = app.try_state::<Listening>();
    let listening = listening.and_then(|it| it.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    if let Some(listening) = listening
        && timeout(PARTING, listening).await.is_err()
    {
        tracing::debug!("the app ends before all notifications were taken back");
    }
}

struct Listening(Mutex<Option<JoinHandle<()>>>);

struct Telling {
    app: AppHandle,
    desk: DeskApi,
    notifier: Box<dyn Notifier>,
    /// What was told of and is open still.
    told: HashMap<RequestId, Told>,
}

struct Told {
    title: String,
    choices: Option<Choices>,
    /// The option that a button of the notification gave.
    pressed: Option<OptionId>,
}

impl Telling {
    fn words(&self) -> &'static Words {
        language::words(&self.desk.settings().watch().borrow())
    }

    fn attend(&mut self, attention: Attention) {
        match attention {
            Attention::Asked { request, session } => {
                let which = self.desk.settings().watch().borrow().notify_questions;
                if tells(which, self.desk.view(), session.id) {
                    let words = self.words();
                    let title = seen(&session.name);
                    let choices = Choices::of(&request.questions, words);
                    let mut buttons = choices.as_ref().map(Choices::buttons).unwrap_or_default();
                    buttons.push(Button { what: What::Open, label: words.open.to_owned() });
                    let body = body(&request.questions, words);
                    self.notifier.post(Posted { id: request.id, title: title.clone(), body, buttons });
                    self.told.insert(request.id, Told { title, choices, pressed: None });
                }
            }
            Attention::Ended { request } => {
                if self.told.remove(&request).is_some() {
                    self.notifier.withdraw(request);
                }
            }
            Attention::NotGiven { held } => self.not_given(&held),
        }
    }

    /// What a notification says was answered is not: it was taken back, another answer took its place, or it failed.
    fn not_given(&mut self, held: &HeldAnswer) {
        let id = held.request;
        let Some(told) = self.told.get_mut(&id) else { return };
        let chosen = held.answers.first().and_then(|answer| answer.chosen.first()).copied();
        if chosen.is_none() || told.pressed != chosen {
            return;
        }
        told.pressed = None;
        match held.error {
            Some(_) => self.say_not_sent(id),
            None => self.notifier.withdraw(id),
        }
    }

    async fn clicked(&mut self, Clicked { id, what }: Clicked) {
        match what {
            What::Open => {
                self.notifier.withdraw(id);
                self.open(id);
            }
            What::Option(option) => self.answer(id, option).await,
            What::Undo => self.take_back(id).await,
        }
    }

    fn open(&self, id: RequestId) {
        window::raise(&self.app);
        if let Err(error) = self.app.emit_to(window::MAIN, OPEN_REQUEST, id) {
            tracing::warn!(%error, "the window was not told of a click");
        }
    }

    /// Gives the option as the answer, which goes when it can no longer be taken back. The window stays where it is.
    async fn answer(&mut self, id: RequestId, option: OptionId) {
        let told = self.told.get(&id);
        let choice = told.and_then(|told| Some((told.title.clone(), told.choices.as_ref()?.chosen(option)?)));
        let Some((title, (question, label))) = choice else {
            tracing::warn!(%id, %option, "an option that waits for no answer was pressed: nothing is done");
            return;
        };
        if is_begun(&self.desk, id).await {
            // What the person has begun in the window would go with this answer: it is brought up instead.
            self.notifier.withdraw(id);
            self.open(id);
            return;
        }
        let answer = AnswerInput { question, chosen: vec![option], other: None, note: None };
        let hold = HoldAnswer { request_id: self.command(), id, answers: vec![answer] };
        match self.desk.hold_answer(hold).await {
            Ok(_) => {
                let words = self.words();
                let undo = Button { what: What::Undo, label: words.undo.to_owned() };
                self.notifier.post(Posted { id, title, body: words.answered(&label), buttons: vec![undo] });
                if let Some(told) = self.told.get_mut(&id) {
                    told.pressed = Some(option);
                }
            }
            Err(error) if error.code == ErrorCode::AlreadyEnded => {
                tracing::warn!(%id, error = error.message, "an option of a question that has ended was pressed: nothing is done");
                self.notifier.withdraw(id);
            }
            Err(error) => {
                tracing::error!(%id, error = error.message, "an option that was pressed could not be given");
                self.say_not_sent(id);
            }
        }
    }

    async fn take_back(&mut self, id: RequestId) {
        let input = TakeBackAnswer { request_id: self.command(), id };
        // What comes of it is told by the engine.
        if let Err(error) = self.desk.take_back_answer(input).await {
            tracing::warn!(%id, error = error.message, "an answer could not be taken back");
        }
    }

    fn command(&self) -> CommandId {
        CommandId::new(self.desk.engine().source().draw())
    }

    /// Nobody may believe a question answered that still waits.
    fn say_not_sent(&mut self, id: RequestId) {
        let Some(told) = self.told.get(&id) else { return };
        let words = self.words();
        let open = Button { what: What::Open, label: words.open.to_owned() };
        let (title, body) = (told.title.clone(), words.not_sent.to_owned());
        self.notifier.post(Posted { id, title, body, buttons: vec![open] });
    }
}

/// Says whether something stands in the window that was not sent; where that cannot be known, it may.
async fn is_begun(desk: &DeskApi, id: RequestId) -> bool {
    match desk.engine().drafts().await {
        Ok(drafts) => drafts.iter().any(|draft| draft.begun() == Begun::Request(id)),
        Err(error) => {
            tracing::error!(%error, "what was begun could not be read");
            true
        }
    }
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
    let mut text = seen_start(first, BODY_CHARS);
    if questions.len() > 1 {
        text.push('\n');
        text.push_str(&words.and_more(questions.len() - 1));
    }
    text
}

/// Shows the start of an agent's words, with a mark where there is more.
fn seen_start(text: &str, most: usize) -> String {
    // What is unseen is written by number, so the cut comes first and again afterwards.
    let start: String = text.chars().take(most).collect();
    let start = seen(&start);
    let mut shown: String = start.chars().take(most).collect();
    if text.chars().count() > most || start.chars().count() > most {
        shown.push('…');
    }
    shown
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

    #[test]
    fn long_words_are_cut_with_a_mark_and_short_ones_stand_whole() {
        assert_eq!(seen_start("& <b>two</b>\u{7}", 20), "& <b>two</b>");
        assert_eq!(seen_start(&"x".repeat(10_000), 300), format!("{}…", "x".repeat(300)));
        assert_eq!(seen_start(&"\u{200b}".repeat(300), 10), "⟨U+200B⟩⟨U…");
    }
}
