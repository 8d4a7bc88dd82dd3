//! The text and the buttons of notifications.

use askdesk_desk::Desk;
use askdesk_domain::{
    Approval, NotificationCause, NotificationContent, NotificationDecision, OptIn, PendingItem, Request,
    Session, Usd,
};

use super::notifier::{BODY_CHARS, Button, ButtonAction, Notification, Sound, Subject};
use super::option_buttons::OptionButtons;
use crate::language;
use crate::messages::{self, Messages};
use crate::sanitize::{sanitize, sanitized_start};

/// How much of a branch's name is shown, in characters.
const BRANCH_CHARS: usize = 60;

pub struct QuestionNotification {
    pub notification: Notification,
    pub option_buttons: Option<OptionButtons>,
}

/// Builds the notification about a question; none if the notification policy decides against one.
pub fn of_question(
    desk: &Desk,
    reminder: bool,
    request: &Request,
    session: &Session,
) -> Option<QuestionNotification> {
    let item = PendingItem::Question(request.id);
    let by_subagent = request.is_by_subagent(session);
    let cause = NotificationCause::Pending { item, reminder, by_subagent };
    let decision = desk.decide_notification(cause, Some(session));
    let (messages, sound) = configured(desk);
    let mut option_buttons = None;
    let notification = build(decision, item, (messages, sound), |show_text| {
        let body = if show_text {
            option_buttons = OptionButtons::new(&request.questions, messages);
            question_text(request, messages)
        } else {
            messages.question_waits.to_owned()
        };
        (
            title(desk, session, show_text),
            body,
            option_buttons.as_ref().map(OptionButtons::buttons).unwrap_or_default(),
        )
    });
    notification.map(|notification| QuestionNotification { notification, option_buttons })
}

/// Builds the notification about a permission request, which no button decides; none if the notification policy decides
/// against one.
pub fn of_approval(desk: &Desk, approval: &Approval, session: &Session) -> Option<Notification> {
    let item = PendingItem::Permission(approval.id);
    let cause = NotificationCause::Pending { item, reminder: false, by_subagent: false };
    let decision = desk.decide_notification(cause, Some(session));
    let (messages, sound) = configured(desk);
    build(decision, item, (messages, sound), |show_text| {
        let body = if show_text {
            approval_text(approval, &desk.mirror().agent_name(session), messages)
        } else {
            messages.permission_waits.to_owned()
        };
        (messages.asks_permission.with(title(desk, session, show_text)), body, Vec::new())
    })
}

/// Builds the notification about a finished turn, without any of the agent's text; none if the notification policy decides
/// against one.
pub fn of_finished(desk: &Desk, session: &Session, has_pending: bool) -> Option<Notification> {
    let decision = desk.decide_notification(NotificationCause::FinishedTurn { has_pending }, Some(session));
    tracing::debug!(session = %session.id, ?decision, "a turn has finished");
    let NotificationDecision::Notify(content) = decision else { return None };
    let (messages, sound) = configured(desk);
    let title = title(desk, session, content == NotificationContent::Whole);
    let subject = Subject::Finished(session.id);
    Some(Notification {
        subject,
        title,
        body: messages.finished.to_owned(),
        buttons: vec![open(messages)],
        sound,
    })
}

/// Builds the notification about a passed daily budget; the notification policy has decided for it.
pub fn of_passed_budget(desk: &Desk, dollars: u16, cost: Usd) -> Notification {
    let (messages, sound) = configured(desk);
    let cents = format!("{:.2}", cost.dollars()).replace('.', messages.decimal_point);
    Notification {
        subject: Subject::Budget,
        title: messages.budget_passed.with(messages.dollars.with(dollars)),
        body: messages.spent_today.with(messages.dollars.with(cents)),
        buttons: vec![open(messages)],
        sound,
    }
}

/// The session's name and its branch. The name of a branch may come from a message, so it goes with the text.
fn title(desk: &Desk, session: &Session, show_text: bool) -> String {
    let name = sanitize(&session.name);
    match desk.mirror().branch_of(session.id).filter(|_| show_text) {
        Some(branch) => format!("{name} · {}", sanitized_start(branch, BRANCH_CHARS)),
        None => name,
    }
}

pub fn open(messages: &Messages) -> Button {
    Button { action: ButtonAction::Open, label: messages.open.to_owned() }
}

/// Returns the messages and the sound of the settings.
fn configured(desk: &Desk) -> (&'static Messages, Sound) {
    let settings = desk.settings();
    let sound = match settings.notify_sound {
        OptIn::On => Sound::On,
        OptIn::Off => Sound::Off,
    };
    (language::messages(&settings), sound)
}

fn build(
    decision: NotificationDecision,
    item: PendingItem,
    (messages, sound): (&Messages, Sound),
    content: impl FnOnce(bool) -> (String, String, Vec<Button>),
) -> Option<Notification> {
    tracing::debug!(?item, ?decision, "something was asked");
    let (subject, (title, body, mut buttons)) = match decision {
        NotificationDecision::Notify(NotificationContent::Whole) => (Subject::Item(item), content(true)),
        NotificationDecision::Notify(NotificationContent::Private) => (Subject::Item(item), content(false)),
        NotificationDecision::Notify(NotificationContent::Summary) => {
            (Subject::Summary, (messages::APP.to_owned(), messages.more_waits.to_owned(), Vec::new()))
        }
        NotificationDecision::BadgeOnly(_)
        | NotificationDecision::Suppressed(_)
        | NotificationDecision::Nothing(_) => return None,
    };
    buttons.push(open(messages));
    Some(Notification { subject, title, body, buttons, sound })
}

fn question_text(request: &Request, messages: &Messages) -> String {
    let questions = &request.questions;
    let first = questions.first().map(|question| question.text.as_str()).unwrap_or_default();
    let mut text = sanitized_start(first, BODY_CHARS);
    if questions.len() > 1 {
        text.push('\n');
        text.push_str(&messages.and_more.with(questions.len() - 1));
    }
    if !request.asker.waits() {
        text.push(if questions.len() > 1 { '\n' } else { ' ' });
        text.push_str(messages.goes_on);
    }
    text
}

/// Names what it is about, and that the agent warns; not what the agent or its model says about it.
fn approval_text(approval: &Approval, agent: &str, messages: &Messages) -> String {
    if approval.is_plan() {
        return messages.plan_waits.to_owned();
    }
    let mut text = approval.name(BODY_CHARS);
    if let Some(said) = approval.description.as_deref().map(str::trim)
        && !said.is_empty()
        && approval.about(1).is_empty()
    {
        text = format!("{text}: {said}");
    }
    let text = sanitized_start(&text, BODY_CHARS);
    match approval.warning() {
        Some(_) => format!("{text}\n{}", messages.agent_warns.with(sanitize(agent))),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_with_an_ellipsis() {
        assert_eq!(sanitized_start("& <b>two</b>\u{7}", 20), "& <b>two</b>");
        assert_eq!(sanitized_start(&"x".repeat(10_000), 300), format!("{}…", "x".repeat(300)));
        assert_eq!(sanitized_start(&"\u{200b}".repeat(300), 10), "⟨U+200B⟩⟨U…");
    }
}
