//! An approval: an agent asks for permission to use a tool. Never a question, never answered like one.

use serde::{Deserialize, Serialize};

use crate::id::{ApprovalId, NativeRef, SessionId, Timestamp};

/// One permission an agent waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Approval {
    /// Our id of the approval.
    pub id: ApprovalId,
    /// The session that asks.
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// The tool's name as the agent says it.
    pub tool: String,
    /// The agent's own line about what it wants to do.
    pub description: Option<String>,
    /// What exactly would run or change: the tool's input as readable text.
    pub input: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// Open, or how it ended.
    pub state: ApprovalState,
}

/// Whether an approval waits or has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalState {
    /// Waits for a decision.
    Open,
    /// The person decided.
    Decided {
        /// What was decided.
        decision: ApprovalDecision,
        /// When.
        at: Timestamp,
        /// Set when the decision could not be handed to the agent.
        error: Option<String>,
    },
    /// The agent took it back, its turn ended, or the session is gone.
    Withdrawn {
        /// When.
        at: Timestamp,
    },
}

/// What the person decided on an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ApprovalDecision {
    /// This one call may run as it is.
    AllowOnce,
    /// It may not run.
    Deny {
        /// What the agent is told.
        #[serde(default)]
        message: Option<String>,
    },
}
