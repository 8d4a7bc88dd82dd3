//! The message queue: messages are sent one at a time when the agent's turns end.

use super::{Decision, Effect, known};
use crate::attachment;
use crate::command::QueueCommand;
use crate::desk::Desk;
use crate::error::ValidationError;
use crate::event::{QueueEvent, SessionEvent};
use crate::id::MessageId;
use crate::queue::{QUEUED_MESSAGES, QueuedMessage};
use crate::rejection::Rejection;
use crate::session::{Session, SessionState};

pub(super) fn decide(desk: &Desk, command: &QueueCommand) -> Result<Decision, Rejection> {
    match command {
        QueueCommand::Add { session, id, text, attachments } => {
            let message = QueuedMessage { id: *id, text: text.clone(), attachments: attachments.clone() };
            add(desk, known(desk, *session)?, message)
        }
        QueueCommand::Edit { session, id, text } => edit(known(desk, *session)?, *id, text),
        QueueCommand::Remove { session, id } => remove(known(desk, *session)?, *id),
        QueueCommand::Send { session, now: Some(id) } => send_now(desk, known(desk, *session)?, *id),
        QueueCommand::Send { session, now: None } => Ok(send_next(desk, known(desk, *session)?)),
    }
}

/// Adds a message to the end of a session's queue; the same message again changes nothing.
fn add(desk: &Desk, session: &Session, message: QueuedMessage) -> Result<Decision, Rejection> {
    let text = attachment::message(&message.text, &message.attachments)?;
    let message = QueuedMessage { text, ..message };
    if !session.is_running() || session.origin.is_inbound() {
        return Err(Rejection::SessionGone);
    }
    match session.queue.iter().find(|known| known.id == message.id) {
        Some(known) if *known == message => return Ok(Decision::default()),
        Some(_) => return Err(Rejection::invalid("id", "another queued message already has this ID")),
        None => {}
    }
    if session.queue.len() >= QUEUED_MESSAGES {
        return Err(Rejection::invalid("queue", ValidationError::QueueFull { most: QUEUED_MESSAGES }));
    }
    let mut decision = Decision::of(QueueEvent::Added { session: session.id, message });
    if is_idle(desk, session) {
        // The turn ended while the message was on its way here.
        decision.effects.push(Effect::SendQueued { session: session.id });
    }
    Ok(decision)
}

fn edit(session: &Session, id: MessageId, text: &str) -> Result<Decision, Rejection> {
    let known = find(session, id)?;
    let text = attachment::message(text, &known.attachments)?;
    let changes = known.text != text;
    let message = QueuedMessage { text, ..known.clone() };
    Ok(Decision::of_change(changes, QueueEvent::Edited { session: session.id, message }))
}

fn remove(session: &Session, id: MessageId) -> Result<Decision, Rejection> {
    find(session, id)?;
    Ok(Decision::of(QueueEvent::Removed { session: session.id, message: id }))
}

/// Takes the oldest message to send it, if the agent is idle and nothing is open; it never ends a question.
fn send_next(desk: &Desk, session: &Session) -> Decision {
    match session.queue.first() {
        Some(message) if is_idle(desk, session) => send(session, message),
        _ => Decision::default(),
    }
}

/// Takes one message to send it now at the user's request: even during a turn, but not while a question is open.
fn send_now(desk: &Desk, session: &Session, id: MessageId) -> Result<Decision, Rejection> {
    if !session.is_running() {
        return Err(Rejection::SessionGone);
    }
    let message = find(session, id)?;
    if desk.open_requests(session.id).any(|request| request.helper.is_none()) {
        return Err(Rejection::invalid("session", ValidationError::QuestionOpen));
    }
    Ok(send(session, message))
}

fn send(session: &Session, message: &QueuedMessage) -> Decision {
    let mut decision = Decision::of(QueueEvent::Sent { session: session.id, message: message.clone() });
    if session.state != SessionState::Working {
        decision.push(SessionEvent::TurnBegan { session: session.id });
    }
    decision
}

fn is_idle(desk: &Desk, session: &Session) -> bool {
    session.state == SessionState::Idle
        && desk.open_requests(session.id).all(|request| request.helper.is_some())
        && desk.open_approvals(session.id).all(|approval| approval.helper.is_some())
}

fn find(session: &Session, id: MessageId) -> Result<&QueuedMessage, Rejection> {
    let message = session.queue.iter().find(|message| message.id == id);
    message.ok_or(Rejection::NotFound { what: "message" })
}
