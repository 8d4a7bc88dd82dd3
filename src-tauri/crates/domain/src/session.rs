//! A session: one agent in one folder, over all the runs of its program.

use serde::{Deserialize, Serialize};

use crate::failure::{Failure, known_or_text};
use crate::id::{SessionId, Timestamp};
use crate::options::{PermissionMode, SessionOptions};
use crate::queue::QueuedMessage;
use crate::quiet::SessionAttention;

/// The longest session name, in characters.
pub const SESSION_NAME_CHARS: usize = 120;

/// Which program a session runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum AgentKind {
    /// Claude Code, or a wrapper that speaks its stream-json.
    ClaudeCode,
    /// The agent that comes with the app and needs nothing installed.
    Demo,
    /// A client that asks over MCP.
    McpClient,
    /// A Claude Code in somebody's terminal, which asks over a hook.
    Terminal,
    /// A command line that asks: a script, or a person's own shell.
    CommandLine,
}

impl AgentKind {
    /// Every agent the app knows.
    pub const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Demo, Self::McpClient, Self::Terminal, Self::CommandLine];

    /// Says whether the desk did not start it: it comes to ask, and there is no process that could be spoken to.
    pub const fn visits(self) -> bool {
        match self {
            Self::ClaudeCode | Self::Demo => false,
            Self::McpClient | Self::Terminal | Self::CommandLine => true,
        }
    }

    /// Says whether the agent can take an ended session up again.
    pub const fn can_resume(self) -> bool {
        match self {
            Self::ClaudeCode | Self::Demo => true,
            Self::McpClient | Self::Terminal | Self::CommandLine => false,
        }
    }
}

/// One agent in one folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Session {
    /// Our id of the session.
    pub id: SessionId,
    /// Which program it runs.
    pub agent: AgentKind,
    /// The name on its tab.
    pub name: String,
    /// The folder the agent works in.
    pub folder: String,
    /// When it was started.
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
    /// What it was started with.
    #[serde(default)]
    pub options: SessionOptions,
    /// Its place in the order of sessions; a smaller one comes first.
    #[serde(default)]
    pub place: u32,
    /// Whether it has ended and its agent can take it up again.
    #[serde(default)]
    pub resumable: bool,
    /// The permission mode as the agent says now; none while it is not known, or is one the desk has no name for.
    #[serde(default)]
    pub mode: Option<PermissionMode>,
    /// What the person wrote while the agent worked and is still to be sent, oldest first.
    #[serde(default)]
    pub queue: Vec<QueuedMessage>,
    /// How the person is told of it.
    #[serde(default)]
    pub attention: SessionAttention,
    /// What the client that asks here calls itself; none for an agent the desk started.
    #[serde(default)]
    pub client: Option<String>,
}

impl Session {
    /// Says whether its process can still be spoken to, or its client is still there.
    pub const fn is_running(&self) -> bool {
        !matches!(self.state, SessionState::Ended { .. })
    }
}

/// What a session's agent does.
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
    Ended {
        /// How it ended.
        end: SessionEnd,
        /// When.
        at: Timestamp,
    },
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SessionEnd {
    /// The agent ended by itself, without an error.
    Finished,
    /// The person stopped it.
    Stopped,
    /// The app ended while it ran.
    AppQuit,
    /// It could not be started, or ended with an error.
    Failed {
        /// What happened; earlier versions kept it as a sentence.
        #[serde(deserialize_with = "known_or_text")]
        why: Failure,
    },
}
