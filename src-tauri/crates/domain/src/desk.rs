//! The desk: the current state, built by folding events in order.

mod calls;
mod inbound;
mod lifecycle;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::approval::{Approval, ApprovalState};
use crate::event::{ApprovalEvent, Event, QueueEvent, RequestEvent, SessionEvent};
use crate::id::{ApprovalId, NativeRef, RequestId, SessionId, Timestamp};
use crate::request::{Asker, Delivery, Ended, Outcome, Request, RequestState};
use crate::session::{Session, SessionState};
pub(crate) use calls::{Call, together};
use lifecycle::Life;

/// How many settled requests stay in memory; older ones are read from the journal.
pub const SETTLED_REQUESTS: usize = 1_000;
/// How many missed requests stay in memory; older ones are read from the journal and accept no late answer.
pub const MISSED_REQUESTS: usize = 1_000;
/// How many settled approvals stay in memory.
pub const SETTLED_APPROVALS: usize = 1_000;

/// Its stored form is a shortcut to the events, not their replacement: the engine's journal drops it whenever in doubt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Desk {
    sessions: BTreeMap<SessionId, Session>,
    requests: BTreeMap<RequestId, Request>,
    approvals: BTreeMap<ApprovalId, Approval>,
    lives: BTreeMap<SessionId, Life>,
    /// Requests whose calls have all stopped waiting: an outcome can only travel as a message.
    closed_calls: BTreeSet<RequestId>,
    /// Requests whose outcome may have been sent to the agent; whether it arrived is unknown.
    sending: BTreeSet<RequestId>,
    /// The calls of requests that several calls have joined; a request without an entry has only its first call.
    calls: BTreeMap<RequestId, Vec<Call>>,
    /// Calls that joined a request of another session, with the session they came from.
    #[serde(with = "pairs")]
    guests: BTreeMap<(RequestId, NativeRef), SessionId>,
    /// When a connected app last repeated a request.
    asked_again: BTreeMap<RequestId, Timestamp>,
    settled_requests: VecDeque<RequestId>,
    missed_requests: VecDeque<RequestId>,
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

    /// Lists all sessions that are not closed, oldest first.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values().filter(|session| !self.is_closed(session.id))
    }

    /// Lists the closed sessions, oldest first.
    pub fn closed_sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values().filter(|session| self.is_closed(session.id))
    }

    /// Lists the ended sessions, oldest first.
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

    /// Finds a session, closed or not.
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

    /// Finds a request by the native id that the session's running agent gave it; ids of earlier runs match nothing. If an
    /// agent gave several the same id, it is the one whose call still waits, else the newest.
    pub fn by_native_ref(&self, session: SessionId, native_ref: &NativeRef) -> Option<&Request> {
        let same = |request: &&Request| request.session == session && self.is_call_of(request, native_ref);
        let known = self.requests.values().filter(same).filter(|request| !self.is_call_closed(request.id));
        known.max_by_key(|request| (!self.is_call_over(request, native_ref), request.id))
    }

    /// Returns whether no call of the request waits any more, so that its outcome can only travel as a message.
    pub fn is_call_closed(&self, id: RequestId) -> bool {
        self.closed_calls.contains(&id)
    }

    /// Returns whether the outcome may have been sent to the agent; whether it arrived is unknown.
    pub fn is_sending(&self, id: RequestId) -> bool {
        self.sending.contains(&id)
    }

    /// Lists a session's requests whose answers are parked, oldest first.
    pub fn parked(&self, session: SessionId) -> impl Iterator<Item = &Request> {
        let parked =
            |ended: &Ended| ended.delivery == Some(Delivery::Parked) && ended.outcome.can_come_late();
        let of_session = self.requests.values().filter(move |request| request.session == session);
        of_session
            .filter(|request| self.is_call_closed(request.id))
            .filter(move |request| request.ended().is_some_and(parked))
    }

    /// Lists a session's open requests, oldest first.
    pub fn open_requests(&self, session: SessionId) -> impl Iterator<Item = &Request> {
        self.requests.values().filter(move |request| request.session == session && request.is_open())
    }

    /// Lists a session's open approvals, oldest first.
    pub fn open_approvals(&self, session: SessionId) -> impl Iterator<Item = &Approval> {
        let open = |approval: &&Approval| approval.state == ApprovalState::Open;
        self.approvals.values().filter(move |approval| approval.session == session).filter(open)
    }

    /// Applies one event. An event about an unknown item changes nothing.
    pub fn fold(&mut self, event: &Event) {
        match event {
            Event::Session(event) => self.fold_session(event),
            Event::Queue(event) => self.fold_queue(event),
            Event::Request(event) => self.fold_request(event),
            Event::Approval(event) => self.fold_approval(event),
        }
    }

    fn fold_session(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::Started { session } => self.fold_started(session),
            SessionEvent::Introduced { session, version, model } => self.on_session(*session, |session| {
                session.version = version.clone().or(session.version.take());
                session.model = model.clone().or(session.model.take());
                if session.state == SessionState::Starting {
                    session.state = SessionState::Idle;
                }
            }),
            SessionEvent::NativeSessionKnown { session, native_session } => {
                self.on_session(*session, |session| session.native_session = Some(native_session.clone()));
                self.update_resumable(*session);
            }
            SessionEvent::ConfigChanged { session, config } => {
                self.on_session(*session, |session| session.config.clone_from(config));
            }
            SessionEvent::TurnBegan { session } => {
                self.on_session(*session, |session| session.state = SessionState::Working);
            }
            SessionEvent::TurnFinished { session } => {
                self.on_session(*session, |session| session.state = SessionState::Idle);
            }
            SessionEvent::LinesUnusable { session, lines } => {
                self.on_session(*session, |session| session.unusable_lines += lines);
            }
            SessionEvent::Ended { session, end, at } => self.fold_ended(*session, end, *at),
            SessionEvent::Renamed { session, name, by } => self.on_session(*session, |session| {
                session.name.clone_from(name);
                session.named_by = *by;
            }),
            SessionEvent::FolderChanged { session, folder, worktree } => {
                self.on_session(*session, |session| {
                    session.folder.clone_from(folder);
                    if worktree.is_some() {
                        session.worktree.clone_from(worktree);
                    }
                })
            }
            SessionEvent::NotificationsSet { session, notifications } => {
                self.on_session(*session, |session| session.notifications = *notifications);
            }
            SessionEvent::Moved { session, before } => self.fold_moved(*session, *before),
            SessionEvent::Closed { session, .. } => self.on_life(*session, |life| life.closed = true),
            SessionEvent::Resumed { session, .. } => self.fold_resumed(*session),
            SessionEvent::AgentSpoke { session } => self.on_life(*session, |life| life.spoke = true),
            SessionEvent::Forgotten { session } => self.on_life(*session, |life| life.forgotten = true),
            SessionEvent::ClientLeft { session } => self.on_life(*session, |life| life.away = true),
            SessionEvent::HelperBegan { session, helper } => {
                self.on_session(*session, |session| session.helpers.push(helper.clone()));
            }
            SessionEvent::HelperStateChanged { session, helper, state } => {
                self.on_session(*session, |session| {
                    if let Some(known) = session.helpers.iter_mut().find(|known| known.id == *helper) {
                        known.state = *state;
                    }
                });
            }
            SessionEvent::HelperEnded { session, helper } => {
                self.on_session(*session, |session| session.helpers.retain(|known| known.id != *helper));
            }
            SessionEvent::Deleted { session } => {
                self.sessions.remove(session);
                self.lives.remove(session);
                let requests = self.requests.values().filter(|request| request.session == *session);
                let requests: Vec<RequestId> = requests.map(|request| request.id).collect();
                requests.into_iter().for_each(|request| self.forget_request(request));
                self.approvals.retain(|_, approval| approval.session != *session);
            }
        }
    }

    fn fold_queue(&mut self, event: &QueueEvent) {
        match event {
            QueueEvent::Added { session, message } => {
                self.on_session(*session, |session| session.queue.push(message.clone()));
            }
            QueueEvent::Edited { session, message } => self.on_session(*session, |session| {
                if let Some(known) = session.queue.iter_mut().find(|known| known.id == message.id) {
                    known.text.clone_from(&message.text);
                }
            }),
            QueueEvent::Removed { session, message } => self.on_session(*session, |session| {
                session.queue.retain(|known| known.id != *message);
            }),
            QueueEvent::Sent { session, message } => self.on_session(*session, |session| {
                session.queue.retain(|known| known.id != message.id);
            }),
        }
    }

    fn fold_request(&mut self, event: &RequestEvent) {
        match event {
            RequestEvent::Asked { request } => {
                self.requests.insert(request.id, request.clone());
                // An agent that asks has produced output.
                self.on_life(request.session, |life| life.spoke = true);
                if request.asker == Asker::GoesOn {
                    self.close_call(request.id);
                }
            }
            RequestEvent::AskedAgain { request, native_ref, guest, at } => {
                self.fold_asked_again(*request, native_ref);
                self.note_caller(*request, native_ref, *guest, *at);
            }
            RequestEvent::Reopened { request, native_ref, guest, limit, at } => {
                self.fold_reopened(*request, native_ref, *guest, limit.as_ref(), *at);
            }
            RequestEvent::AskerChanged { request, asker } => {
                if let Some(request) = self.requests.get_mut(request) {
                    request.asker = *asker;
                }
            }
            RequestEvent::CallLeft { request, native_ref } => self.fold_call_left(*request, native_ref),
            RequestEvent::Ended { request, outcome, at, answer } => {
                let delivery = outcome.needs_delivery().then_some(Delivery::Pending);
                self.fold_end_of_calls(*request, delivery.as_ref());
                if let Some(request) = self.requests.get_mut(request) {
                    let (outcome, at, answer) = (outcome.clone(), *at, *answer);
                    request.state = RequestState::Ended(Ended { outcome, at, delivery, answer });
                }
                // The asker is gone: no later text may be routed to its call.
                if let Outcome::Orphaned { .. } = outcome {
                    self.close_call(*request);
                }
                self.settle_request(*request);
            }
            RequestEvent::DeliveryChanged { request, delivery, call } => {
                self.on_ended(*request, |ended| ended.delivery = Some(delivery.clone()));
                self.sending.remove(request);
                if let Some(news) = call {
                    self.fold_call_delivery(*request, news);
                }
                self.settle_request(*request);
            }
            RequestEvent::Sending { request, call: Some(call), .. } => self.fold_call_sending(*request, call),
            RequestEvent::Sending { request, call: None, .. } => {
                if self.on_ended(*request, |ended| ended.delivery = Some(Delivery::Pending)) {
                    self.sending.insert(*request);
                }
            }
            RequestEvent::AnsweredLate { request, outcome, at, answer } => {
                let (outcome, delivery) = (outcome.clone(), Some(Delivery::Parked));
                self.replace_end(*request, Ended { outcome, at: *at, delivery, answer: *answer });
            }
            RequestEvent::Dismissed { request, outcome, at } => {
                let (outcome, at) = (outcome.clone(), *at);
                self.replace_end(*request, Ended { outcome, at, delivery: None, answer: None });
            }
            RequestEvent::TimesMoved { request, by } => {
                if let Some(request) = self.requests.get_mut(request) {
                    request.asked_at = request.asked_at.moved(*by);
                    if let Some(limit) = &mut request.limit {
                        limit.at = limit.at.moved(*by);
                    }
                }
            }
        }
    }

    fn fold_approval(&mut self, event: &ApprovalEvent) {
        match event {
            ApprovalEvent::Asked { approval } => {
                self.approvals.insert(approval.id, approval.clone());
                self.on_life(approval.session, |life| life.spoke = true);
            }
            ApprovalEvent::Decided { approval, decision, at } => {
                let state = ApprovalState::Decided { decision: decision.clone(), at: *at, error: None };
                self.settle_approval(*approval, state);
            }
            ApprovalEvent::DeliveryFailed { approval, error } => {
                if let Some(ApprovalState::Decided { error: slot, .. }) =
                    self.approvals.get_mut(approval).map(|approval| &mut approval.state)
                {
                    *slot = Some(error.clone());
                }
            }
            ApprovalEvent::Withdrawn { approval, at } => {
                self.settle_approval(*approval, ApprovalState::Withdrawn { at: *at });
            }
            ApprovalEvent::Refused { approval, at } => {
                self.settle_approval(*approval, ApprovalState::Refused { at: *at });
            }
            ApprovalEvent::TimesMoved { approval, by } => {
                if let Some(approval) = self.approvals.get_mut(approval) {
                    approval.asked_at = approval.asked_at.moved(*by);
                }
            }
        }
    }

    fn on_session(&mut self, id: SessionId, change: impl FnOnce(&mut Session)) {
        if let Some(session) = self.sessions.get_mut(&id) {
            change(session);
        }
    }

    /// Changes the end of a request; returns false if it has not ended.
    fn on_ended(&mut self, id: RequestId, change: impl FnOnce(&mut Ended)) -> bool {
        let state = self.requests.get_mut(&id).map(|request| &mut request.state);
        let Some(RequestState::Ended(ended)) = state else { return false };
        change(ended);
        true
    }

    fn replace_end(&mut self, id: RequestId, ended: Ended) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.state = RequestState::Ended(ended);
        self.close_call(id);
        self.sending.remove(&id);
        self.settle_request(id);
    }

    fn settle_request(&mut self, id: RequestId) {
        self.settled_requests.retain(|settled| *settled != id);
        self.missed_requests.retain(|missed| *missed != id);
        let Some(request) = self.requests.get(&id).filter(|request| !request.is_live()) else { return };
        let (queue, bound) = match request.is_missed() {
            true => (&mut self.missed_requests, MISSED_REQUESTS),
            false => (&mut self.settled_requests, SETTLED_REQUESTS),
        };
        queue.push_back(id);
        let over = queue.len().saturating_sub(bound);
        let oldest: Vec<RequestId> = queue.drain(..over).collect();
        oldest.into_iter().for_each(|oldest| self.forget_request(oldest));
    }

    fn forget_request(&mut self, id: RequestId) {
        self.requests.remove(&id);
        self.forget_calls(id);
    }

    fn settle_approval(&mut self, id: ApprovalId, state: ApprovalState) {
        let Some(approval) = self.approvals.get_mut(&id) else { return };
        approval.state = state;
        self.settled_approvals.retain(|settled| *settled != id);
        self.settled_approvals.push_back(id);
        while self.settled_approvals.len() > SETTLED_APPROVALS {
            if let Some(oldest) = self.settled_approvals.pop_front() {
                self.approvals.remove(&oldest);
            }
        }
    }
}

/// Stores a map as pairs: a key of several parts can't be the name of a field.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
