//! Told once, taken back when the question ends. A press on a notification brings up the window and answers nothing; a press on
//! one of its options answers, and for a moment that can be taken back.

mod backend;
#[cfg(any(test, target_os = "macos"))]
mod center;
mod choices;
mod contract;
mod finished;
#[cfg(target_os = "linux")]
mod freedesktop;
mod notices;
#[cfg(any(test, not(target_os = "linux")))]
mod numbered;
#[cfg(not(target_os = "linux"))]
mod plugin;
#[cfg(target_os = "linux")]
mod sound;
#[cfg(any(test, windows))]
mod toast;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_api::dto::{HoldAnswer, TakeBackAnswer};
use askdesk_api::{Api, ErrorCode};
use askdesk_domain::{
    AnswerInput, Begun, CommandId, NotificationRemoval, Occasion, OptionId, PendingItem, Request, RequestId,
    Session, SessionId, UndoableAnswer,
};
use askdesk_engine::{Attention, with_reminders};
use tauri::async_runtime::JoinHandle;
use tauri::{AppHandle, Manager};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::presence::{Focus, Presence};
use crate::waiting::{Board, Waits};
use crate::words::Words;
use crate::{badge, language, wanted};
use choices::Choices;
use contract::{About, Button, Clicked, Heard, Notifier, Posted, What};
use notices::OfQuestion;

/// How long the end of the app waits for the notifications of its questions to go.
const PARTING: Duration = Duration::from_millis(500);

/// Carries out what the engine says the person should be told.
pub fn listen(app: &AppHandle, desk: Api, attention: mpsc::Receiver<Attention>, board: Board) {
    let (mut attention, reminding) = with_reminders(desk.engine(), desk.settings().watch(), attention);
    tauri::async_runtime::spawn(reminding);
    // A notification is pressed once, so no more waits here than notifications stand.
    let (tell, mut clicks) = mpsc::unbounded_channel();
    let notifier = backend::start(app, &desk, tell);
    let mut views = desk.watch_view();
    let (told, finished) = (HashMap::new(), BTreeSet::new());
    let mut telling = Telling { app: app.clone(), desk, notifier, board, told, finished };
    let listening = tauri::async_runtime::spawn(async move {
        loop {
            tokio::select! {
                attention = attention.recv() => match attention {
                    Some(attention) => telling.attend(attention).await,
                    None => break,
                },
                Some(clicked) = clicks.recv() => telling.clicked(clicked).await,
                Ok(()) = views.changed() => telling.viewed(*views.borrow_and_update()),
            }
        }
        telling.all_over();
        // The notifier ends when it has taken back what the end of the app ended, and then nobody can click.
        drop(telling);
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
    desk: Api,
    notifier: Box<dyn Notifier>,
    board: Board,
    /// What was told of and is open still.
    told: HashMap<RequestId, Told>,
    finished: BTreeSet<SessionId>,
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

    async fn attend(&mut self, attention: Attention) {
        match attention {
            Attention::Asked { request, session } => {
                self.finished_no_more(session.id);
                self.board.begins(Waits::question(&request));
                self.desk.note_asked(PendingItem::Question(request.id));
                self.question(Occasion::Asked, &request, &session);
            }
            Attention::StillWaits { request, session } => {
                // It may have been muted since it was asked.
                let session = self.desk.engine().session(session.id).await.unwrap_or(session);
                self.question(Occasion::Reminder, &request, &session);
            }
            Attention::ApprovalAsked { approval, session } => {
                self.finished_no_more(session.id);
                self.board.begins(Waits::permission(&approval));
                if let Some(posted) = notices::of_approval(&self.desk, &approval, &session) {
                    self.news(posted);
                }
            }
            Attention::Ended { request } => {
                self.told.remove(&request);
                self.over(PendingItem::Question(request));
            }
            Attention::ApprovalEnded { approval } => self.over(PendingItem::Permission(approval)),
            Attention::NotGiven { held } => self.not_given(&held),
            Attention::Finished { session, waits } => self.has_finished(&session, waits),
            Attention::FinishedNoMore { session } => self.finished_no_more(session),
        }
    }

    fn question(&mut self, occasion: Occasion, request: &Request, session: &Session) {
        if self.told.get(&request.id).is_some_and(|told| told.pressed.is_some()) {
            // It says what was answered, and offers to take that back.
            return;
        }
        let notice = notices::of_question(&self.desk, occasion, request, session);
        let Some(OfQuestion { posted, choices }) = notice else { return };
        if posted.about == About::One(PendingItem::Question(request.id)) {
            self.told.insert(request.id, Told { title: posted.title.clone(), choices, pressed: None });
        }
        self.news(posted);
    }

    fn news(&mut self, posted: Posted) {
        self.notifier.post(posted);
        badge::want_attention(&self.app);
    }

    fn over(&mut self, waiting: PendingItem) {
        self.board.ends(waiting);
        self.notifier.withdraw(About::One(waiting));
        match self.desk.note_ended(waiting) {
            NotificationRemoval::Own => {}
            NotificationRemoval::OwnAndSummary => self.notifier.withdraw(About::Summary),
        }
    }

    /// What a notification says was answered is not: it was taken back, another answer took its place, or it failed.
    fn not_given(&mut self, held: &UndoableAnswer) {
        let id = held.request;
        let Some(told) = self.told.get_mut(&id) else { return };
        let chosen = held.answers.first().and_then(|answer| answer.chosen.first()).copied();
        if chosen.is_none() || told.pressed != chosen {
            return;
        }
        told.pressed = None;
        match held.error {
            Some(_) => self.say_not_sent(id),
            None => self.notifier.withdraw(of(id)),
        }
    }

    async fn clicked(&mut self, Clicked { about, what }: Clicked) {
        match (what, about) {
            (What::Open, _) => {
                self.notifier.withdraw(about);
                self.open(about);
            }
            (What::Option(option), About::One(PendingItem::Question(id))) => self.answer(id, option).await,
            (What::Undo, About::One(PendingItem::Question(id))) => self.take_back(id).await,
            // Nothing else is answered by a press.
            (
                What::Option(_) | What::Undo,
                About::One(PendingItem::Permission(_)) | About::Summary | About::Finished(_),
            ) => {}
        }
    }

    fn open(&self, about: About) {
        let waiting = match about {
            About::One(waiting) => Some(waiting),
            About::Summary => self.desk.first_in_summary(),
            About::Finished(session) => return wanted::bring_up(&self.app, session.uuid()),
        };
        match waiting {
            Some(PendingItem::Question(id)) => wanted::bring_up(&self.app, id.uuid()),
            Some(PendingItem::Permission(id)) => wanted::bring_up(&self.app, id.uuid()),
            None => self.app.state::<Presence>().want(Focus::Taken),
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
            self.notifier.withdraw(of(id));
            self.open(of(id));
            return;
        }
        let answer = AnswerInput { question, chosen: vec![option], other: None, note: None };
        let hold = HoldAnswer { request_id: self.command(), id, answers: vec![answer] };
        match self.desk.hold_answer(hold).await {
            Ok(_) => {
                let words = self.words();
                let undo = Button { what: What::Undo, label: words.undo.to_owned() };
                let (about, body) = (of(id), words.answered(&label));
                // The person is there: they have just pressed.
                let heard = Heard::Silent;
                self.notifier.post(Posted { about, title, body, buttons: vec![undo], heard });
                if let Some(told) = self.told.get_mut(&id) {
                    told.pressed = Some(option);
                }
            }
            Err(error) if error.code == ErrorCode::AlreadyEnded => {
                tracing::warn!(%id, error = error.message, "an option of a question that has ended was pressed: nothing is done");
                self.notifier.withdraw(of(id));
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
        let (title, body) = (told.title.clone(), words.not_sent.to_owned());
        let (about, buttons, heard) = (of(id), vec![notices::open(words)], Heard::Silent);
        self.notifier.post(Posted { about, title, body, buttons, heard });
    }
}

/// Says whether something stands in the window that was not sent; where that cannot be known, it may.
async fn is_begun(desk: &Api, id: RequestId) -> bool {
    match desk.engine().drafts().await {
        Ok(drafts) => drafts.iter().any(|draft| draft.begun() == Begun::Request(id)),
        Err(error) => {
            tracing::error!(%error, "what was begun could not be read");
            true
        }
    }
}

const fn of(question: RequestId) -> About {
    About::One(PendingItem::Question(question))
}
