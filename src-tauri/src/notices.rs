//! What the notifications say: of a question, of a permission, of more than can be shown one by one.

use askdesk_api::DeskApi;
use askdesk_domain::{Approval, Form, Occasion, Question, Request, Session, TakeBack, Telling, Waiting};

use crate::language;
use crate::seen::seen;
use crate::words::{self, Words};

/// The most characters of an agent's text that a notification shows.
const BODY_CHARS: usize = 300;

/// What a notification is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// One thing that waits.
    One(Waiting),
    /// All that is not shown one by one.
    Summary,
}

/// A notification as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub about: About,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
}

/// Returns what is shown of a question that waits; none where nothing is.
pub fn of_question(
    desk: &DeskApi,
    occasion: Occasion,
    request: &Request,
    session: &Session,
) -> Option<Notice> {
    let waiting = Waiting::Question(request.id);
    let telling = desk.tell(waiting, occasion, session, request.asked_by.is_some());
    let words = language::words(&desk.settings().watch().borrow());
    say(telling, waiting, words, |whole| {
        let body = if whole { body(&request.questions, words) } else { words.question_waits.to_owned() };
        (seen(&session.name), body)
    })
}

/// Returns what is shown of a permission that is waited for; none where nothing is.
pub fn of_approval(desk: &DeskApi, approval: &Approval, session: &Session) -> Option<Notice> {
    let waiting = Waiting::Permission(approval.id);
    let telling = desk.tell(waiting, Occasion::Asked, session, false);
    let words = language::words(&desk.settings().watch().borrow());
    say(telling, waiting, words, |whole| {
        let body = if whole { wanted(approval) } else { words.permission_waits.to_owned() };
        (words.asks_permission(&seen(&session.name)), body)
    })
}

/// Returns what need not be shown any more once something has its end.
pub fn over(desk: &DeskApi, waiting: Waiting) -> About {
    match desk.told_enough(waiting) {
        TakeBack::Own => About::One(waiting),
        TakeBack::Summary => About::Summary,
    }
}

fn say(
    telling: Telling,
    waiting: Waiting,
    words: &Words,
    one: impl FnOnce(bool) -> (String, String),
) -> Option<Notice> {
    tracing::debug!(?waiting, ?telling, "what waits is told");
    let (about, (title, body)) = match telling {
        Telling::Notify(Form::Whole) => (About::One(waiting), one(true)),
        Telling::Notify(Form::Private) => (About::One(waiting), one(false)),
        Telling::Notify(Form::Summary) => {
            (About::Summary, (words::APP.to_owned(), words.more_waits.to_owned()))
        }
        Telling::BadgeOnly(_) | Telling::Nothing(_) => return None,
    };
    Some(Notice { about, title, body })
}

fn body(questions: &[Question], words: &Words) -> String {
    let first = questions.first().map(|question| question.text.as_str()).unwrap_or_default();
    let mut text = start_of(first);
    if questions.len() > 1 {
        text.push('\n');
        text.push_str(&words.and_more(questions.len() - 1));
    }
    text
}

fn wanted(approval: &Approval) -> String {
    let said = approval.description.as_deref().filter(|said| !said.trim().is_empty());
    start_of(&said.map_or_else(|| approval.tool.clone(), |said| format!("{}: {said}", approval.tool)))
}

fn start_of(text: &str) -> String {
    // What is unseen is written by number, so the cut comes first and again afterwards.
    let start: String = text.chars().take(BODY_CHARS).collect();
    let start = seen(&start);
    let mut shown: String = start.chars().take(BODY_CHARS).collect();
    if text.chars().count() > BODY_CHARS || start.chars().count() > BODY_CHARS {
        shown.push('…');
    }
    shown
}
