//! What is remembered of clients that the desk did not start: which session a call came from, and when it asked again.

use std::collections::HashMap;

use super::Desk;
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::inbound::LastAsked;
use crate::origin::{Channel, OriginKind};
use crate::request::{Limit, Request, RequestState};
use crate::session::SessionState;

/// How many names of clients are listed; a client may call itself anything.
pub const LAST_ASKED: usize = 100;

impl Desk {
    /// Lists when each client that comes by itself asked last, the latest first. Of what is older than the requests in memory,
    /// the first question of a session is known.
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

    /// Says whether the client of a session is gone, while others still wait for what was asked in it.
    pub(crate) fn is_away(&self, session: SessionId) -> bool {
        self.lives.get(&session).is_some_and(|life| life.away)
    }

    /// Returns when a request was asked last, the first time included.
    pub(crate) fn asked_last(&self, request: &Request) -> Timestamp {
        self.asked_again.get(&request.id).copied().map_or(request.asked_at, |at| at.max(request.asked_at))
    }

    /// Lists the calls that wait for a request, or wait to be told how it ended, with the session each came from.
    pub(crate) fn callers<'a>(&'a self, request: &'a Request) -> Vec<(&'a NativeRef, SessionId)> {
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

    /// Says whether two sessions are of one client: of one origin, in one folder.
    pub(crate) fn same_client(&self, one: SessionId, other: SessionId) -> bool {
        match (self.session(one), self.session(other)) {
            (Some(one), Some(other)) => {
                one.origin.is_inbound() && one.origin == other.origin && one.folder == other.folder
            }
            _ => false,
        }
    }

    /// Says whether what was asked in one session may be found in another by its words alone: not where no folder is known,
    /// because the client may then be at work in another project.
    pub(crate) fn is_found_by_content(&self, asked_in: SessionId, asking: SessionId) -> bool {
        let in_a_folder = self.session(asking).is_some_and(|session| !session.folder.is_empty());
        asked_in == asking || in_a_folder && self.same_client(asked_in, asking)
    }

    pub(super) fn fold_visit_again(
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
        self.forget_visits(id);
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.state = RequestState::Open;
        request.native_ref = native_ref.clone();
        request.limit = limit.cloned();
        let session = request.session;
        self.closed_calls.remove(&id);
        self.sending.remove(&id);
        self.calls.remove(&id);
        self.settled_requests.retain(|settled| *settled != id);
        self.missed_requests.retain(|missed| *missed != id);
        self.fold_visit_again(id, native_ref, guest, Some(at));
        if self.session(session).is_some_and(|session| !session.is_running()) {
            // Its own client is not there: it is open for as long as another one waits in it.
            self.on_session(session, |session| session.state = SessionState::Idle);
            self.on_life(session, |life| {
                life.closed = false;
                life.away = true;
            });
        }
    }

    /// Lets go of the calls of a request: what ends it from now on finds nobody who waits.
    pub(super) fn close_call(&mut self, id: RequestId) {
        self.closed_calls.insert(id);
        self.calls.remove(&id);
        self.guests.retain(|(request, _), _| *request != id);
    }

    pub(super) fn forget_visits(&mut self, id: RequestId) {
        self.guests.retain(|(request, _), _| *request != id);
        self.asked_again.remove(&id);
    }
}
