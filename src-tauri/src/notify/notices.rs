//! What the notifications say: of a question, of a permission, of more than can be shown one by one.

use askdesk_api::Api;
use askdesk_domain::{
    Approval, NotificationContent, NotificationDecision, Occasion, OptIn, PendingItem, Question, Request,
    Session,
};

use super::choices::Choices;
use super::contract::{About, Button, Heard, Posted, What};
use crate::language;
use crate::seen::seen;
use crate::words::{self, Words};

/// The most characters of an agent's text that a notification shows.
pub const BODY_CHARS: usize = 300;

/// What is shown of a question that waits.
pub struct OfQuestion {
    pub posted: Posted,
    /// The options among its buttons.
    pub choices: Option<Choices>,
}

/// Returns what is shown of a question that waits; none where nothing is.
pub fn of_question(
    desk: &Api,
    occasion: Occasion,
    request: &Request,
    session: &Session,
) -> Option<OfQuestion> {
    let waiting = PendingItem::Question(request.id);
    let telling = desk.decide_notification(waiting, occasion, session, request.is_by_subagent(session));
    let (words, heard) = said_by(desk);
    let mut choices = None;
    let posted = say(telling, waiting, (words, heard), |whole| {
        let body = if whole {
            choices = Choices::of(&request.questions, words);
            asked(&request.questions, words)
        } else {
            words.question_waits.to_owned()
        };
        (seen(&session.name), body, choices.as_ref().map(Choices::buttons).unwrap_or_default())
    });
    posted.map(|posted| OfQuestion { posted, choices })
}

/// Returns what is shown of a permission that is waited for; none where nothing is. It has no button that decides.
pub fn of_approval(desk: &Api, approval: &Approval, session: &Session) -> Option<Posted> {
    let waiting = PendingItem::Permission(approval.id);
    let telling = desk.decide_notification(waiting, Occasion::Asked, session, false);
    let (words, heard) = said_by(desk);
    say(telling, waiting, (words, heard), |whole| {
        let body = if whole { wanted(approval) } else { words.permission_waits.to_owned() };
        (words.asks_permission(&seen(&session.name)), body, Vec::new())
    })
}

/// Returns what is shown of a session that has finished its turn; none where nothing is. What its agent wrote is not in it.
pub fn of_finished(desk: &Api, session: &Session, waits: bool) -> Option<Posted> {
    let telling = desk.decide_finished_notification(session, waits);
    tracing::debug!(session = %session.id, ?telling, "that a session has finished is told");
    let NotificationDecision::Notify(_) = telling else { return None };
    let (words, heard) = said_by(desk);
    let (about, title) = (About::Finished(session.id), seen(&session.name));
    Some(Posted { about, title, body: words.finished.to_owned(), buttons: vec![open(words)], heard })
}

/// The button that brings up what a notification is about.
pub fn open(words: &Words) -> Button {
    Button { what: What::Open, label: words.open.to_owned() }
}

/// Returns the words and the sound that are set.
fn said_by(desk: &Api) -> (&'static Words, Heard) {
    let settings = desk.settings().watch();
    let settings = settings.borrow();
    let heard = match settings.notify_sound {
        OptIn::On => Heard::Sound,
        OptIn::Off => Heard::Silent,
    };
    (language::words(&settings), heard)
}

fn say(
    telling: NotificationDecision,
    waiting: PendingItem,
    (words, heard): (&Words, Heard),
    one: impl FnOnce(bool) -> (String, String, Vec<Button>),
) -> Option<Posted> {
    tracing::debug!(?waiting, ?telling, "what waits is told");
    let (about, (title, body, mut buttons)) = match telling {
        NotificationDecision::Notify(NotificationContent::Whole) => (About::One(waiting), one(true)),
        NotificationDecision::Notify(NotificationContent::Private) => (About::One(waiting), one(false)),
        NotificationDecision::Notify(NotificationContent::Summary) => {
            (About::Summary, (words::APP.to_owned(), words.more_waits.to_owned(), Vec::new()))
        }
        NotificationDecision::BadgeOnly(_)
        | NotificationDecision::Untold(_)
        | NotificationDecision::Nothing(_) => return None,
    };
    buttons.push(open(words));
    Some(Posted { about, title, body, buttons, heard })
}

fn asked(questions: &[Question], words: &Words) -> String {
    let first = questions.first().map(|question| question.text.as_str()).unwrap_or_default();
    let mut text = seen_start(first, BODY_CHARS);
    if questions.len() > 1 {
        text.push('\n');
        text.push_str(&words.and_more(questions.len() - 1));
    }
    text
}

fn wanted(approval: &Approval) -> String {
    let said = approval.description.as_deref().filter(|said| !said.trim().is_empty());
    let wanted = said.map_or_else(|| approval.title.clone(), |said| format!("{}: {said}", approval.title));
    seen_start(&wanted, BODY_CHARS)
}

/// Shows the start of an agent's words, with a mark where there is more.
pub fn seen_start(text: &str, most: usize) -> String {
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

    #[test]
    fn long_words_are_cut_with_a_mark_and_short_ones_stand_whole() {
        assert_eq!(seen_start("& <b>two</b>\u{7}", 20), "& <b>two</b>");
        assert_eq!(seen_start(&"x".repeat(10_000), 300), format!("{}…", "x".repeat(300)));
        assert_eq!(seen_start(&"\u{200b}".repeat(300), 10), "⟨U+200B⟩⟨U…");
    }
}
