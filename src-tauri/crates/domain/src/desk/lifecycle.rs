//! The life of sessions: their order, their ends, and whether they can be resumed.

use serde::{Deserialize, Serialize};

use super::Desk;
use crate::id::{SessionId, Timestamp};
use crate::session::{Session, SessionEnd, SessionState};

/// State of a session that is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Life {
    /// Its agent has finished a piece of output; before that, the agent has nothing to resume.
    pub(super) spoke: bool,
    /// Its agent no longer has the session.
    pub(super) forgotten: bool,
    /// It was removed from the sidebar.
    pub(super) closed: bool,
    /// Its app is gone, while other calls still wait for its requests.
    pub(super) away: bool,
}

impl Desk {
    /// Returns whether a session was removed from the sidebar.
    pub fn is_closed(&self, session: SessionId) -> bool {
        self.lives.get(&session).is_some_and(|life| life.closed)
    }

    /// Returns whether a session's agent has finished a piece of output.
    pub fn has_spoken(&self, session: SessionId) -> bool {
        self.lives.get(&session).is_some_and(|life| life.spoke)
    }

    /// Returns whether a session's agent no longer has it.
    pub fn is_forgotten(&self, session: SessionId) -> bool {
        self.lives.get(&session).is_some_and(|life| life.forgotten)
    }

    /// Lists all sessions in their order, closed ones included.
    pub fn order(&self) -> Vec<SessionId> {
        let mut order: Vec<&Session> = self.sessions.values().collect();
        order.sort_by_key(|session| (session.place, session.id));
        order.into_iter().map(|session| session.id).collect()
    }

    /// Returns the order of sessions after one is moved.
    pub(crate) fn order_with(&self, moved: SessionId, before: Option<SessionId>) -> Vec<SessionId> {
        let mut order = self.order();
        order.retain(|id| *id != moved);
        let place = before.and_then(|before| order.iter().position(|id| *id == before));
        order.insert(place.unwrap_or(order.len()), moved);
        order
    }

    /// A new session comes last, whatever position its record gives it.
    pub(super) fn fold_started(&mut self, started: &Session) {
        let last = self.sessions.values().map(|session| session.place).max();
        let place = last.map_or(0, |last| last.saturating_add(1));
        self.sessions.insert(started.id, Session { place, ..started.clone() });
        self.lives.insert(started.id, Life::default());
    }

    pub(super) fn fold_moved(&mut self, moved: SessionId, before: Option<SessionId>) {
        if !self.sessions.contains_key(&moved) {
            return;
        }
        for (place, id) in (0..).zip(self.order_with(moved, before)) {
            self.on_session(id, |session| session.place = place);
        }
    }

    pub(super) fn fold_ended(&mut self, id: SessionId, end: &SessionEnd, at: Timestamp) {
        self.on_session(id, |session| {
            session.state = SessionState::Ended { end: end.clone(), at };
            session.helpers.clear();
        });
        // The callers are gone: no later text may be routed to these ids.
        let asked = self.requests.values().filter(|request| request.session == id).map(|request| request.id);
        self.closed_calls.extend(asked);
        self.calls.retain(|request, _| !self.closed_calls.contains(request));
        self.guests.retain(|(request, _), _| !self.closed_calls.contains(request));
        self.update_resumable(id);
    }

    pub(super) fn fold_resumed(&mut self, id: SessionId) {
        self.on_session(id, |session| {
            // A connected app has no start to wait for.
            let inbound = session.origin.is_inbound();
            session.state = if inbound { SessionState::Idle } else { SessionState::Starting };
        });
        self.on_life(id, |life| {
            life.closed = false;
            life.away = false;
        });
    }

    pub(super) fn on_life(&mut self, id: SessionId, change: impl FnOnce(&mut Life)) {
        if let Some(life) = self.lives.get_mut(&id) {
            change(life);
        }
        self.update_resumable(id);
    }

    pub(super) fn update_resumable(&mut self, id: SessionId) {
        let known = self.session(id).is_some_and(|session| self.will_be_resumable(session));
        self.on_session(id, |session| session.resumable = !session.is_running() && known);
    }

    /// Returns whether a session can be resumed once it has ended.
    pub(crate) fn will_be_resumable(&self, session: &Session) -> bool {
        let life = self.lives.get(&session.id).copied().unwrap_or_default();
        session.native_session.is_some() && life.spoke && !life.forgotten
    }
}
