//! The hub sends each change to every subscriber, and a new snapshot to a subscriber that can't keep up.
//! Subscribing and taking the snapshot are one step, so no change falls between them.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_contract::frame::{
    Change, Delta, FinishedTurn, Frame, LiveText, Retry, SessionChanges, SessionContext, SessionFinished,
    SessionHead, SessionRetry, Snapshot, StorageNotice, StorageOutage, merge,
};
use askdesk_contract::{ChangeTotals, Frames, Head};
use askdesk_domain::{AgentDescriptor, Desk, HeldEnd, RequestId, SessionId};
use tokio::sync::Notify;

/// How many frames a subscriber's queue holds before they are merged into one.
pub const QUEUED_FRAMES: usize = 1_024;

/// How many changes that can't be merged a subscriber's queue holds before a snapshot replaces them.
pub const QUEUED_CHANGES: usize = 4_096;

/// How much live text a subscriber's queue holds before a snapshot replaces it, in bytes.
pub const QUEUED_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// How much live text is kept for new subscribers, in bytes; its beginning is dropped first.
pub const LIVE_BYTES: usize = 256 * 1024;

/// Numbers changes and distributes them.
#[derive(Debug)]
pub(crate) struct Hub {
    epoch: String,
    seq: u64,
    live: BTreeMap<SessionId, LiveText>,
    retries: BTreeMap<SessionId, Retry>,
    contexts: BTreeMap<SessionId, SessionContext>,
    finished: BTreeMap<SessionId, FinishedTurn>,
    held: BTreeMap<RequestId, HeldEnd>,
    changed_files: BTreeMap<SessionId, ChangeTotals>,
    heads: BTreeMap<SessionId, Head>,
    agents: Vec<AgentDescriptor>,
    storage: Vec<StorageNotice>,
    outage: Option<StorageOutage>,
    subscribers: Vec<Arc<Queue>>,
}

#[derive(Debug, Default)]
struct Queue {
    frames: Mutex<VecDeque<Frame>>,
    filled: Notify,
    closed: AtomicBool,
}

impl Queue {
    fn frames(&self) -> MutexGuard<'_, VecDeque<Frame>> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiving end of a subscription; dropping it unsubscribes.
#[derive(Debug)]
pub struct Subscription {
    queue: Arc<Queue>,
}

impl Subscription {
    /// Waits for the next frame; none once the engine has ended.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.take() {
                return Some(frame);
            }
            if self.queue.closed.load(Ordering::Acquire) {
                return self.take();
            }
            self.queue.filled.notified().await;
        }
    }

    /// Takes the next frame without waiting, if there is one.
    pub fn take(&mut self) -> Option<Frame> {
        self.queue.frames().pop_front()
    }
}

impl Frames for Subscription {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Option<Frame>> + Send + '_>> {
        Box::pin(Subscription::next(self))
    }

    fn take(&mut self) -> Option<Frame> {
        Subscription::take(self)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.queue.closed.store(true, Ordering::Release);
    }
}

impl Hub {
    pub(crate) fn new(epoch: String, storage: Vec<StorageNotice>, agents: Vec<AgentDescriptor>) -> Self {
        let (live, retries, contexts, finished) = Default::default();
        let (held, changed_files, heads) = Default::default();
        let subscribers = Vec::new();
        Self {
            epoch,
            seq: 0,
            live,
            retries,
            contexts,
            finished,
            held,
            changed_files,
            heads,
            storage,
            outage: None,
            agents,
            subscribers,
        }
    }

    pub(crate) fn set_changed_files(&mut self, totals: BTreeMap<SessionId, ChangeTotals>) {
        self.changed_files = totals;
    }

    pub(crate) fn storage(&self) -> &[StorageNotice] {
        &self.storage
    }

    /// Returns whether a session is idle after a turn that it has finished.
    pub(crate) fn has_finished(&self, session: SessionId) -> bool {
        self.finished.contains_key(&session)
    }

    /// Returns the sums that were published last for a session.
    pub(crate) fn changed_files(&self, session: SessionId) -> ChangeTotals {
        self.changed_files.get(&session).copied().unwrap_or_default()
    }

    pub(crate) fn snapshot(&self, desk: &Desk) -> Snapshot {
        Snapshot {
            epoch: self.epoch.clone(),
            seq: self.seq,
            sessions: desk.sessions().cloned().collect(),
            requests: desk.requests().filter(|it| !desk.is_closed(it.session)).cloned().collect(),
            approvals: desk.approvals().filter(|it| !desk.is_closed(it.session)).cloned().collect(),
            live: self.live.values().cloned().collect(),
            retries: self
                .retries
                .iter()
                .map(|(session, retry)| SessionRetry { session: *session, retry: retry.clone() })
                .collect(),
            contexts: self.contexts.values().copied().collect(),
            finished: self
                .finished
                .iter()
                .map(|(session, turn)| SessionFinished { session: *session, turn: *turn })
                .collect(),
            held: self.held.values().cloned().collect(),
            changed_files: self
                .changed_files
                .iter()
                .map(|(session, totals)| SessionChanges { session: *session, totals: *totals })
                .collect(),
            heads: self
                .heads
                .iter()
                .map(|(session, head)| SessionHead { session: *session, head: head.clone() })
                .collect(),
            storage: self.storage.clone(),
            outage: self.outage.clone(),
            agents: self.agents.clone(),
        }
    }

    /// Adds a subscriber with a snapshot of the current state, in one step.
    pub(crate) fn subscribe(&mut self, desk: &Desk) -> Subscription {
        let queue = Arc::new(Queue::default());
        queue.frames().push_back(Frame::Snapshot(Arc::new(self.snapshot(desk))));
        self.subscribers.push(Arc::clone(&queue));
        Subscription { queue }
    }

    /// Publishes changes that the desk already contains.
    pub(crate) fn publish(&mut self, desk: &Desk, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        for change in &changes {
            self.fold_passing(change);
        }
        let prev = self.seq;
        self.seq += 1;
        let delta = Arc::new(Delta { epoch: self.epoch.clone(), prev, seq: self.seq, changes });
        let mut fresh: Option<Arc<Snapshot>> = None;
        let subscribers = std::mem::take(&mut self.subscribers);
        for queue in &subscribers {
            let mut frames = queue.frames();
            if frames.len() >= QUEUED_FRAMES {
                *frames = merge(std::mem::take(&mut *frames).into()).into();
            }
            if frames.len() < QUEUED_FRAMES && !frames.back().is_some_and(is_too_much) {
                frames.push_back(Frame::Delta(Arc::clone(&delta)));
            } else {
                let snapshot = fresh.get_or_insert_with(|| Arc::new(self.snapshot(desk)));
                frames.clear();
                frames.push_back(Frame::Snapshot(Arc::clone(snapshot)));
            }
            drop(frames);
            queue.filled.notify_one();
        }
        self.subscribers = subscribers;
        self.subscribers.retain(|queue| !queue.closed.load(Ordering::Acquire));
    }

    /// Keeps unjournaled state for new subscribers.
    fn fold_passing(&mut self, change: &Change) {
        match change {
            Change::LiveText { added } => {
                let live = self
                    .live
                    .entry(added.session)
                    .or_insert_with(|| LiveText { text: String::new(), ..added.clone() });
                if live.kind != added.kind {
                    *live = added.clone();
                } else {
                    live.text.push_str(&added.text);
                }
                if live.text.len() > LIVE_BYTES {
                    let mut from = live.text.len() - LIVE_BYTES / 2;
                    while !live.text.is_char_boundary(from) {
                        from += 1;
                    }
                    live.text.drain(..from);
                }
            }
            Change::Context { changed } => drop(self.contexts.insert(changed.session, *changed)),
            Change::Retry { session, retry: Some(retry) } => {
                self.retries.insert(*session, retry.clone());
            }
            Change::Retry { session, retry: None } => drop(self.retries.remove(session)),
            Change::Finished { session, turn: Some(turn) } => drop(self.finished.insert(*session, *turn)),
            Change::Finished { session, turn: None } => drop(self.finished.remove(session)),
            Change::LiveCleared { session } => drop(self.live.remove(session)),
            Change::SessionClosed { session } => {
                self.live.remove(session);
                self.retries.remove(session);
                self.contexts.remove(session);
                self.finished.remove(session);
            }
            Change::SessionDeleted { session } => {
                self.live.remove(session);
                self.retries.remove(session);
                self.contexts.remove(session);
                self.finished.remove(session);
                self.changed_files.remove(session);
                self.heads.remove(session);
            }
            Change::FilesChanged { session, totals } => {
                self.changed_files.insert(*session, *totals);
            }
            Change::CheckedOut { session, head: Some(head) } => {
                self.heads.insert(*session, head.clone());
            }
            Change::CheckedOut { session, head: None } => drop(self.heads.remove(session)),
            Change::EndHeld { held } => drop(self.held.insert(held.request, held.clone())),
            Change::HoldReleased { request } => drop(self.held.remove(request)),
            Change::Storage { notices } => self.storage.clone_from(notices),
            Change::Outage { outage } => self.outage.clone_from(outage),
            _ => {}
        }
    }

    /// Ends all subscriptions after their remaining frames.
    fn close(&mut self) {
        for queue in self.subscribers.drain(..) {
            queue.closed.store(true, Ordering::Release);
            queue.filled.notify_one();
        }
    }
}

/// Returns whether a merged delta holds more than a subscriber's queue should.
fn is_too_much(frame: &Frame) -> bool {
    let Frame::Delta(delta) = frame else { return false };
    // Only a merged delta can be too large, and the sequence numbers show cheaply whether it was merged.
    delta.seq - delta.prev >= QUEUED_FRAMES as u64
        && (delta.changes.len() > QUEUED_CHANGES || live_bytes(&delta.changes) > QUEUED_TEXT_BYTES)
}

fn live_bytes(changes: &[Change]) -> usize {
    let live = changes.iter().filter_map(|change| match change {
        Change::LiveText { added } => Some(added.text.len()),
        _ => None,
    });
    live.sum()
}

// However the writer ends, no subscriber waits for a frame that will never come.
impl Drop for Hub {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
