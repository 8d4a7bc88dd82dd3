//! Connected apps, which Askdesk did not start: how they connect, ask, wait, leave, and find their earlier requests.
//!
//! If a connected app stops waiting, its request is missed but can still be answered. If the same app soon asks the same
//! again, or names the request, it gets that request, or the answer that was given meanwhile.

use super::{
    ASKED_AGAIN_MILLIS, CALLS_OF_A_REQUEST, Decision, Effect, calls, known, late_answer,
    request::{begin, end, told_of, travelled},
    session::{bounded_name, end_session},
};
use crate::command::{Ask, InboundCommand};
use crate::desk::Desk;
use crate::error::DeliveryError;
use crate::event::{Event, RequestEvent, SessionEvent};
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::inbound::{InboundClient, Leave};
use crate::origin::Origin;
use crate::question::QuestionKind;
use crate::rejection::Rejection;
use crate::request::{Delivery, Ended, OrphanedWhy, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionEnd, SessionState};

pub(super) fn decide(desk: &Desk, command: &InboundCommand) -> Result<Decision, Rejection> {
    match command {
        InboundCommand::Open { id, visitor, at } => open(desk, *id, visitor, *at),
        InboundCommand::Ask { ask, again } => register(desk, ask, *again),
        InboundCommand::LeaveCall { session, native_ref, why, at } => {
            leave(desk, *session, native_ref, *why, *at)
        }
        InboundCommand::NoteDelivered { request, native_ref, told, at } => {
            // A request that is no longer in memory has nothing left to deliver.
            let known = desk.request(*request);
            Ok(known.map(|request| note_delivered(desk, request, native_ref, told, *at)).unwrap_or_default())
        }
        InboundCommand::Leave { session, at } => leave_all(desk, known(desk, *session)?, *at),
    }
}

/// Opens a session, or reopens the one that the same app last left in the same folder. Without a folder, the project
/// is unknown, so no session is reopened.
fn open(desk: &Desk, id: SessionId, visitor: &InboundClient, at: Timestamp) -> Result<Decision, Rejection> {
    if desk.session(id).is_some() {
        return Err(Rejection::invalid("id", "a session with this id exists already"));
    }
    let visitor = visitor.plain();
    let folder = visitor.folder.unwrap_or_default();
    let origin = Origin::inbound(visitor.channel, visitor.name.clone());
    let left = desk
        .past_sessions()
        .filter(|session| session.origin == origin && session.folder == folder && !folder.is_empty());
    let ended_at = |session: &&Session| match session.state {
        SessionState::Ended { at, .. } => (at, session.id),
        SessionState::Starting | SessionState::Working | SessionState::Idle => (at, session.id),
    };
    if let Some(session) = left.max_by_key(ended_at) {
        let mut decision = Decision::of(SessionEvent::Resumed { session: session.id, at });
        if visitor.version.is_some() && visitor.version != session.version {
            let introduced = Event::Session(SessionEvent::Introduced {
                session: session.id,
                version: visitor.version,
                model: None,
            });
            decision.events.push(introduced);
        }
        return Ok(decision);
    }
    let session = Session {
        name: bounded_name(&name_of(&visitor.name, &folder)),
        folder,
        state: SessionState::Idle,
        version: visitor.version,
        ..Session::new(id, origin, at)
    };
    Ok(Decision::of(SessionEvent::Started { session }))
}

/// Names a session after its app and the last part of the folder.
fn name_of(client: &str, folder: &str) -> String {
    match folder.rsplit(['/', '\\']).find(|part| !part.is_empty()) {
        Some(last) => format!("{client} · {last}"),
        None => client.to_owned(),
    }
}

/// Registers a request: a new one, or the one that the app asked before.
fn register(desk: &Desk, ask: &Ask, again: Option<RequestId>) -> Result<Decision, Rejection> {
    let session = known(desk, ask.session)?;
    if !session.origin.is_inbound() {
        return Err(Rejection::invalid("session", "this session is not of a client that comes by itself"));
    }
    if ask.questions.is_empty() {
        return Err(Rejection::invalid("questions", "at least 1 question, got 0"));
    }
    if let Some(place) = ask.questions.iter().position(|question| question.kind == QuestionKind::Secret) {
        let field = format!("questions[{place}].type");
        return Err(Rejection::invalid(field, "a secret cannot be asked for in this way"));
    }
    // The card shows who asks, whatever the session is called.
    let ask = &Ask {
        asked_by: ask.asked_by.clone().or_else(|| session.origin.client().map(str::to_owned)),
        ..ask.clone()
    };
    let mut decision = found(desk, ask, again)?;
    if decision.request.is_none() {
        if desk.request(ask.id).is_some() {
            return Err(Rejection::invalid("id", "a request with this id exists already"));
        }
        decision = begin(ask);
    }
    let is_there = session.is_running() && !desk.is_away(session.id);
    if !decision.events.is_empty() && !is_there {
        // The user closed the session, and its app asks again.
        decision.events.insert(0, Event::Session(SessionEvent::Resumed { session: session.id, at: ask.at }));
    }
    Ok(decision)
}

/// Finds the request that a call already waits for: by its own id, by the request it names, or by its questions.
fn found(desk: &Desk, ask: &Ask, again: Option<RequestId>) -> Result<Decision, Rejection> {
    if let Some(request) = desk.by_native_ref(ask.session, &ask.native_ref) {
        if request.questions != ask.questions {
            let rule = "this id was used for another question in this session";
            return Err(Rejection::invalid("native_ref", rule));
        }
        return Ok(Decision { request: Some(request.id), ..Decision::default() });
    }
    let same = |request: &&Request| {
        // Ids of questions and options follow from their positions, so equal values mean equal content. The time limit
        // restarts with each call.
        request.asked_by == ask.asked_by
            && request.limit.is_some() == ask.limit.is_some()
            && request.questions == ask.questions
            && desk.same_client(request.session, ask.session)
    };
    let named = again.and_then(|id| desk.request(id)).filter(same);
    if let Some(request) = named {
        return Ok(take_up(desk, request, ask));
    }
    let lately = |request: &&Request| {
        let last = desk.asked_last(request);
        let last = request.ended().map_or(last, |ended| last.max(ended.at));
        ask.at.millis().saturating_sub(last.millis()) < ASKED_AGAIN_MILLIS
    };
    let waits = |request: &&Request| match &request.state {
        RequestState::Open => desk.calls(request.id).is_none_or(|calls| calls.len() < CALLS_OF_A_REQUEST),
        RequestState::Ended(ended) => late_answer::can_be_answered(request) || is_kept(ended),
    };
    let newest = |request: &&Request| (request.is_open(), desk.asked_last(request), request.id);
    let here = |request: &&Request| desk.is_found_by_content(request.session, ask.session);
    let again = desk.requests().filter(lately).filter(waits).filter(same).filter(here).max_by_key(newest);
    Ok(again
        .map(|request| match &request.state {
            // Asked again, it gets its whole time limit again.
            RequestState::Ended(ended) if ended.outcome == Outcome::Expired => reopen(request, ask),
            _ => take_up(desk, request, ask),
        })
        .unwrap_or_default())
}

/// Returns whether the user gave an outcome that no call has received yet.
fn is_kept(ended: &Ended) -> bool {
    let said = matches!(
        ended.outcome,
        Outcome::Answered { .. } | Outcome::Declined { .. } | Outcome::RepliedInChat { .. }
    );
    said && ended.delivery == Some(Delivery::Parked)
}

/// Adds a call to a request that is open or can be reopened; the outcome of any other is delivered at once.
fn take_up(desk: &Desk, request: &Request, ask: &Ask) -> Decision {
    match &request.state {
        RequestState::Open if desk.callers(request).iter().any(|(call, _)| **call == ask.native_ref) => {
            Decision { request: Some(request.id), ..Decision::default() }
        }
        RequestState::Open => {
            let event = Event::Request(RequestEvent::AskedAgain {
                request: request.id,
                native_ref: ask.native_ref.clone(),
                guest: guest(request, ask),
                at: Some(ask.at),
            });
            Decision { request: Some(request.id), ..Decision::of(event) }
        }
        RequestState::Ended(Ended { outcome: Outcome::Orphaned { .. }, .. }) => reopen(request, ask),
        RequestState::Ended(_) => Decision { request: Some(request.id), ..Decision::default() },
    }
}

fn reopen(request: &Request, ask: &Ask) -> Decision {
    let event = Event::Request(RequestEvent::Reopened {
        request: request.id,
        native_ref: ask.native_ref.clone(),
        guest: guest(request, ask),
        limit: ask.limit.clone(),
        at: ask.at,
    });
    let effects = told_of(request.id, ask.limit.as_ref());
    Decision { events: vec![event], effects, request: Some(request.id) }
}

fn guest(request: &Request, ask: &Ask) -> Option<SessionId> {
    (request.session != ask.session).then_some(ask.session)
}

/// Releases one call. If it was the last, the request is missed, or closed if it was answered elsewhere.
fn leave(
    desk: &Desk,
    session: SessionId,
    native_ref: &NativeRef,
    why: Leave,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    known(desk, session)?;
    let is_it = |request: &&Request| {
        let mut callers = desk.callers(request).into_iter();
        callers.any(|(call, came_from)| call == native_ref && came_from == session)
    };
    let mut decision = Decision::default();
    if let Some(request) = desk.requests().find(is_it) {
        leave_one(desk, &mut decision, request, &[native_ref], why, at);
        decision.request = Some(request.id);
    }
    Ok(decision)
}

fn leave_one(
    desk: &Desk,
    decision: &mut Decision,
    request: &Request,
    leaving: &[&NativeRef],
    why: Leave,
    at: Timestamp,
) {
    let id = request.id;
    match (&request.state, desk.calls(id)) {
        (RequestState::Open, Some(calls)) if calls.len() > leaving.len() => {
            for native_ref in leaving {
                let native_ref = (*native_ref).clone();
                decision.events.push(Event::Request(RequestEvent::CallLeft {
                    request: id,
                    native_ref: native_ref.clone(),
                }));
                decision.effects.push(Effect::LetGo { request: id, native_ref });
            }
        }
        (RequestState::Open, _) => {
            let outcome = match why {
                Leave::Gone => Outcome::Orphaned { why: OrphanedWhy::CallerGone },
                Leave::AnsweredElsewhere => Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere },
            };
            end(decision, id, outcome, at);
        }
        // The outcome was on its way to a call that accepts nothing any more.
        (RequestState::Ended(ended), calls) => {
            if ended.delivery == Some(Delivery::Pending) {
                for native_ref in leaving {
                    decision.events.extend(travels(id, ended, calls, native_ref, &Delivery::Parked));
                }
            }
        }
    }
}

/// Notes whether one call received the outcome; an outcome it did not receive is kept for the next call that asks.
fn note_delivered(
    desk: &Desk,
    request: &Request,
    native_ref: &NativeRef,
    told: &Result<(), DeliveryError>,
    at: Timestamp,
) -> Decision {
    let mut decision = Decision { request: Some(request.id), ..Decision::default() };
    let Some(ended) = request.ended() else { return decision };
    let late = ended.delivery == Some(Delivery::Parked);
    let news = match told {
        Ok(()) => Delivery::Delivered { at, late },
        Err(_) => Delivery::Parked,
    };
    decision.events = travels(request.id, ended, desk.calls(request.id), native_ref, &news);
    decision
}

fn travels(
    id: RequestId,
    ended: &Ended,
    calls: Option<&[crate::desk::Call]>,
    native_ref: &NativeRef,
    news: &Delivery,
) -> Vec<Event> {
    if matches!(ended.delivery, None | Some(Delivery::Delivered { .. })) {
        // Another call of that app has it, perhaps by collecting it.
        return Vec::new();
    }
    let one_of_them = calls.filter(|calls| calls.iter().any(|call| call.native_ref == *native_ref));
    match one_of_them {
        Some(calls) => calls::note(id, calls, Some(native_ref), news),
        None => {
            let changed = calls::after_news(ended.delivery.as_ref(), news);
            changed.map(|delivery| travelled(id, delivery)).into_iter().collect()
        }
    }
}

/// Releases all calls of a connected app that is gone. If it never asked anything, its session is closed.
fn leave_all(desk: &Desk, session: &Session, at: Timestamp) -> Result<Decision, Rejection> {
    if !session.origin.is_inbound() {
        return Err(Rejection::invalid("session", "this session is not of a client that comes by itself"));
    }
    let mut decision = Decision::default();
    for request in desk.requests() {
        let callers = desk.callers(request).into_iter();
        let leaving: Vec<_> =
            callers.filter(|(_, came_from)| *came_from == session.id).map(|(call, _)| call).collect();
        if !leaving.is_empty() {
            leave_one(desk, &mut decision, request, &leaving, Leave::Gone, at);
        }
    }
    decision.request = None;
    if !session.is_running() || desk.is_away(session.id) {
        // The user closed it, or its app had left already.
        return Ok(decision);
    }
    if still_open(desk, session.id, &decision.events) {
        decision.events.push(Event::Session(SessionEvent::ClientLeft { session: session.id }));
        return Ok(decision);
    }
    decision.events.push(Event::Session(SessionEvent::Ended {
        session: session.id,
        end: SessionEnd::Finished,
        at,
    }));
    if !desk.has_spoken(session.id) {
        decision.events.push(Event::Session(SessionEvent::Closed { session: session.id, at }));
    }
    Ok(decision)
}

/// Removes a session from the sidebar while its app is connected. Its open requests are missed, as when an agent is
/// stopped; the app's next question reopens it.
pub(super) fn closed(desk: &Desk, session: &Session, at: Timestamp) -> Result<Decision, Rejection> {
    let mut decision = end_session(desk, session.id, &SessionEnd::Stopped, at)?;
    decision.events.push(Event::Session(SessionEvent::Closed { session: session.id, at }));
    Ok(decision)
}

/// Ends the sessions whose app has left, once these events leave nothing open in them.
pub(super) fn over(desk: &Desk, events: &[Event]) -> Vec<Event> {
    let mut over: Vec<Event> = Vec::new();
    for event in events {
        let Event::Request(RequestEvent::Ended { request, at, .. }) = event else { continue };
        let Some(session) = desk.request(*request).map(|request| request.session) else { continue };
        let ended = |event: &Event| matches!(event, Event::Session(SessionEvent::Ended { session: id, .. }) if *id == session);
        let known = events.iter().chain(&over).any(ended);
        if desk.is_away(session) && !known && !still_open(desk, session, events) {
            over.push(Event::Session(SessionEvent::Ended { session, end: SessionEnd::Finished, at: *at }));
        }
    }
    over
}

/// Returns whether anything is open in a session after these events.
fn still_open(desk: &Desk, session: SessionId, events: &[Event]) -> bool {
    let ends = |id: RequestId| {
        events.iter().any(
            |event| matches!(event, Event::Request(RequestEvent::Ended { request, .. }) if *request == id),
        )
    };
    desk.open_requests(session).any(|request| !ends(request.id))
}
