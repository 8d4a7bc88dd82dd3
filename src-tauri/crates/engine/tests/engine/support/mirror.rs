//! The state of a subscriber that applies every frame. It fails at the first gap.

use std::collections::BTreeMap;

use askdesk_contract::{ChangeTotals, Head};
use askdesk_domain::{
    Approval, ApprovalId, ApprovalState, ContextUse, Delivery, Entry, EntryBody, HeldEnd, Notice, Request,
    RequestId, Session, SessionId, ToolStatus,
};

use super::frame::{
    Change, Delta, FinishedTurn, Frame, LiveText, Retry, Snapshot, StorageNotice, StorageOutage,
};

#[derive(Clone, Debug)]
pub struct Mirror {
    pub epoch: String,
    pub seq: u64,
    pub sessions: BTreeMap<SessionId, Session>,
    pub requests: BTreeMap<RequestId, Request>,
    pub approvals: BTreeMap<ApprovalId, Approval>,
    pub live: BTreeMap<SessionId, LiveText>,
    pub retries: BTreeMap<SessionId, Retry>,
    pub contexts: BTreeMap<SessionId, Option<ContextUse>>,
    pub finished: BTreeMap<SessionId, FinishedTurn>,
    pub held: BTreeMap<RequestId, HeldEnd>,
    pub changed_files: BTreeMap<SessionId, ChangeTotals>,
    pub heads: BTreeMap<SessionId, Head>,
    pub storage: Vec<StorageNotice>,
    pub outage: Option<StorageOutage>,
    /// The entries from deltas; a snapshot has none.
    pub entries: BTreeMap<(SessionId, u64), Entry>,
    /// How many snapshots came after the first.
    pub renewed: usize,
}

impl Mirror {
    pub fn begin(frame: Frame) -> Self {
        let Frame::Snapshot(snapshot) = frame else { panic!("a subscription begins with {frame:?}") };
        Self::of(&snapshot)
    }

    pub fn of(snapshot: &Snapshot) -> Self {
        Self {
            epoch: snapshot.epoch.clone(),
            seq: snapshot.seq,
            sessions: snapshot.sessions.iter().map(|it| (it.id, it.clone())).collect(),
            requests: snapshot.requests.iter().map(|it| (it.id, it.clone())).collect(),
            approvals: snapshot.approvals.iter().map(|it| (it.id, it.clone())).collect(),
            live: snapshot.live.iter().map(|it| (it.session, it.clone())).collect(),
            retries: snapshot.retries.iter().map(|it| (it.session, it.retry.clone())).collect(),
            contexts: snapshot.contexts.iter().map(|it| (it.session, it.context)).collect(),
            finished: snapshot.finished.iter().map(|it| (it.session, it.turn)).collect(),
            held: snapshot.held.iter().map(|it| (it.request, it.clone())).collect(),
            changed_files: snapshot.changed_files.iter().map(|it| (it.session, it.totals)).collect(),
            heads: snapshot.heads.iter().map(|it| (it.session, it.head.clone())).collect(),
            storage: snapshot.storage.clone(),
            outage: snapshot.outage.clone(),
            entries: BTreeMap::new(),
            renewed: 0,
        }
    }

    pub fn take(&mut self, frame: &Frame) {
        match frame {
            Frame::Snapshot(snapshot) => {
                assert!(snapshot.seq >= self.seq, "a snapshot from before: {} < {}", snapshot.seq, self.seq);
                let (entries, renewed) = (std::mem::take(&mut self.entries), self.renewed + 1);
                *self = Self { entries, renewed, ..Self::of(snapshot) };
            }
            Frame::Delta(delta) => self.apply(delta),
        }
    }

    fn apply(&mut self, delta: &Delta) {
        assert_eq!((&delta.epoch, delta.prev), (&self.epoch, self.seq), "a gap");
        assert!(delta.seq > delta.prev && !delta.changes.is_empty());
        self.seq = delta.seq;
        for change in &delta.changes {
            match change {
                Change::Session { session } => drop(self.sessions.insert(session.id, session.clone())),
                Change::Request { request } => drop(self.requests.insert(request.id, request.clone())),
                Change::Approval { approval } => drop(self.approvals.insert(approval.id, approval.clone())),
                Change::EndHeld { held } => drop(self.held.insert(held.request, held.clone())),
                Change::HoldReleased { request } => drop(self.held.remove(request)),
                Change::Entry { session, entry } => {
                    drop(self.entries.insert((*session, entry.n), entry.clone()));
                }
                Change::LiveText { added } => match self.live.get_mut(&added.session) {
                    Some(live) if live.kind == added.kind => live.text.push_str(&added.text),
                    _ => drop(self.live.insert(added.session, added.clone())),
                },
                Change::Context { changed } => drop(self.contexts.insert(changed.session, changed.context)),
                Change::SessionClosed { session } => {
                    drop(self.sessions.remove(session));
                    self.live.remove(session);
                    self.retries.remove(session);
                    self.contexts.remove(session);
                    self.finished.remove(session);
                    self.requests.retain(|_, request| request.session != *session);
                    self.approvals.retain(|_, approval| approval.session != *session);
                }
                Change::FilesChanged { session, totals } => {
                    self.changed_files.insert(*session, *totals);
                }
                Change::CheckedOut { session, head: Some(head) } => {
                    self.heads.insert(*session, head.clone());
                }
                Change::CheckedOut { session, head: None } => drop(self.heads.remove(session)),
                Change::Retry { session, retry: Some(retry) } => {
                    self.retries.insert(*session, retry.clone());
                }
                Change::Retry { session, retry: None } => drop(self.retries.remove(session)),
                Change::Finished { session, turn: Some(turn) } => drop(self.finished.insert(*session, *turn)),
                Change::Finished { session, turn: None } => drop(self.finished.remove(session)),
                Change::LiveCleared { session } => drop(self.live.remove(session)),
                Change::SessionDeleted { session } => self.forget(*session),
                Change::Storage { notices } => self.storage.clone_from(notices),
                Change::Outage { outage } => self.outage.clone_from(outage),
            }
        }
    }

    fn forget(&mut self, session: SessionId) {
        self.sessions.remove(&session);
        self.requests.retain(|_, request| request.session != session);
        self.approvals.retain(|_, approval| approval.session != session);
        self.live.remove(&session);
        self.changed_files.remove(&session);
        self.heads.remove(&session);
        self.retries.remove(&session);
        self.contexts.remove(&session);
        self.finished.remove(&session);
        self.entries.retain(|(owner, _), _| *owner != session);
    }

    /// Returns whether this has applied a delta that a snapshot does not include.
    pub fn is_later_than(&self, snapshot: &Snapshot) -> bool {
        let now = Self::of(snapshot);
        self.epoch == now.epoch && self.seq > now.seq
    }

    /// Fails unless this equals a snapshot.
    #[track_caller]
    pub fn check(&self, snapshot: &Snapshot) {
        let now = Self::of(snapshot);
        assert_eq!((&self.epoch, self.seq), (&now.epoch, now.seq));
        assert_eq!(self.sessions, now.sessions);
        assert_eq!(self.requests, now.requests);
        assert_eq!(self.approvals, now.approvals);
        assert_eq!(self.live, now.live);
        assert_eq!(self.retries, now.retries);
        assert_eq!(self.contexts, now.contexts);
        assert_eq!(self.finished, now.finished);
        assert_eq!(self.held, now.held);
        assert_eq!(self.changed_files, now.changed_files);
        assert_eq!(self.heads, now.heads);
        assert_eq!((&self.storage, &self.outage), (&now.storage, &now.outage));
    }

    /// The delivery of a request that has ended.
    pub fn delivery(&self, request: RequestId) -> Option<&Delivery> {
        self.requests.get(&request)?.ended()?.delivery.as_ref()
    }

    /// The entries of a session, in order.
    pub fn transcript(&self, session: SessionId) -> Vec<&EntryBody> {
        self.entries.range((session, 0)..=(session, u64::MAX)).map(|(_, entry)| &entry.body).collect()
    }

    /// What the agent of a session has said, in order.
    pub fn said(&self, session: SessionId) -> Vec<&str> {
        let said = self.transcript(session).into_iter().filter_map(|body| match body {
            EntryBody::Agent { text } => Some(text.as_str()),
            _ => None,
        });
        said.collect()
    }

    /// The status of each tool call, in order.
    pub fn tool_statuses(&self, session: SessionId) -> Vec<ToolStatus> {
        let statuses = self.transcript(session).into_iter().filter_map(|body| match body {
            EntryBody::Tool { status, .. } => Some(*status),
            _ => None,
        });
        statuses.collect()
    }

    pub fn open_approval(&self, session: SessionId) -> Option<&Approval> {
        self.approvals.values().find(|it| it.session == session && it.state == ApprovalState::Open)
    }

    pub fn turns(&self, session: SessionId) -> Vec<&EntryBody> {
        let ended = |body: &&EntryBody| matches!(body, EntryBody::TurnEnded { .. });
        self.transcript(session).into_iter().filter(ended).collect()
    }

    pub fn notices(&self, session: SessionId) -> Vec<&Notice> {
        let notices = self.transcript(session).into_iter().filter_map(|body| match body {
            EntryBody::Notice { notice } => Some(notice),
            _ => None,
        });
        notices.collect()
    }

    pub fn open(&self, session: SessionId) -> Vec<&Request> {
        self.requests.values().filter(|it| it.session == session && it.is_open()).collect()
    }
}
