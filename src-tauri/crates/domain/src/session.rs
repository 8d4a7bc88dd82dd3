//! Sessions: one agent in one folder, across all runs of its program. `native_session` is the agent's own id of it. It is
//! journaled when the agent reports it, and only this id is used to resume the session.

use serde::{Deserialize, Serialize};

use crate::agent_failure::AgentFailure;
use crate::config::ConfigOption;
use crate::do_not_disturb::SessionNotifications;
use crate::helper::Helper;
use crate::id::{HelperId, NativeSession, SessionId, Timestamp};
use crate::origin::Origin;
use crate::queue::QueuedMessage;
use crate::session_name::NamedBy;
use crate::session_options::SessionOptions;
use crate::worktree::Worktree;

/// One agent in one folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Session {
    pub id: SessionId,
    pub origin: Origin,
    pub name: String,
    #[serde(default, skip_serializing_if = "NamedBy::is_user")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<NamedBy>"))]
    pub named_by: NamedBy,
    /// The folder the agent works in.
    pub folder: String,
    pub started_at: Timestamp,
    /// What the agent is doing; whether it needs the user follows from its open requests and approvals.
    pub state: SessionState,
    /// The version that the agent reports.
    pub version: Option<String>,
    /// The model that the agent reports.
    pub model: Option<String>,
    /// How many lines of its output could not be used; the session log has them.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub unusable_lines: u64,
    pub options: SessionOptions,
    /// Its position in the order of sessions; lower comes first.
    pub place: u32,
    /// Whether it has ended and its agent can resume it.
    pub resumable: bool,
    /// The config options with their current values.
    pub config: Vec<ConfigOption>,
    /// The agent's own id of the session; none until it reports one.
    pub native_session: Option<NativeSession>,
    /// The queued messages, oldest first.
    pub queue: Vec<QueuedMessage>,
    /// The helpers that work for its agent, oldest first.
    pub helpers: Vec<Helper>,
    #[serde(rename = "attention")]
    #[cfg_attr(feature = "ts", ts(rename = "attention"))]
    pub notifications: SessionNotifications,
    /// The git worktree that was made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub worktree: Option<Box<Worktree>>,
}

impl Session {
    /// Creates a session that is starting, without a name and with everything else unset.
    pub fn new(id: SessionId, origin: Origin, started_at: Timestamp) -> Self {
        Self {
            id,
            origin,
            name: String::new(),
            named_by: NamedBy::default(),
            folder: String::new(),
            started_at,
            state: SessionState::Starting,
            version: None,
            model: None,
            unusable_lines: 0,
            options: SessionOptions::default(),
            place: 0,
            resumable: false,
            config: Vec::new(),
            native_session: None,
            queue: Vec::new(),
            helpers: Vec::new(),
            notifications: SessionNotifications::default(),
            worktree: None,
        }
    }

    pub fn helper(&self, id: &HelperId) -> Option<&Helper> {
        self.helpers.iter().find(|helper| helper.id == *id)
    }

    /// Returns whether its process is running, or its app is connected.
    pub const fn is_running(&self) -> bool {
        !matches!(self.state, SessionState::Ended { .. })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SessionState {
    /// The process was started and has not produced output yet.
    Starting,
    /// A turn is running.
    Working,
    /// It awaits the user's next message.
    Idle,
    /// Its process has exited, or its app is gone.
    Ended { end: SessionEnd, at: Timestamp },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SessionEnd {
    /// The agent exited on its own without an error, or the connected app left.
    Finished,
    Stopped,
    /// The app ended while it ran.
    AppQuit,
    /// It could not be started, or ended with an error.
    Failed {
        why: AgentFailure,
    },
}
