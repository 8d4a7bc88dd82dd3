//! How sessions begin, get their name and place, leave the sidebar and are taken up again.

use super::{Decision, inbound, known};
use crate::config::ConfigOption;
use crate::desk::Desk;
use crate::do_not_disturb::SessionNotifications;
use crate::event::Event;
use crate::id::{NativeSession, SessionId, Timestamp};
use crate::origin::Origin;
use crate::rejection::Rejection;
use crate::session::{SESSION_NAME_CHARS, Session, SessionState};
use crate::session_options::SessionOptions;
use crate::text::{says_something, without_controls};
use crate::validation_error::ValidationError;

pub(super) struct NewSession<'a> {
    pub(super) origin: &'a Origin,
    pub(super) name: &'a str,
    pub(super) folder: &'a str,
    pub(super) options: &'a SessionOptions,
    pub(super) config: &'a [ConfigOption],
}

pub(super) fn start(
    desk: &Desk,
    id: SessionId,
    new: &NewSession<'_>,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let NewSession { origin, name, folder, options, config } = *new;
    if desk.session(id).is_some() {
        return Err(Rejection::invalid("id", "a session with this id exists already"));
    }
    let session = Session {
        id,
        origin: origin.clone(),
        name: bounded_name(name),
        folder: folder.to_owned(),
        started_at: at,
        state: SessionState::Starting,
        version: None,
        model: None,
        unusable_lines: 0,
        queue: Vec::new(),
        attention: SessionNotifications::default(),
        options: options.clone(),
        config: config.to_vec(),
        native_session: None,
        place: 0,
        resumable: false,
    };
    Ok(Decision::of(Event::SessionStarted { session }))
}

/// Notes what an agent said about itself, as far as it is news.
pub(super) fn introduce(
    session: &Session,
    version: Option<&String>,
    model: Option<&String>,
    native_session: Option<&NativeSession>,
) -> Decision {
    let mut decision = Decision::default();
    let known = session.version.as_ref() == version && session.model.as_ref() == model;
    if session.state == SessionState::Starting || !known {
        decision.events.push(Event::AgentIntroduced {
            session: session.id,
            version: version.cloned(),
            model: model.cloned(),
        });
    }
    if let Some(native_session) = native_session.filter(|id| session.native_session.as_ref() != Some(id)) {
        decision
            .events
            .push(Event::NativeSessionKnown { session: session.id, native_session: native_session.clone() });
    }
    decision
}

pub(super) fn rename(desk: &Desk, id: SessionId, name: &str) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    // A line feed would make two lines of a tab.
    let name = bounded_name(&without_controls(&name.replace(['\n', '\t'], " ")));
    if !says_something(&name) {
        return Err(Rejection::invalid("name", ValidationError::Empty));
    }
    if session.name == name {
        return Ok(Decision::default());
    }
    Ok(Decision::of(Event::SessionRenamed { session: id, name }))
}

pub(super) fn move_before(
    desk: &Desk,
    id: SessionId,
    before: Option<SessionId>,
) -> Result<Decision, Rejection> {
    known(desk, id)?;
    if let Some(before) = before {
        known(desk, before)?;
    }
    if before == Some(id) || desk.order_with(id, before) == desk.order() {
        return Ok(Decision::default());
    }
    Ok(Decision::of(Event::SessionMoved { session: id, before }))
}

pub(super) fn close(desk: &Desk, id: SessionId, at: Timestamp) -> Result<Decision, Rejection> {
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
    Ok(Decision::of(Event::SessionClosed { session: id, at }))
}

pub(super) fn resume(desk: &Desk, id: SessionId, at: Timestamp) -> Result<Decision, Rejection> {
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
    Ok(Decision::of(Event::SessionResumed { session: id, at }))
}

pub(super) fn bounded_name(name: &str) -> String {
    name.trim().chars().take(SESSION_NAME_CHARS).collect()
}
