//! The state of connected apps: which session a call came from, and when it last asked.

use std::collections::HashMap;

use super::Desk;
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::inbound::LastAsked;
use crate::origin::{Channel, OriginKind};
use crate::request::{Asker, Limit, Request, RequestState};
use crate::session::SessionState;

/// How many names of connected apps are listed; an app can choose any name.
pub const LAST_ASKED: usize = 100;

impl Desk {
    /// Lists when each connected app last asked, the latest first. For requests that are no longer in memory, only the first
    /// question of a session is known.
    pub fn last_asked(&self) -> Vec<LastAsked> {
        let first = self.sessions.values().map(|session| (session, session.started_at));
        let in_memory = self
            .requests
            .values()
            .filter_map(|request| Some((self.session(request.session)?, self.asked_last(request))));
        let mut by_name: HashMap<(Channel, &str), Timestamp> = HashMap::new();
        for (session, at) in first.chain(in_memory) {
            let OriginKind::Inbound { channel, client } = &session.origin.kind else { continue };
            let known = by_name.entry((*channel, client)).or_insert(at);
            *known = at.max(*known);
        }
        let known = by_name.into_iter();
        let mut last: Vec<LastAsked> = known
            .map(|((channel, name), asked_at)| LastAsked { channel, name: name.to_owned(), asked_at })
            .collect();
        last.sort_by(|one, other| (other.asked_at, &one.name).cmp(&(one.asked_at, &other.name)));
        last.truncate(LAST_ASKED);
        last
    }

    /// Returns whether the app of a session is gone while other calls still wait for its requests.
    pub(crate) fn is_away(&self, session: SessionId) -> bool {
        self.lives.get(&session).is_some_and(|life| life.away)
    }

    /// Returns when a request was last asked, including the first time.
    pub(crate) fn asked_last(&self, request: &Request) -> Timestamp {
        self.asked_again.get(&request.id).copied().map_or(request.asked_at, |at| at.max(request.asked_at))
    }

    /// Lists the calls that await a request or its outcome, with the session each came from.
    pub fn callers<'a>(&'a self, request: &'a Request) -> Vec<(&'a NativeRef, SessionId)> {
        if self.is_call_closed(request.id) {
            return Vec::new();
        }
        let refs: Vec<&NativeRef> = match self.calls(request.id) {
            Some(calls) => calls.iter().map(|call| &call.native_ref).collect(),
            None => vec![&request.native_ref],
        };
        let came_from = |native_ref: &NativeRef| {
            self.guests.get(&(request.id, native_ref.clone())).copied().unwrap_or(request.session)
        };
        refs.into_iter().map(|native_ref| (native_ref, came_from(native_ref))).collect()
    }

    /// Returns whether two sessions are the same, or belong to the same app: same origin, same folder.
    pub(crate) fn same_client(&self, one: SessionId, other: SessionId) -> bool {
        match (self.session(one), self.session(other)) {
            (Some(one), Some(other)) => {
                one.id == other.id
                    || one.origin.is_inbound() && one.origin == other.origin && one.folder == other.folder
            }
            _ => false,
        }
    }

    /// Returns whether a request of one session may match a call of another by its content alone. Not if the folder is unknown,
    /// because the app may then be working in another project.
    pub(crate) fn is_found_by_content(&self, asked_in: SessionId, asking: SessionId) -> bool {
        let in_a_folder = self.session(asking).is_some_and(|session| !session.folder.is_empty());
        asked_in == asking || in_a_folder && self.same_client(asked_in, asking)
    }

    pub(super) fn note_caller(
        &mut self,
        id: RequestId,
        native_ref: &NativeRef,
        guest: Option<SessionId>,
        at: Option<Timestamp>,
    ) {
        if !self.requests.contains_key(&id) {
            return;
        }
        if let Some(guest) = guest {
            self.guests.insert((id, native_ref.clone()), guest);
        }
        if let Some(at) = at {
            self.asked_again.insert(id, at);
        }
    }

    pub(super) fn fold_reopened(
        &mut self,
        id: RequestId,
        native_ref: &NativeRef,
        guest: Option<SessionId>,
        limit: Option<&Limit>,
        at: Timestamp,
    ) {
        self.forget_calls(id);
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.state = RequestState::Open;
        request.native_ref = native_ref.clone();
        request.limit = limit.cloned();
        request.asker = Asker::Waits;
        let session = request.session;
        self.settled_requests.retain(|settled| *settled != id);
        self.missed_requests.retain(|missed| *missed != id);
        self.note_caller(id, native_ref, guest, Some(at));
        if self.session(session).is_some_and(|session| !session.is_running()) {
            // Its own app is gone: the session stays open as long as another call waits in it.
            self.on_session(session, |session| session.state = SessionState::Idle);
            self.on_life(session, |life| {
                life.closed = false;
                life.away = true;
            });
        }
    }

    /// Closes the calls of a request: any later outcome has no waiter.
    pub(super) fn close_call(&mut self, id: RequestId) {
        self.closed_calls.insert(id);
        self.calls.remove(&id);
        self.guests.retain(|(request, _), _| *request != id);
    }

    /// Forgets everything about the calls of a request.
    pub(super) fn forget_calls(&mut self, id: RequestId) {
        self.closed_calls.remove(&id);
        self.sending.remove(&id);
        self.calls.remove(&id);
        self.guests.retain(|(request, _), _| *request != id);
        self.asked_again.remove(&id);
    }
}
