//! Agent descriptors. The window, the exports and the start form are built from them.

use serde::{Deserialize, Serialize};

use crate::agent_version::SupportedVersions;
use crate::attachment::Takes;
use crate::config::ConfigOption;
use crate::id::AgentId;

/// Describes an agent, whichever version of it is installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AgentDescriptor {
    /// The key under which sessions and settings name it.
    pub id: AgentId,
    /// Its display name, a brand that is not translated.
    pub name: String,
    /// The command to search for; none for an agent that ships with the app.
    pub program: Option<String>,
    /// A shell command that installs it.
    pub install: Option<String>,
    /// A shell command that signs the user in.
    pub login: Option<String>,
    /// The versions of its program that work; none for an agent that ships with the app.
    pub versions: Option<SupportedVersions>,
    pub capabilities: Capabilities,
    /// What can be chosen when a session starts.
    pub config: Vec<ConfigOption>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Capabilities {
    /// What a message to it can carry.
    pub takes: Takes,
    /// Whether it can compact its context when asked.
    pub compact: bool,
    /// Whether a message that begins with `!` runs in a shell.
    pub shell: bool,
    /// Whether it can stop one of its helpers alone.
    pub stop_helper: bool,
    /// Whether the cost is the agent's own estimate, such as one from list prices, and not what is billed.
    pub cost_is_estimate: bool,
    /// Whether a session needs one of the user's folders to work in.
    pub folder: bool,
    /// Whether settings can add arguments and environment variables to its start.
    pub launch_overrides: bool,
    /// Whether the agent's own program can continue a session in a terminal.
    pub continue_in_terminal: bool,
    /// Whether it can say which sessions it has, and continue one that was begun elsewhere.
    pub own_sessions: bool,
    /// Whether it can begin a session with a copy of another one's conversation.
    pub fork: bool,
    /// Whether a running session keeps the sign-in that it started with, so that another one takes a restart.
    pub keeps_sign_in: bool,
}
