//! Connected apps, which Askdesk did not start: how they connect, ask, wait, leave, and find their earlier requests. What the
//! agent of a session asks in the same ways belongs to that session.
//!
//! If a connected app stops waiting, its request is missed but can still be answered. If the same app soon asks the same
//! again, or names the request, it gets that request, or the answer that was given meanwhile.

use super::{
    ASKED_AGAIN_MILLIS, Decision, calls, delivery_changed, known, late_answer,
    request::{begin, end, find_call, opening_effects},
    running,
    session::check_new,
};
use crate::command::{Ask, InboundCommand};
use crate::config::is_planning;
use crate::desk::Desk;
use crate::error::DeliveryError;
use crate::event::{Event, RequestEvent, SessionEvent};
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::inbound::{InboundClient, Leave};
use crate::origin::Origin;
use crate::question::QuestionKind;
use crate::rejection::Rejection;
use crate::request::{Asker, Delivery, Ended, OrphanedWhy, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionEnd, SessionState};
use crate::session_name::bounded_name;

pub(super) fn decide(desk: &Desk, command: &InboundCommand) -> Result<Decision, Rejection> {
    match command {
        InboundCommand::Open { id, client, at } => open(desk, *id, client, *at),
        InboundCommand::Ask { ask, again } => register(desk, ask, *again),
        InboundCommand::LeaveCall { session, native_ref, why, at } => {
            leave(desk, *session, native_ref, *why, *at)
        }
        InboundCommand::GoOn { request, native_ref } => Ok(go_on(desk, *request, native_ref)),
        InboundCommand::NoteDelivered { request, native_ref, result, at } => {
            // A request that is no longer in memory has nothing left to deliver.
            let known = desk.request(*request);
            Ok(known
                .map(|request| note_delivered(desk, request, native_ref, result, *at))
                .unwrap_or_default())
        }
        InboundCommand::Leave { session, at } => leave_all(desk, connected_app(desk, *session)?, *at),
    }
}

fn connected_app(desk: &Desk, id: SessionId) -> Result<&Session, Rejection> {
    let session = known(desk, id)?;
    if session.origin.is_inbound() {
        return Ok(session);
    }
    Err(Rejection::invalid("session", "this session doesn't belong to a connected app"))
}

/// Finds the session of a call. One that Askdesk runs must be running, and its agent must be allowed to ask.
fn asking_session(desk: &Desk, id: SessionId) -> Result<&Session, Rejection> {
    let session = known(desk, id)?;
    if session.origin.is_inbound() {
        return Ok(session);
    }
    let session = running(desk, id)?;
    match session.options.questions.lets_ask(is_planning(&session.config)) {
        true => Ok(session),
        false => Err(Rejection::invalid("questions", "the user has turned off questions in this session")),
    }
}

/// Opens a session, or reopens the one that the same app last left in the same folder. Without a folder, the project is unknown,
/// so a session in which anything can still be answered or collected is left alone: it may be another project's.
fn open(desk: &Desk, id: SessionId, client: &InboundClient, at: Timestamp) -> Result<Decision, Rejection> {
    check_new(desk, id)?;
    let client = client.plain();
    let folder = client.folder.unwrap_or_default();
    let origin = Origin::inbound(client.channel, client.name.clone());
    let left = desk
        .past_sessions()
        .filter(|session| session.origin == origin && session.folder == folder)
        .filter(|session| !folder.is_empty() || is_settled(desk, session.id));
    let ended_at = |session: &&Session| match session.state {
        SessionState::Ended { at, .. } => (at, session.id),
        SessionState::Starting | SessionState::Working | SessionState::Idle => (at, session.id),
    };
    if let Some(session) = left.max_by_key(ended_at) {
        let mut decision = Decision::of(SessionEvent::Resumed { session: session.id, at });
        if client.version.is_some() && client.version != session.version {
            let version = client.version;
            decision.push(SessionEvent::Introduced { session: session.id, version, model: None });
        }
        return Ok(decision);
    }
    let session = Session {
        name: bounded_name(&name_of(&client.name, &folder)),
        folder,
        state: SessionState::Idle,
        version: client.version,
        ..Session::new(id, origin, at)
    };
    Ok(Decision::of(SessionEvent::Started { session }))
}

/// Returns whether no call can find a request of a session any more.
fn is_settled(desk: &Desk, session: SessionId) -> bool {
    let can_be_found = |request: &Request| match &request.state {
        RequestState::Open => true,
        RequestState::Ended(ended) => late_answer::can_be_answered(request) || is_kept(ended),
    };
    !desk.requests().any(|request| request.session == session && can_be_found(request))
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
    let session = asking_session(desk, ask.session)?;
    if let Some(place) = ask.questions.iter().position(|question| question.kind == QuestionKind::Secret) {
        let field = format!("questions[{place}].type");
        return Err(Rejection::invalid(field, "secrets can't be asked for here"));
    }
    // The card shows who asks, whatever the session is called.
    let ask = &Ask {
        asked_by: ask.asked_by.clone().or_else(|| session.origin.client().map(str::to_owned)),
        ..ask.clone()
    };
    let mut decision = found(desk, ask, again)?;
    if decision.request.is_none() {
        decision = begin(desk, ask)?;
    }
    let is_connected = session.is_running() && !desk.is_away(session.id);
    if !decision.events.is_empty() && !is_connected {
        // The user closed the session, and its app asks again.
        decision.events.insert(0, SessionEvent::Resumed { session: session.id, at: ask.at }.into());
    }
    Ok(decision)
}

/// Finds the request that a call already waits for: by its own id, by the request it names, or by its questions.
fn found(desk: &Desk, ask: &Ask, again: Option<RequestId>) -> Result<Decision, Rejection> {
    if let Some(request) = find_call(desk, ask)? {
        return Ok(Decision::about(request.id));
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
        RequestState::Open => calls::has_room(desk, request),
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
            Decision::about(request.id)
        }
        RequestState::Open => {
            let event = RequestEvent::AskedAgain {
                request: request.id,
                native_ref: ask.native_ref.clone(),
                guest: guest(request, ask),
                at: Some(ask.at),
            };
            let mut decision = Decision { request: Some(request.id), ..Decision::of(event) };
            if request.asker == Asker::InBackground {
                decision.push(RequestEvent::AskerChanged { request: request.id, asker: Asker::Waits });
            }
            decision
        }
        RequestState::Ended(Ended { outcome: Outcome::Orphaned { .. }, .. }) => reopen(request, ask),
        RequestState::Ended(_) => Decision::about(request.id),
    }
}

fn reopen(request: &Request, ask: &Ask) -> Decision {
    let event = RequestEvent::Reopened {
        request: request.id,
        native_ref: ask.native_ref.clone(),
        guest: guest(request, ask),
        limit: ask.limit.clone(),
        at: ask.at,
    };
    let effects = opening_effects(request.id, ask.limit.as_ref());
    Decision { effects, request: Some(request.id), ..Decision::of(event) }
}

fn guest(request: &Request, ask: &Ask) -> Option<SessionId> {
    (request.session != ask.session).then_some(ask.session)
}

/// Notes that the agent goes on, unless it has asked again since and waits in a later call.
fn go_on(desk: &Desk, id: RequestId, native_ref: &NativeRef) -> Decision {
    let is_last =
        |request: &&Request| desk.callers(request).last().is_some_and(|(call, _)| *call == native_ref);
    let request = desk.request(id).filter(|it| it.is_open() && it.asker == Asker::Waits).filter(is_last);
    let asker = Asker::InBackground;
    request.map(|_| Decision::of(RequestEvent::AskerChanged { request: id, asker })).unwrap_or_default()
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
                calls::release(decision, id, native_ref);
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
        (RequestState::Ended(ended), _) if ended.delivery == Some(Delivery::Pending) => {
            for native_ref in leaving {
                decision.events.extend(travels(desk, id, ended, native_ref, &Delivery::Parked));
            }
            send_as_message(desk, decision, request, ended);
        }
        (RequestState::Ended(_), _) => {}
    }
}

/// Notes whether one call received the outcome; an outcome it did not receive is kept for the next call that asks.
fn note_delivered(
    desk: &Desk,
    request: &Request,
    native_ref: &NativeRef,
    result: &Result<(), DeliveryError>,
    at: Timestamp,
) -> Decision {
    let mut decision = Decision::about(request.id);
    let Some(ended) = request.ended() else { return decision };
    let late = ended.delivery == Some(Delivery::Parked);
    let news = match result {
        Ok(()) => Delivery::Delivered { at, late },
        Err(_) => Delivery::Parked,
    };
    decision.events = travels(desk, request.id, ended, native_ref, &news);
    if result.is_err() {
        send_as_message(desk, &mut decision, request, ended);
    }
    decision
}

/// Sends an answer that no call received to the agent of the session. A connected app can't be sent a message.
fn send_as_message(desk: &Desk, decision: &mut Decision, request: &Request, ended: &Ended) {
    let becomes = decision.events.iter().rev().find_map(|event| match event {
        Event::Request(RequestEvent::DeliveryChanged { request: id, delivery, .. }) if *id == request.id => {
            Some(delivery)
        }
        _ => None,
    });
    let is_parked = becomes.or(ended.delivery.as_ref()) == Some(&Delivery::Parked);
    let Some(session) = desk.session(request.session).filter(|session| !session.origin.is_inbound()) else {
        return;
    };
    if is_parked && ended.outcome.can_come_late() && !desk.is_call_closed(request.id) {
        let outcome = ended.outcome.clone();
        let (at, answer) = (ended.at, ended.answer);
        decision.push(RequestEvent::AnsweredLate { request: request.id, outcome, at, answer });
        decision.effects.extend(late_answer::send_now(session));
    }
}

fn travels(desk: &Desk, id: RequestId, ended: &Ended, native_ref: &NativeRef, news: &Delivery) -> Vec<Event> {
    if matches!(ended.delivery, None | Some(Delivery::Delivered { .. })) {
        // Another call of that app has it, perhaps by collecting it.
        return Vec::new();
    }
    match desk.calls(id).filter(|calls| calls.iter().any(|call| call.native_ref == *native_ref)) {
        Some(calls) => calls::note(id, calls, Some(native_ref), news),
        None => calls::after_news(ended.delivery.as_ref(), news)
            .map(|delivery| delivery_changed(id, delivery))
            .into_iter()
            .collect(),
    }
}

/// Releases all calls of a connected app that is gone. If it never asked anything, its session is closed.
fn leave_all(desk: &Desk, session: &Session, at: Timestamp) -> Result<Decision, Rejection> {
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
        decision.push(SessionEvent::ClientLeft { session: session.id });
        return Ok(decision);
    }
    decision.push(SessionEvent::Ended { session: session.id, end: SessionEnd::Finished, at });
    if !desk.has_spoken(session.id) {
        decision.push(SessionEvent::Closed { session: session.id, at });
    }
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
            over.push(SessionEvent::Ended { session, end: SessionEnd::Finished, at: *at }.into());
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
