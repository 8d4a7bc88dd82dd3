//! A session: one agent in one folder, over all the runs of its program.

use serde::{Deserialize, Serialize};

use crate::agent_failure::{AgentFailure, known_or_text};
use crate::config::ConfigOption;
use crate::do_not_disturb::SessionNotifications;
use crate::id::{NativeSession, SessionId, Timestamp};
use crate::origin::Origin;
use crate::queue::QueuedMessage;
use crate::session_options::SessionOptions;

/// The longest session name, in characters.
pub const SESSION_NAME_CHARS: usize = 120;

/// One agent in one folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Session {
    pub id: SessionId,
    pub origin: Origin,
    pub name: String,
    /// The folder the agent works in.
    pub folder: String,
    pub started_at: Timestamp,
    /// What the agent does now; whether it needs the person follows from its open requests and approvals.
    pub state: SessionState,
    /// The agent's version as it says itself.
    pub version: Option<String>,
    /// The model as the agent says itself.
    pub model: Option<String>,
    /// How many lines of its output could not be used; they stand in the session's log.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub unusable_lines: u64,
    #[serde(default)]
    pub options: SessionOptions,
    /// Its place in the order of sessions; a smaller one comes first.
    #[serde(default)]
    pub place: u32,
    /// Whether it has ended and its agent can take it up again.
    #[serde(default)]
    pub resumable: bool,
    /// The config options with their present values.
    #[serde(default)]
    pub config: Vec<ConfigOption>,
    /// The agent's own id of the session; none while it has not said one.
    #[serde(default)]
    pub native_session: Option<NativeSession>,
    /// What the person wrote while the agent worked and is still to be sent, oldest first.
    #[serde(default)]
    pub queue: Vec<QueuedMessage>,
    /// How the person is told of it.
    #[serde(default)]
    pub attention: SessionNotifications,
}

impl Session {
    /// Says whether its process can still be spoken to, or its client is still there.
    pub const fn is_running(&self) -> bool {
        !matches!(self.state, SessionState::Ended { .. })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SessionState {
    /// The process was started and has not spoken yet.
    Starting,
    /// A turn is running.
    Working,
    /// It waits for the person's next message.
    Idle,
    /// Its process is gone.
    Ended { end: SessionEnd, at: Timestamp },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SessionEnd {
    /// The agent ended by itself, without an error.
    Finished,
    Stopped,
    /// The app ended while it ran.
    AppQuit,
    /// It could not be started, or ended with an error.
    Failed {
        /// What happened; earlier versions kept it as a sentence.
        #[serde(deserialize_with = "known_or_text")]
        why: AgentFailure,
    },
}
