//! What a subscriber receives: one snapshot, then deltas that say which state they follow on.

mod merge;

use std::sync::Arc;

use askdesk_domain::{
    AgentDescriptor, Approval, Entry, Request, RequestId, Session, SessionId, UndoableAnswer,
};
use serde::{Deserialize, Serialize};

pub use merge::merge;

/// One message to a subscriber.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Frame {
    /// Everything that is true now; whatever was known before is void.
    Snapshot(Arc<Snapshot>),
    /// What has changed since.
    Delta(Arc<Delta>),
}

/// Everything that is true at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Snapshot {
    /// Drawn anew at each start of the app; numbers of another epoch say nothing.
    pub epoch: String,
    /// The number of the last delta this snapshot holds.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seq: u64,
    /// All sessions that are not closed, oldest first.
    pub sessions: Vec<Session>,
    /// The requests in memory that belong to them, oldest first.
    pub requests: Vec<Request>,
    /// The approvals in memory that belong to them, oldest first.
    pub approvals: Vec<Approval>,
    /// What is being written at this moment.
    pub live: Vec<LiveText>,
    /// The answers that can still be taken back.
    pub held: Vec<UndoableAnswer>,
    /// What the person should know about the storage.
    pub storage: Option<StorageNotice>,
    /// Every agent the app knows, installed or not.
    pub agents: Vec<AgentDescriptor>,
}

/// One step from a state to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Delta {
    /// The epoch of both numbers.
    pub epoch: String,
    /// The number this delta follows on; a receiver that is elsewhere subscribes again.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub prev: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seq: u64,
    pub changes: Vec<Change>,
}

/// One thing that has changed; each carries the whole new value, so it can be applied by putting it in place.
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
    /// An answer is held for a moment, in the place of another one of its request.
    AnswerHeld {
        held: UndoableAnswer,
    },
    /// No answer of a request is held any more: it was taken back where the request is still open.
    AnswerLetGo {
        request: RequestId,
    },
    /// An entry was written or replaced.
    Entry {
        session: SessionId,
        entry: Entry,
    },
    /// A session has left the sidebar, and its requests and approvals with it; they stay in the history.
    SessionClosed {
        session: SessionId,
    },
    /// Text was added to what is being written.
    LiveText {
        added: LiveText,
    },
    /// What was being written is finished or given up; nothing is live in this session.
    LiveCleared {
        session: SessionId,
    },
    /// A session was deleted for good, with everything that was said in it.
    SessionDeleted {
        session: SessionId,
    },
}

/// Text that an agent is writing at this moment. Never journaled; the finished entry is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LiveText {
    pub session: SessionId,
    pub kind: LiveKind,
    pub text: String,
}

/// What an agent is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LiveKind {
    Text,
    Thinking,
}

/// Something about the storage that the person should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "storage", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StorageNotice {
    /// The database was damaged; it was kept under another name and an empty one begun.
    Corrupt { kept: String },
    /// The database belongs to a newer version; it was left alone and another one is used.
    Newer { kept: String, used: String },
}
