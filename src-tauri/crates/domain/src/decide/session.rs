//! How sessions start, get their names and positions, leave the sidebar and resume.

use super::approval::withdraw_approvals;
use super::request::{end, park, travelled};
use super::{Decision, calls, finished_turn, inbound, known, late_answer, running};
use crate::command::SessionCommand;
use crate::config::ConfigOption;
use crate::desk::Desk;
use crate::error::{DeliveryError, ValidationError};
use crate::event::{Event, SessionEvent};
use crate::id::{NativeSession, SessionId, Timestamp};
use crate::origin::Origin;
use crate::rejection::Rejection;
use crate::request::{Delivery, OrphanedWhy, Outcome, RequestState};
use crate::session::{SESSION_NAME_CHARS, Session, SessionEnd, SessionState};
use crate::session_options::SessionOptions;
use crate::text::{says_something, without_controls};

pub(super) fn decide(desk: &Desk, command: &SessionCommand) -> Result<Decision, Rejection> {
    match command {
        SessionCommand::Start { id, origin, name, folder, options, config, at } => {
            let new = NewSession { origin, name, folder, options, config };
            start(desk, *id, &new, *at)
        }
        SessionCommand::Rename { session, name } => rename(desk, *session, name),
        SessionCommand::SetNotifications { session, attention } => {
            if known(desk, *session)?.attention == *attention {
                return Ok(Decision::default());
            }
            Ok(Decision::of(SessionEvent::NotificationsSet { session: *session, attention: *attention }))
        }
        SessionCommand::Move { session, before } => move_before(desk, *session, *before),
        SessionCommand::Close { session, at } => close(desk, *session, *at),
        SessionCommand::Resume { session, at } => resume(desk, *session, *at),
        SessionCommand::NoteSpoke { session } => {
            known(desk, *session)?;
            if desk.has_spoken(*session) {
                return Ok(Decision::default());
            }
            Ok(Decision::of(SessionEvent::AgentSpoke { session: *session }))
        }
        SessionCommand::NoteForgotten { session } => {
            known(desk, *session)?;
            if desk.is_forgotten(*session) {
                return Ok(Decision::default());
            }
            Ok(Decision::of(SessionEvent::Forgotten { session: *session }))
        }
        SessionCommand::Introduce { session, version, model, native_session } => {
            let now = running(desk, *session)?;
            Ok(introduce(now, version.as_ref(), model.as_ref(), native_session.as_ref()))
        }
        SessionCommand::NoteConfig { session, config } => {
            if running(desk, *session)?.config == *config {
                return Ok(Decision::default());
            }
            Ok(Decision::of(SessionEvent::ConfigChanged { session: *session, config: config.clone() }))
        }
        SessionCommand::SetWorking { session, working } => {
            let now = &running(desk, *session)?.state;
            Ok(match (working, now) {
                (true, SessionState::Working) | (false, SessionState::Idle) => Decision::default(),
                (true, _) => Decision::of(SessionEvent::TurnBegan { session: *session }),
                (false, _) => Decision::of(SessionEvent::TurnFinished { session: *session }),
            })
        }
        SessionCommand::NotifyFinished { session } => Ok(finished_turn::tell(running(desk, *session)?)),
        SessionCommand::CountUnusable { session, lines } => {
            known(desk, *session)?;
            Ok(Decision::of(SessionEvent::LinesUnusable { session: *session, lines: *lines }))
        }
        SessionCommand::End { session, end, at } => end_session(desk, *session, end, *at),
        SessionCommand::CloseEarlierRun { at } => {
            let mut decision = Decision::default();
            for session in desk.sessions().filter(|session| session.is_running()) {
                let ended = end_session(desk, session.id, &SessionEnd::AppQuit, *at)?;
                decision.events.extend(ended.events);
                decision.effects.extend(ended.effects);
            }
            Ok(decision)
        }
        SessionCommand::Delete { session } => delete(known(desk, *session)?),
    }
}

struct NewSession<'a> {
    origin: &'a Origin,
    name: &'a str,
    folder: &'a str,
    options: &'a SessionOptions,
    config: &'a [ConfigOption],
}

fn start(desk: &Desk, id: SessionId, new: &NewSession<'_>, at: Timestamp) -> Result<Decision, Rejection> {
    let NewSession { origin, name, folder, options, config } = *new;
    if desk.session(id).is_some() {
        return Err(Rejection::invalid("id", "a session with this id exists already"));
    }
    let session = Session {
        name: bounded_name(name),
        folder: folder.to_owned(),
        options: options.clone(),
        config: config.to_vec(),
        ..Session::new(id, origin.clone(), at)
    };
    Ok(Decision::of(SessionEvent::Started { session }))
}

/// Notes what is new in the agent's information about itself.
fn introduce(
    session: &Session,
    version: Option<&String>,
    model: Option<&String>,
    native_session: Option<&NativeSession>,
) -> Decision {
    let mut decision = Decision::default();
    let known = session.version.as_ref() == version && session.model.as_ref() == model;
    if session.state == SessionState::Starting || !known {
        decision.events.push(Event::Session(SessionEvent::Introduced {
            session: session.id,
            version: version.cloned(),
            model: model.cloned(),
        }));
    }
    if let Some(native_session) = native_session.filter(|id| session.native_session.as_ref() != Some(id)) {
        decision.events.push(Event::Session(SessionEvent::NativeSessionKnown {
            session: session.id,
            native_session: native_session.clone(),
        }));
    }
    decision
}

fn rename(desk: &Desk, id: SessionId, name: &str) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    // A line feed would break the name over two lines.
    let name = bounded_name(&without_controls(&name.replace(['\n', '\t'], " ")));
    if !says_something(&name) {
        return Err(Rejection::invalid("name", ValidationError::Empty));
    }
    if session.name == name {
        return Ok(Decision::default());
    }
    Ok(Decision::of(SessionEvent::Renamed { session: id, name }))
}

fn move_before(desk: &Desk, id: SessionId, before: Option<SessionId>) -> Result<Decision, Rejection> {
    known(desk, id)?;
    if let Some(before) = before {
        known(desk, before)?;
    }
    if before == Some(id) || desk.order_with(id, before) == desk.order() {
        return Ok(Decision::default());
    }
    Ok(Decision::of(SessionEvent::Moved { session: id, before }))
}

fn close(desk: &Desk, id: SessionId, at: Timestamp) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    if desk.is_closed(id) {
        return Ok(Decision::default());
    }
    if session.origin.is_inbound() && session.is_running() {
        return inbound::closed(desk, session, at);
    }
    if session.is_running() {
        return Err(Rejection::invalid("session", ValidationError::StillRunning));
    }
    Ok(Decision::of(SessionEvent::Closed { session: id, at }))
}

fn resume(desk: &Desk, id: SessionId, at: Timestamp) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    if session.origin.is_inbound() {
        return Err(Rejection::SessionGone);
    }
    if session.is_running() {
        return Ok(Decision::default());
    }
    if !session.resumable {
        return Err(Rejection::SessionGone);
    }
    Ok(Decision::of(SessionEvent::Resumed { session: id, at }))
}

pub(super) fn bounded_name(name: &str) -> String {
    name.trim().chars().take(SESSION_NAME_CHARS).collect()
}

pub(super) fn end_session(
    desk: &Desk,
    id: SessionId,
    how: &SessionEnd,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    let mut decision = Decision::default();
    if !session.is_running() {
        return Ok(decision);
    }
    let why = match how {
        SessionEnd::Stopped => OrphanedWhy::SessionStopped,
        SessionEnd::AppQuit => OrphanedWhy::AppQuit,
        SessionEnd::Finished | SessionEnd::Failed { .. } => OrphanedWhy::AgentEnded,
    };
    for request in desk.requests().filter(|request| request.session == id) {
        match (&request.state, desk.calls(request.id)) {
            (RequestState::Open, _) => end(&mut decision, request.id, Outcome::Orphaned { why }, at),
            (RequestState::Ended(ended), Some(calls)) => {
                let becomes = calls::without_agent(calls, ended);
                decision.events.extend(becomes.map(|delivery| travelled(request.id, delivery)));
            }
            (RequestState::Ended(ended), None) if late_answer::may_have_arrived(desk, request.id, ended) => {
                let delivery = Delivery::Failed { error: DeliveryError::MayHaveArrived };
                decision.events.push(travelled(request.id, delivery));
            }
            (RequestState::Ended(_), None) if desk.is_call_closed(request.id) => {}
            (RequestState::Ended(ended), None) => park(&mut decision, request.id, ended.delivery.as_ref()),
        }
    }
    withdraw_approvals(desk, &mut decision, id, at);
    decision.events.push(Event::Session(SessionEvent::Ended { session: id, end: how.clone(), at }));
    decision.request = None;
    Ok(decision)
}

/// Deletes a session with everything said in it, unless it is running.
fn delete(session: &Session) -> Result<Decision, Rejection> {
    if session.is_running() {
        return Err(Rejection::invalid("session", ValidationError::StillRunning));
    }
    Ok(Decision::of(SessionEvent::Deleted { session: session.id }))
}
