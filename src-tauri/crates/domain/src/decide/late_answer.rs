//! Late answers: outcomes that arrive after their call is closed. They are parked, and sent once as a message.

use super::{Decision, Effect, calls, delivery_changed, known, running};
use crate::desk::Desk;
use crate::ended_by::EndedBy;
use crate::error::ValidationError;
use crate::event::{Event, RequestEvent};
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::rejection::Rejection;
use crate::request::{Delivery, Ended, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionState};

/// How many late answers one message carries; the rest follow at the end of the agent's turn.
pub const LATE_AT_ONCE: usize = 16;

/// Returns whether a request ended without the user and that end is not being delivered.
pub(super) fn can_be_answered(request: &Request) -> bool {
    let being_told =
        |ended: &Ended| matches!(ended.delivery, Some(Delivery::Pending | Delivery::Failed { .. }));
    request.is_missed() && !request.ended().is_some_and(being_told)
}

/// Accepts an answer to a request that ended without the user.
pub(super) fn answer(
    desk: &Desk,
    request: &Request,
    outcome: Outcome,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let session = known(desk, request.session)?;
    if !can_be_reached(session) {
        return Err(Rejection::SessionGone);
    }
    if outcome.gives_secret() {
        // It would have to be stored until the agent can take it.
        return Err(Rejection::invalid("answers", ValidationError::LateSecret));
    }
    let mut decision =
        Decision::of(RequestEvent::AnsweredLate { request: request.id, outcome, at, answer: None });
    decision.request = Some(request.id);
    decision.effects.extend(send_now(session));
    Ok(decision)
}

/// Ends an open request whose asker went on. An answer, or a refusal with words, is sent as a message; anything else concerns only the
/// user.
pub(super) fn answer_open(
    desk: &Desk,
    request: &Request,
    outcome: Outcome,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let is_sent = match &outcome {
        Outcome::Declined { words } => words.is_some(),
        outcome => outcome.can_come_late(),
    };
    match is_sent {
        true => answer(desk, request, outcome, at),
        false => Ok(Decision {
            request: Some(request.id),
            ..Decision::of(RequestEvent::Dismissed { request: request.id, outcome, at })
        }),
    }
}

/// Returns whether an answer can still be delivered: a connected app can ask again at any time.
const fn can_be_reached(session: &Session) -> bool {
    session.is_running() || session.resumable || session.origin.is_inbound()
}

/// Marks everything that is parked for a session as being sent, before it is sent.
pub(super) fn send_parked(desk: &Desk, session: SessionId) -> Result<Decision, Rejection> {
    running(desk, session)?;
    let first = desk.parked(session).take(LATE_AT_ONCE);
    let events = first
        .map(|request| Event::Request(RequestEvent::Sending { request: request.id, late: true, call: None }))
        .collect();
    Ok(Decision { events, ..Decision::default() })
}

/// Marks an outcome as being sent to its waiting call; refused the second time.
pub(super) fn note_sending(desk: &Desk, request: &Request, call: &NativeRef) -> Result<Decision, Rejection> {
    let id = request.id;
    let untouched = !desk.is_sending(id) && !desk.is_call_closed(id) && request.native_ref == *call;
    match &request.state {
        RequestState::Ended(ended) => {
            let sending = match desk.calls(id) {
                Some(calls) => calls::note_sending(id, calls, call),
                None => (untouched && ended.delivery == Some(Delivery::Pending))
                    .then_some(RequestEvent::Sending { request: id, late: false, call: None }.into()),
            };
            let noted = sending.map(|event| Decision { request: Some(id), ..Decision::of(event) });
            noted.ok_or(ended.rejection())
        }
        RequestState::Open => Err(Rejection::invalid("id", ValidationError::StillOpen)),
    }
}

/// Returns whether a delivery update is about the route of this outcome: to its call, or as a message.
pub(super) fn is_about_this_way(desk: &Desk, id: RequestId, delivery: &Delivery) -> bool {
    let closed = desk.is_call_closed(id);
    match delivery {
        Delivery::Delivered { late, .. } => *late == closed && (!closed || desk.is_sending(id)),
        // A message that could not be delivered is parked until the next opportunity.
        Delivery::Parked => !closed || desk.is_sending(id),
        Delivery::Pending | Delivery::Failed { .. } => !closed,
    }
}

/// Returns whether an answer had been sent when the agent ended, so that its arrival is unknown.
pub(super) fn may_have_arrived(desk: &Desk, id: RequestId, ended: &Ended) -> bool {
    desk.is_sending(id) && ended.delivery == Some(Delivery::Pending) && ended.outcome.can_come_late()
}

/// Sends an answer again at the user's request, although it may have arrived.
pub(super) fn retry(desk: &Desk, request: &Request) -> Result<Decision, Rejection> {
    let session = known(desk, request.session)?;
    let id = request.id;
    let Some(ended) = request.ended() else {
        return Err(Rejection::invalid("id", ValidationError::StillOpen));
    };
    let unchanged = Decision::about(id);
    match &ended.delivery {
        Some(Delivery::Failed { .. }) if ended.outcome.can_come_late() && can_be_reached(session) => {
            let decision = Decision::of(delivery_changed(id, Delivery::Parked));
            Ok(Decision { effects: send_now(session), request: Some(id), ..decision })
        }
        Some(Delivery::Failed { .. }) => Err(Rejection::SessionGone),
        Some(Delivery::Pending | Delivery::Delivered { .. }) => Ok(unchanged),
        Some(Delivery::Parked) if ended.outcome.can_come_late() => Ok(unchanged),
        Some(Delivery::Parked) | None => Err(ended.rejection()),
    }
}

/// A starting agent gets everything that is parked once it is running; a connected app collects it.
pub(super) fn send_now(session: &Session) -> Vec<Effect> {
    match session.state {
        SessionState::Idle | SessionState::Working if !session.origin.is_inbound() => {
            vec![Effect::SendParked { session: session.id }]
        }
        _ => Vec::new(),
    }
}

/// Dismisses a missed request, or discards an undelivered outcome; the answer itself is kept.
pub(super) fn dismiss(desk: &Desk, request: &Request, at: Timestamp) -> Result<Decision, Rejection> {
    let id = request.id;
    let Some(ended) = request.ended() else {
        return Err(Rejection::invalid("id", ValidationError::StillOpen));
    };
    let give_up = |outcome: Outcome, at: Timestamp| Decision {
        request: Some(id),
        ..Decision::of(RequestEvent::Dismissed { request: id, outcome, at })
    };
    if can_be_answered(request) {
        let why = WithdrawnWhy::Canceled { reason: None };
        return Ok(give_up(Outcome::Withdrawn { why }, at));
    }
    match &ended.delivery {
        Some(Delivery::Failed { .. }) if !desk.is_call_closed(id) => {
            Err(Rejection::invalid("id", ValidationError::StillAwaited))
        }
        Some(Delivery::Parked | Delivery::Failed { .. }) => Ok(give_up(ended.outcome.clone(), ended.at)),
        None if ended.outcome.by() == EndedBy::User => Ok(Decision::about(id)),
        _ => Err(ended.rejection()),
    }
}
