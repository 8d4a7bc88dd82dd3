//! What a subscriber receives: one snapshot, then deltas that name the state they follow.

mod merge;

use std::sync::Arc;

use askdesk_domain::{
    AgentDescriptor, Approval, ContextUse, Entry, HeldEnd, Request, RequestId, Session, SessionId,
    StorageError, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{ChangeTotals, Head};

pub use merge::merge;

/// One message to a subscriber.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Frame {
    /// The complete current state; replaces whatever the subscriber knew.
    Snapshot(Arc<Snapshot>),
    /// The changes since the last frame.
    Delta(Arc<Delta>),
}

/// The complete state at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Snapshot {
    /// Random for each start of the app; sequence numbers of different epochs can't be compared.
    pub epoch: String,
    /// The number of the last delta that this snapshot includes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seq: u64,
    /// All sessions that are not closed, oldest first.
    pub sessions: Vec<Session>,
    /// The requests in memory that belong to them, oldest first.
    pub requests: Vec<Request>,
    /// The approvals in memory that belong to them, oldest first.
    pub approvals: Vec<Approval>,
    /// The texts that agents are writing.
    pub live: Vec<LiveText>,
    /// The attempts that agents wait for after a call of the model failed.
    pub retries: Vec<SessionRetry>,
    /// How full contexts are, as reported in this run of the app.
    pub contexts: Vec<SessionContext>,
    /// The sessions that are idle after a turn that they finished in this run of the app.
    pub finished: Vec<SessionFinished>,
    /// The ends of requests that can still be undone.
    pub held: Vec<HeldEnd>,
    /// The sessions whose folders have been compared with the state that they began with.
    pub changed_files: Vec<SessionChanges>,
    /// The sessions whose folders have a repository.
    pub heads: Vec<SessionHead>,
    /// Storage problems that the user should know about.
    pub storage: Vec<StorageNotice>,
    /// The disk accepts nothing at the moment.
    pub outage: Option<StorageOutage>,
    /// Every agent the app knows, installed or not.
    pub agents: Vec<AgentDescriptor>,
}

/// A step from one state to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Delta {
    /// The epoch of both numbers.
    pub epoch: String,
    /// The number of the delta before this one; a receiver at any other number subscribes again.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub prev: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seq: u64,
    pub changes: Vec<Change>,
}

/// A single change. It carries the whole new value, which replaces the old one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Change {
    Session {
        session: Session,
    },
    Request {
        request: Request,
    },
    Approval {
        approval: Approval,
    },
    /// An end is held for its undo window; it replaces an earlier one of its request.
    EndHeld {
        held: HeldEnd,
    },
    /// A request's end is no longer held; if the request is still open, it was undone.
    HoldReleased {
        request: RequestId,
    },
    /// An entry was written or replaced.
    Entry {
        session: SessionId,
        entry: Entry,
    },
    /// A session was removed from the sidebar, with its requests and approvals; History still has them.
    SessionClosed {
        session: SessionId,
    },
    /// The agent wrote more text.
    LiveText {
        added: LiveText,
    },
    /// The text that was being written is finished or dropped; the session has no live text.
    LiveCleared {
        session: SessionId,
    },
    /// A session's folder was compared with the state that the session began with.
    FilesChanged {
        session: SessionId,
        totals: ChangeTotals,
    },
    /// Something else is checked out in a session's folder; none if it has no repository.
    CheckedOut {
        session: SessionId,
        head: Option<Head>,
    },
    /// A session's agent waits for its next attempt at a call of the model; none if it no longer does.
    Retry {
        session: SessionId,
        retry: Option<Retry>,
    },
    /// An agent's context is fuller or emptier.
    Context {
        changed: SessionContext,
    },
    /// A session has finished its turn; none once it works again.
    Finished {
        session: SessionId,
        turn: Option<FinishedTurn>,
    },
    /// A session and its whole transcript were deleted permanently.
    SessionDeleted {
        session: SessionId,
    },
    /// There is a new storage problem, or the user dealt with one; these are left.
    Storage {
        notices: Vec<StorageNotice>,
    },
    /// The disk accepts nothing at the moment; none once everything is stored again.
    Outage {
        outage: Option<StorageOutage>,
    },
}

/// The sums over the files that have changed since a session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionChanges {
    pub session: SessionId,
    pub totals: ChangeTotals,
}

/// What is checked out in a session's folder. It is never journaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionHead {
    pub session: SessionId,
    pub head: Head,
}

/// How full the context of a session's agent is. It is never journaled; the end of each turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionContext {
    pub session: SessionId,
    /// None if the agent no longer knows it, as after it made its context smaller.
    pub context: Option<ContextUse>,
}

/// The turn that an idle session has finished. It is never journaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionFinished {
    pub session: SessionId,
    pub turn: FinishedTurn,
}

/// A turn that ended well, with no queued message to begin the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FinishedTurn {
    pub at: Timestamp,
    /// Whether a question or a permission request was open in the session then.
    pub has_pending: bool,
}

/// An attempt that a session's agent waits for. It is never journaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionRetry {
    pub session: SessionId,
    pub retry: Retry,
}

/// The next attempt at a call of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Retry {
    /// Its number, where the agent counts; the first retry is 1.
    pub attempt: Option<u32>,
    pub of: Option<u32>,
    /// Why the attempt before failed, in the agent's words.
    pub reason: String,
    /// When it begins, if that is known.
    pub at: Option<Timestamp>,
}

/// Text that an agent is writing right now. It is never journaled; the finished entry is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LiveText {
    pub session: SessionId,
    pub kind: LiveKind,
    pub text: String,
}

/// The kind of text that an agent is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LiveKind {
    Text,
    Thinking,
}

/// A storage problem that the user should know about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "storage", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StorageNotice {
    /// A database was damaged; it was renamed and a new one created.
    SetAside {
        /// The path of the damaged one.
        kept: String,
    },
    /// The database in use is damaged. The next start sets it aside.
    Damaged { file: String },
    /// Records can't be read and are left out.
    Unreadable {
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: u64,
    },
    /// The database belongs to a newer version; it was left untouched and another one is used.
    Newer { kept: String, used: String },
}

/// The disk refuses what is to be stored. It is tried again until it accepts everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StorageOutage {
    pub error: StorageError,
    /// How many entries of transcripts wait. They are shown once they are stored.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// How many entries were lost because too much waits.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub lost: u64,
}
