//! The desk: everything that is true now, made by folding events in order.

use std::collections::{BTreeMap, VecDeque};

use crate::approval::{Approval, ApprovalState};
use crate::event::Event;
use crate::id::{ApprovalId, NativeRef, RequestId, SessionId};
use crate::request::{Delivery, Ended, Request, RequestState};
use crate::session::{Session, SessionState};

/// How many requests that need nothing more are kept in memory; older ones are read from the journal.
pub const SETTLED_REQUESTS: usize = 1_000;
/// How many approvals that need nothing more are kept in memory.
pub const SETTLED_APPROVALS: usize = 1_000;

/// Everything that is true now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Desk {
    sessions: BTreeMap<SessionId, Session>,
    requests: BTreeMap<RequestId, Request>,
    approvals: BTreeMap<ApprovalId, Approval>,
    settled_requests: VecDeque<RequestId>,
    settled_approvals: VecDeque<ApprovalId>,
}

impl Desk {
    /// Folds a whole journal.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut desk = Self::default();
        for event in events {
            desk.fold(event);
        }
        desk
    }

    /// Lists all sessions, oldest first.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values()
    }

    /// Lists the sessions that are over, oldest first.
    pub fn past_sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values().filter(|session| !session.is_running())
    }

    /// Lists the requests in memory, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.requests.values()
    }

    /// Lists the approvals in memory, oldest first.
    pub fn approvals(&self) -> impl Iterator<Item = &Approval> {
        self.approvals.values()
    }

    /// Finds a session.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    /// Finds a request in memory.
    pub fn request(&self, id: RequestId) -> Option<&Request> {
        self.requests.get(&id)
    }

    /// Finds an approval in memory.
    pub fn approval(&self, id: ApprovalId) -> Option<&Approval> {
        self.approvals.get(&id)
    }

    /// Finds the request a session registered under the agent's own id.
    pub fn by_native_ref(&self, session: SessionId, native_ref: &NativeRef) -> Option<&Request> {
        self.requests.values().find(|request| request.session == session && request.native_ref == *native_ref)
    }

    /// Lists a session's open requests, oldest first.
    pub fn open_requests(&self, session: SessionId) -> impl Iterator<Item = &Request> {
        self.requests.values().filter(move |request| request.session == session && request.is_open())
    }

    /// Returns the newest open request of a session.
    pub fn latest_open(&self, session: SessionId) -> Option<&Request> {
        self.open_requests(session).max_by_key(|request| (request.asked_at, request.id))
    }

    /// Lists a session's open approvals, oldest first.
    pub fn open_approvals(&self, session: SessionId) -> impl Iterator<Item = &Approval> {
        let open = |approval: &&Approval| approval.state == ApprovalState::Open;
        self.approvals.values().filter(move |approval| approval.session == session).filter(open)
    }

    /// Lets one event happen. An event about something unknown changes nothing.
    pub fn fold(&mut self, event: &Event) {
        match event {
            Event::SessionStarted { session } => {
                self.sessions.insert(session.id, session.clone());
            }
            Event::AgentIntroduced { session, version, model } => self.on_session(*session, |session| {
                session.version = version.clone().or(session.version.take());
                session.model = model.clone().or(session.model.take());
                if session.state == SessionState::Starting {
                    session.state = SessionState::Idle;
                }
            }),
            Event::TurnBegan { session } => {
                self.on_session(*session, |session| session.state = SessionState::Working);
            }
            Event::TurnFinished { session } => {
                self.on_session(*session, |session| session.state = SessionState::Idle);
            }
            Event::LinesUnusable { session, lines } => {
                self.on_session(*session, |session| session.unusable_lines += lines);
            }
            Event::SessionEnded { session, end, at } => self.on_session(*session, |session| {
                session.state = SessionState::Ended { end: end.clone(), at: *at };
            }),
            Event::MessageQueued { session, message } => {
                self.on_session(*session, |session| session.queue.push(message.clone()));
            }
            Event::QueuedEdited { session, message } => self.on_session(*session, |session| {
                if let Some(known) = session.queue.iter_mut().find(|known| known.id == message.id) {
                    known.text.clone_from(&message.text);
                }
            }),
            Event::QueuedRemoved { session, message } => self.on_session(*session, |session| {
                session.queue.retain(|known| known.id != *message);
            }),
            Event::QueuedSent { session, message } => self.on_session(*session, |session| {
                session.queue.retain(|known| known.id != message.id);
            }),
            Event::Asked { request } => {
                self.requests.insert(request.id, request.clone());
            }
            Event::Ended { request, outcome, at } => {
                if let Some(request) = self.requests.get_mut(request) {
                    let delivery = outcome.needs_delivery().then_some(Delivery::Pending);
                    request.state =
                        RequestState::Ended(Ended { outcome: outcome.clone(), at: *at, delivery });
                }
                self.settle_request(*request);
            }
            Event::DeliveryChanged { request, delivery } => {
                if let Some(RequestState::Ended(ended)) = self.requests.get_mut(request).map(|r| &mut r.state)
                {
                    ended.delivery = Some(delivery.clone());
                }
                self.settle_request(*request);
            }
            Event::ApprovalAsked { approval } => {
                self.approvals.insert(approval.id, approval.clone());
            }
            Event::ApprovalDecided { approval, decision, at } => {
                let state = ApprovalState::Decided { decision: decision.clone(), at: *at, error: None };
                self.settle_approval(*approval, state);
            }
            Event::ApprovalDeliveryFailed { approval, error } => {
                if let Some(ApprovalState::Decided { error: slot, .. }) =
                    self.approvals.get_mut(approval).map(|approval| &mut approval.state)
                {
                    *slot = Some(error.clone());
                }
            }
            Event::ApprovalWithdrawn { approval, at } => {
                self.settle_approval(*approval, ApprovalState::Withdrawn { at: *at });
            }
            Event::SessionDeleted { session } => {
                self.sessions.remove(session);
                self.requests.retain(|_, request| request.session != *session);
                self.approvals.retain(|_, approval| approval.session != *session);
            }
        }
    }

    fn on_session(&mut self, id: SessionId, change: impl FnOnce(&mut Session)) {
        if let Some(session) = self.sessions.get_mut(&id) {
            change(session);
        }
    }

    fn settle_request(&mut self, id: RequestId) {
        if self.requests.get(&id).is_none_or(Request::is_live) {
            return;
        }
        self.settled_requests.push_back(id);
        while self.settled_requests.len() > SETTLED_REQUESTS {
            if let Some(oldest) = self.settled_requests.pop_front() {
                self.requests.remove(&oldest);
            }
        }
    }

    fn settle_approval(&mut self, id: ApprovalId, state: ApprovalState) {
        let Some(approval) = self.approvals.get_mut(&id) else { return };
        approval.state = state;
        self.settled_approvals.push_back(id);
        while self.settled_approvals.len() > SETTLED_APPROVALS {
            if let Some(oldest) = self.settled_approvals.pop_front() {
                self.approvals.remove(&oldest);
            }
        }
    }
}
