//! Notifications: posted once, withdrawn when the question ends. A click on a notification opens the window and answers nothing.
//! A button with an option answers, with an undo window.

mod backend;
mod budget;
mod content;
mod finished;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, target_os = "macos"))]
mod macos;
mod notifier;
#[cfg(any(test, not(target_os = "linux")))]
mod numbered;
mod option_buttons;
#[cfg(not(target_os = "linux"))]
mod plugin;
#[cfg(target_os = "linux")]
mod sound;
#[cfg(any(test, windows))]
mod windows;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_api::Api;
use askdesk_contract::{ErrorCode, HoldEnd, UndoEnd};
use askdesk_desk::{Desk, News};
use askdesk_domain::{
    AnswerInput, ApprovalId, CommandId, DraftKey, EndInput, HeldEnd, NotificationRemoval, OptionId,
    PendingItem, RequestId, SessionId,
};
use tauri::async_runtime::JoinHandle;
use tauri::{AppHandle, Manager};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::deep_link::Target;
use crate::messages::Messages;
use crate::pending_api::line;
use crate::window::Focus;
use crate::window_lifecycle::WindowLifecycle;
use crate::{badge, deep_link, language};
use content::QuestionNotification;
use notifier::{Activation, Button, ButtonAction, Notification, Notifier, Sound, Subject};
use option_buttons::OptionButtons;

/// How long the end of the app waits until its notifications are withdrawn.
const WITHDRAW_TIMEOUT: Duration = Duration::from_millis(500);

/// Handles the news of the desk and the clicks on notifications, until the engine closes.
pub fn listen(app: &AppHandle, api: Api, desk: Desk, mut news: mpsc::Receiver<News>) {
    // Each notification is activated at most once, which bounds the channel.
    let (sender, mut activations) = mpsc::unbounded_channel();
    let notifier = backend::start(app, &api, sender);
    let mut views = desk.watch_view();
    let (shown, finished) = (HashMap::new(), BTreeSet::new());
    let mut driver = NotificationDriver { app: app.clone(), api, desk, notifier, shown, finished };
    let listening = tauri::async_runtime::spawn(async move {
        // The app may have ended between a turn and its notification.
        driver.check_budget().await;
        loop {
            tokio::select! {
                news = news.recv() => match news {
                    Some(news) => driver.handle(news).await,
                    None => break,
                },
                Some(activation) = activations.recv() => driver.activated(activation).await,
                Ok(()) = views.changed() => driver.view_changed(*views.borrow_and_update()),
            }
        }
        driver.withdraw_finished();
        // The notifier closes the channel once it has withdrawn everything.
        drop(driver);
        while activations.recv().await.is_some() {}
    });
    app.manage(Listening(Mutex::new(Some(listening))));
}

/// Waits, after the engine has closed, until all notifications are withdrawn.
pub async fn withdrawn(app: &AppHandle) {
    let listening = app.try_state::<Listening>();
    let listening = listening.and_then(|it| it.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    if let Some(listening) = listening
        && timeout(WITHDRAW_TIMEOUT, listening).await.is_err()
    {
        tracing::debug!("the app ends before all notifications were withdrawn");
    }
}

struct Listening(Mutex<Option<JoinHandle<()>>>);

struct NotificationDriver {
    app: AppHandle,
    api: Api,
    desk: Desk,
    notifier: Box<dyn Notifier>,
    /// The open questions that have a notification of their own.
    shown: HashMap<RequestId, ShownQuestion>,
    /// The sessions with a notification about a finished turn.
    finished: BTreeSet<SessionId>,
}

struct ShownQuestion {
    title: String,
    option_buttons: Option<OptionButtons>,
    /// The option that was chosen by a button.
    chosen: Option<OptionId>,
}

impl NotificationDriver {
    fn messages(&self) -> &'static Messages {
        language::messages(&self.desk.settings())
    }

    async fn handle(&mut self, news: News) {
        match news {
            News::Asked(request) => {
                self.desk.note_asked(PendingItem::Question(request));
                self.question(false, request);
            }
            News::Reminder(request) => self.question(true, request),
            News::ApprovalAsked(approval) => self.permission(approval),
            News::Ended(request) => {
                self.shown.remove(&request);
                self.ended(PendingItem::Question(request));
            }
            News::ApprovalEnded(approval) => self.ended(PendingItem::Permission(approval)),
            News::EndNotGiven(held) => self.answer_not_sent(&held),
            News::Spent => self.check_budget().await,
            News::Finished(session, turn) => self.has_finished(session, turn.has_pending),
            News::FinishedWithdrawn(session) => self.finished_no_more(session),
        }
    }

    fn question(&mut self, reminder: bool, id: RequestId) {
        let asked =
            self.desk.mirror().request(id).map(|(request, session)| (request.clone(), session.clone()));
        // It may have ended since.
        let Some((request, session)) = asked else { return };
        if !reminder {
            self.finished_no_more(session.id);
        }
        if self.shown.get(&id).is_some_and(|shown| shown.chosen.is_some()) {
            // The notification offers to undo the answer.
            return;
        }
        let content = content::of_question(&self.desk, reminder, &request, &session);
        let Some(QuestionNotification { notification, option_buttons }) = content else { return };
        if notification.subject == Subject::Item(PendingItem::Question(id)) {
            let title = notification.title.clone();
            self.shown.insert(id, ShownQuestion { title, option_buttons, chosen: None });
        }
        self.post(notification);
    }

    fn permission(&mut self, id: ApprovalId) {
        let asked =
            self.desk.mirror().approval(id).map(|(approval, session)| (approval.clone(), session.clone()));
        let Some((approval, session)) = asked else { return };
        self.finished_no_more(session.id);
        if let Some(notification) = content::of_approval(&self.desk, &approval, &session) {
            self.post(notification);
        }
    }

    fn post(&mut self, notification: Notification) {
        self.notifier.post(notification);
        badge::request_attention(&self.app);
    }

    fn ended(&mut self, item: PendingItem) {
        self.notifier.withdraw(Subject::Item(item));
        match self.desk.note_ended(item) {
            NotificationRemoval::Own => {}
            NotificationRemoval::OwnAndSummary => self.notifier.withdraw(Subject::Summary),
        }
    }

    /// Corrects a notification whose answer was not sent: it was undone, replaced by another answer, or failed.
    fn answer_not_sent(&mut self, held: &HeldEnd) {
        let id = held.request;
        let Some(shown) = self.shown.get_mut(&id) else { return };
        let EndInput::Answered { answers } = &held.end else { return };
        let chosen = answers.first().and_then(|answer| answer.chosen.first()).copied();
        if chosen.is_none() || shown.chosen != chosen {
            return;
        }
        shown.chosen = None;
        match held.error {
            Some(_) => self.post_not_sent(id),
            None => self.notifier.withdraw(question(id)),
        }
    }

    async fn activated(&mut self, Activation { subject, action, token }: Activation) {
        if let Some(token) = token {
            crate::window::take_token(&self.app, token);
        }
        match (action, subject) {
            (ButtonAction::Open, _) => {
                self.notifier.withdraw(subject);
                self.open(subject);
            }
            (ButtonAction::Option(option), Subject::Item(PendingItem::Question(id))) => {
                self.answer(id, option).await
            }
            (ButtonAction::Undo, Subject::Item(PendingItem::Question(id))) => self.take_back(id).await,
            // Only questions can be answered by a button.
            (
                ButtonAction::Option(_) | ButtonAction::Undo,
                Subject::Item(PendingItem::Permission(_))
                | Subject::Summary
                | Subject::Finished(_)
                | Subject::Budget,
            ) => {}
        }
    }

    fn open(&self, subject: Subject) {
        let item = match subject {
            Subject::Item(item) => Some(item),
            Subject::Summary => self.desk.first_in_summary(),
            Subject::Finished(session) => return deep_link::open(&self.app, session.uuid()),
            Subject::Budget => return deep_link::open(&self.app, Target::History),
        };
        match item {
            Some(PendingItem::Question(id)) => deep_link::open(&self.app, id.uuid()),
            Some(PendingItem::Permission(id)) => deep_link::open(&self.app, id.uuid()),
            None => self.app.state::<WindowLifecycle>().show(Focus::Take),
        }
    }

    /// Answers with an option, which is sent after the undo window. Does not open the window.
    async fn answer(&mut self, id: RequestId, option: OptionId) {
        let shown = self.shown.get(&id);
        let choice = shown
            .and_then(|shown| Some((shown.title.clone(), shown.option_buttons.as_ref()?.chosen(option)?)));
        let Some((title, (question_id, label))) = choice else {
            tracing::warn!(%id, %option, "an option of no open question was pressed");
            return;
        };
        if has_draft(&self.api, id).await {
            // This answer would discard the draft, so the question is opened instead.
            self.notifier.withdraw(question(id));
            self.open(question(id));
            return;
        }
        let answer = AnswerInput { question: question_id, chosen: vec![option], other: None, note: None };
        let hold =
            HoldEnd { request_id: self.command(), id, end: EndInput::Answered { answers: vec![answer] } };
        match line(&self.api).carry_out(hold).await {
            Ok(_) => {
                let messages = self.messages();
                let undo = Button { action: ButtonAction::Undo, label: messages.undo.to_owned() };
                let (subject, body) = (question(id), messages.answered.with(label));
                // The user has just pressed a button, so no sound is needed.
                let sound = Sound::Off;
                self.notifier.post(Notification { subject, title, body, buttons: vec![undo], sound });
                if let Some(shown) = self.shown.get_mut(&id) {
                    shown.chosen = Some(option);
                }
            }
            Err(error) if error.code == ErrorCode::AlreadyEnded => {
                tracing::warn!(%id, error = error.message, "an option of an ended question was pressed");
                self.notifier.withdraw(question(id));
            }
            Err(error) => {
                tracing::error!(%id, error = error.message, "an option that was pressed could not be sent");
                self.post_not_sent(id);
            }
        }
    }

    async fn take_back(&mut self, id: RequestId) {
        let input = UndoEnd { request_id: self.command(), id };
        // The engine reports success as `NotGiven`.
        if let Err(error) = line(&self.api).carry_out(input).await {
            tracing::warn!(%id, error = error.message, "an answer could not be taken back");
        }
    }

    fn command(&self) -> CommandId {
        CommandId::new(self.api.engine().clock().uuid())
    }

    /// Says that a question is still open although the user pressed an option.
    fn post_not_sent(&mut self, id: RequestId) {
        let Some(shown) = self.shown.get(&id) else { return };
        let messages = self.messages();
        let (title, body) = (shown.title.clone(), messages.not_sent.to_owned());
        let (subject, buttons, sound) = (question(id), vec![content::open(messages)], Sound::Off);
        self.notifier.post(Notification { subject, title, body, buttons, sound });
    }
}

/// Returns whether the window holds a draft for a question; assumes one if the drafts cannot be read.
async fn has_draft(api: &Api, id: RequestId) -> bool {
    match api.engine().drafts().await {
        Ok(drafts) => drafts.iter().any(|draft| draft.key() == DraftKey::Request(id)),
        Err(error) => {
            tracing::error!(%error, "the drafts could not be read");
            true
        }
    }
}

const fn question(id: RequestId) -> Subject {
    Subject::Item(PendingItem::Question(id))
}
