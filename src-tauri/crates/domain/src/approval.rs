//! An approval: an agent asks for permission to use a tool. Never a question, never answered like one.

use serde::{Deserialize, Serialize};

use crate::failure::known_or_text_or_none;
use crate::id::{ApprovalId, NativeRef, SessionId, Timestamp};
use crate::options::PermissionMode;
use crate::rule::{RuleId, SuggestedRule};
use crate::tool::{ToolDetail, detail_or_text};
use crate::undelivered::Undelivered;

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
    /// What exactly would run or change; earlier versions kept it as text under `input`.
    #[serde(alias = "input", deserialize_with = "detail_or_text")]
    pub what: ToolDetail,
    /// The standing permissions that may be given with it.
    #[serde(default)]
    pub rules: Vec<SuggestedRule>,
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
        #[serde(default, deserialize_with = "known_or_text_or_none")]
        error: Option<Undelivered>,
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
    /// It may run, and these rules hold from now on.
    AllowWithRules {
        /// Some of the rules suggested with it, at least one.
        rules: Vec<RuleId>,
    },
    /// The plan is approved.
    ApprovePlan {
        /// The permission mode that follows; none lets the agent go back to the one before.
        #[serde(default)]
        mode: Option<PermissionMode>,
        /// The plan as the person edited it; none where it stays as it is.
        #[serde(default)]
        plan: Option<String>,
    },
    /// It may not run; a plan is sent back.
    Deny {
        /// What the agent is told.
        #[serde(default)]
        message: Option<String>,
    },
}
