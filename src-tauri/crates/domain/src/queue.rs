//! What waits to be sent: messages written while an agent works, sent one by one when its turns end.

use serde::{Deserialize, Serialize};

use crate::attachment::{self, Attachment};
use crate::decide::{Decision, Effect};
use crate::desk::Desk;
use crate::event::Event;
use crate::id::MessageId;
use crate::rejection::Rejection;
use crate::session::{Session, SessionState};
use crate::validation_error::ValidationError;

/// How many messages may wait in one session.
pub const QUEUED_MESSAGES: usize = 64;

/// One message that waits; its text is bounded by [`PERSON_TEXT_BYTES`](crate::text::PERSON_TEXT_BYTES).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QueuedMessage {
    pub id: MessageId,
    /// Its words; none where something is attached and nothing was written.
    pub text: String,
    /// What goes along with it.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}

/// Adds a message at the end of a session's queue; the same one again is no news.
pub(crate) fn queue(desk: &Desk, session: &Session, message: QueuedMessage) -> Result<Decision, Rejection> {
    let text = attachment::message(&message.text, &message.attachments)?;
    let message = QueuedMessage { text, ..message };
    if !session.is_running() || session.origin.is_inbound() {
        return Err(Rejection::SessionGone);
    }
    match session.queue.iter().find(|known| known.id == message.id) {
        Some(known) if *known == message => return Ok(Decision::default()),
        Some(_) => return Err(Rejection::invalid("id", "another message with this id waits already")),
        None => {}
    }
    if session.queue.len() >= QUEUED_MESSAGES {
        return Err(Rejection::invalid("queue", ValidationError::QueueFull { most: QUEUED_MESSAGES }));
    }
    let mut decision = Decision::of(Event::MessageQueued { session: session.id, message });
    if rests(desk, session) {
        // The turn it was to wait for has ended while it was on its way here.
        decision.effects.push(Effect::SendQueued { session: session.id });
    }
    Ok(decision)
}

/// Changes the words of a message that waits.
pub(crate) fn edit(session: &Session, id: MessageId, text: &str) -> Result<Decision, Rejection> {
    let known = find(session, id)?;
    let text = attachment::message(text, &known.attachments)?;
    if known.text == text {
        return Ok(Decision::default());
    }
    let message = QueuedMessage { text, ..known.clone() };
    Ok(Decision::of(Event::QueuedEdited { session: session.id, message }))
}

/// Takes a message out of the queue without sending it.
pub(crate) fn remove(session: &Session, id: MessageId) -> Result<Decision, Rejection> {
    find(session, id)?;
    Ok(Decision::of(Event::QueuedRemoved { session: session.id, message: id }))
}

/// Takes the oldest message to send it, if the agent is at rest and nothing is open; it ends no question.
pub(crate) fn send_next(desk: &Desk, session: &Session) -> Decision {
    match session.queue.first() {
        Some(message) if rests(desk, session) => send(session, message),
        _ => Decision::default(),
    }
}

/// Takes one message to send it at once, by the person's own hand: into a running turn too, but past no open question.
pub(crate) fn send_now(desk: &Desk, session: &Session, id: MessageId) -> Result<Decision, Rejection> {
    if !session.is_running() {
        return Err(Rejection::SessionGone);
    }
    let message = find(session, id)?;
    if desk.open_requests(session.id).next().is_some() {
        return Err(Rejection::invalid("session", ValidationError::QuestionOpen));
    }
    Ok(send(session, message))
}

fn send(session: &Session, message: &QueuedMessage) -> Decision {
    let mut decision = Decision::of(Event::QueuedSent { session: session.id, message: message.clone() });
    if session.state != SessionState::Working {
        decision.events.push(Event::TurnBegan { session: session.id });
    }
    decision
}

fn rests(desk: &Desk, session: &Session) -> bool {
    session.state == SessionState::Idle
        && desk.open_requests(session.id).next().is_none()
        && desk.open_approvals(session.id).next().is_none()
}

fn find(session: &Session, id: MessageId) -> Result<&QueuedMessage, Rejection> {
    let message = session.queue.iter().find(|message| message.id == id);
    message.ok_or(Rejection::NotFound { what: "message" })
}
