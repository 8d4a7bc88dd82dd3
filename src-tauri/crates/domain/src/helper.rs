//! Helpers: subagents and shells that work in the background for a session's agent. A helper outlives the turn that began it,
//! and ends when the agent says so or with the agent's process.

use serde::{Deserialize, Serialize};

use crate::id::{HelperId, Timestamp};

/// How many helpers of one session are listed; further ones are not.
pub const HELPERS: usize = 256;
/// The longest title of a helper, in characters.
pub const HELPER_TITLE_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Helper {
    pub id: HelperId,
    pub kind: HelperKind,
    /// What it does, in the agent's words.
    pub title: String,
    pub state: HelperState,
    pub began_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum HelperKind {
    Subagent,
    Shell,
    /// Another task in the background.
    Task,
}

/// The state of a helper that has not ended; whether it needs the user follows from its open requests and approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum HelperState {
    Working,
    /// The user has asked the agent to stop it.
    Stopping,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum HelperEnd {
    Finished,
    Failed,
    Stopped,
    /// The user stopped it alone.
    ByUser,
    /// The user stopped the agent's turn, and the agent stopped this helper with it.
    WithTurn,
    /// The agent's process ended, or was asked to.
    WithAgent,
}
