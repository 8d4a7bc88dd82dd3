//! Ends that come, or come to the agent, after their call is closed: they wait, and go out once as a message.

use super::request::travelled;
use super::{Decision, Effect, calls, known, running};
use crate::desk::Desk;
use crate::ended_by::EndedBy;
use crate::error::ValidationError;
use crate::event::{Event, RequestEvent};
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::rejection::Rejection;
use crate::request::{Delivery, Ended, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionState};

/// How many late answers go out in one message; further ones follow at the end of the agent's turn.
pub const LATE_AT_ONCE: usize = 16;

/// Says whether a request has ended without the person, and no agent is still to be told of that.
pub(super) fn can_be_answered(request: &Request) -> bool {
    let being_told =
        |ended: &Ended| matches!(ended.delivery, Some(Delivery::Pending | Delivery::Failed { .. }));
    request.is_missed() && !request.ended().is_some_and(being_told)
}

/// Takes an answer to a request that has ended without the person.
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
        // It would have to be written down until the agent is there to take it.
        return Err(Rejection::invalid("answers", ValidationError::LateSecret));
    }
    let mut decision = Decision::of(RequestEvent::AnsweredLate { request: request.id, outcome, at });
    decision.request = Some(request.id);
    decision.effects.extend(send_now(session));
    Ok(decision)
}

/// Says whether an answer can still find its way: a client that the desk did not start may ask again at any time.
const fn can_be_reached(session: &Session) -> bool {
    session.is_running() || session.resumable || session.origin.is_inbound()
}

/// Marks all that waits for a session as being sent, before anything is.
pub(super) fn send_parked(desk: &Desk, session: SessionId) -> Result<Decision, Rejection> {
    running(desk, session)?;
    let first = desk.parked(session).take(LATE_AT_ONCE);
    let events = first
        .map(|request| Event::Request(RequestEvent::Sending { request: request.id, late: true, call: None }))
        .collect();
    Ok(Decision { events, ..Decision::default() })
}

/// Marks an end as being handed to the call that waits for it; a second time is refused.
pub(super) fn note_sending(desk: &Desk, request: &Request, call: &NativeRef) -> Result<Decision, Rejection> {
    let id = request.id;
    let untouched = !desk.is_sending(id) && !desk.is_call_closed(id) && request.native_ref == *call;
    match &request.state {
        RequestState::Ended(ended) => {
            let sending = match desk.calls(id) {
                Some(calls) => calls::note_sending(id, calls, call),
                None => (untouched && ended.delivery == Some(Delivery::Pending)).then_some(Event::Request(
                    RequestEvent::Sending { request: id, late: false, call: None },
                )),
            };
            let noted = sending.map(|event| Decision { request: Some(id), ..Decision::of(event) });
            noted.ok_or(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at })
        }
        RequestState::Open => Err(Rejection::invalid("id", ValidationError::StillOpen)),
    }
}

/// Says whether news of a delivery is about the way this end travels: to its call, or as a message.
pub(super) fn is_about_this_way(desk: &Desk, id: RequestId, delivery: &Delivery) -> bool {
    let closed = desk.is_call_closed(id);
    match delivery {
        Delivery::Delivered { late, .. } => *late == closed && (!closed || desk.is_sending(id)),
        // A message that could not be handed over waits for the next occasion.
        Delivery::Parked => !closed || desk.is_sending(id),
        Delivery::Pending | Delivery::Failed { .. } => !closed,
    }
}

/// Says whether an answer had left for the agent when that ended, so that nobody knows whether it arrived.
pub(super) fn may_have_arrived(desk: &Desk, id: RequestId, ended: &Ended) -> bool {
    desk.is_sending(id) && ended.delivery == Some(Delivery::Pending) && ended.outcome.can_come_late()
}

/// Lets the person decide that an answer goes out once more, although it may have arrived.
pub(super) fn retry(desk: &Desk, request: &Request) -> Result<Decision, Rejection> {
    let session = known(desk, request.session)?;
    let id = request.id;
    let Some(ended) = request.ended() else {
        return Err(Rejection::invalid("id", ValidationError::StillOpen));
    };
    let unchanged = Decision { request: Some(id), ..Decision::default() };
    match &ended.delivery {
        Some(Delivery::Failed { .. }) if !ended.outcome.can_come_late() => Err(Rejection::SessionGone),
        Some(Delivery::Failed { .. }) if can_be_reached(session) => Ok(Decision {
            events: vec![travelled(id, Delivery::Parked)],
            effects: send_now(session),
            request: Some(id),
        }),
        Some(Delivery::Failed { .. }) => Err(Rejection::SessionGone),
        Some(Delivery::Pending | Delivery::Delivered { .. }) => Ok(unchanged),
        Some(Delivery::Parked) if ended.outcome.can_come_late() => Ok(unchanged),
        Some(Delivery::Parked) | None => {
            Err(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at })
        }
    }
}

/// An agent that is only starting gets everything that waits once it is there; one that visits fetches it.
fn send_now(session: &Session) -> Vec<Effect> {
    if session.origin.is_inbound() {
        return Vec::new();
    }
    match session.state {
        SessionState::Idle | SessionState::Working => vec![Effect::SendParked { session: session.id }],
        SessionState::Starting | SessionState::Ended { .. } => Vec::new(),
    }
}

/// Gives up what was missed, or what waits to be delivered; the answer itself stays.
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
        let why = WithdrawnWhy::Cancelled { reason: None };
        return Ok(give_up(Outcome::Withdrawn { why }, at));
    }
    match &ended.delivery {
        Some(Delivery::Failed { .. }) if !desk.is_call_closed(id) => {
            Err(Rejection::invalid("id", ValidationError::StillAwaited))
        }
        Some(Delivery::Parked | Delivery::Failed { .. }) => Ok(give_up(ended.outcome.clone(), ended.at)),
        None if ended.outcome.by() == EndedBy::Person => {
            Ok(Decision { request: Some(id), ..Decision::default() })
        }
        _ => Err(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at }),
    }
}
