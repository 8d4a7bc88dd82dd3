//! The origin of a session: its machine, and whether Askdesk started its agent.

use serde::{Deserialize, Serialize};

use crate::id::{AgentId, MachineId};

/// Where a session comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Origin {
    /// The machine the agent runs on.
    pub machine: MachineId,
    /// Who started the agent.
    #[serde(flatten)]
    pub kind: OriginKind,
}

/// Who started a session's agent, and how it connects to Askdesk.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OriginKind {
    Started {
        agent: AgentId,
    },
    /// Someone else runs it, and Askdesk attached to its server.
    Attached {
        agent: AgentId,
    },
    /// A connected app that only asks: there is no process to send messages to.
    Inbound {
        channel: Channel,
        /// The app's own name.
        client: String,
    },
}

/// How a connected app reaches Askdesk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Channel {
    /// A tool call over MCP.
    Mcp,
    /// A hook of an agent in a terminal, whose own dialog is open there at the same time.
    TerminalHook,
    /// The command line: a script, or a user's own shell.
    CommandLine,
}

impl Channel {
    /// Returns its word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::TerminalHook => "terminal_hook",
            Self::CommandLine => "command_line",
        }
    }
}

impl Origin {
    /// An agent that Askdesk starts on this machine.
    pub const fn started(agent: AgentId) -> Self {
        Self { machine: MachineId::LOCAL, kind: OriginKind::Started { agent } }
    }

    /// A connected app on this machine.
    pub const fn inbound(channel: Channel, client: String) -> Self {
        Self { machine: MachineId::LOCAL, kind: OriginKind::Inbound { channel, client } }
    }

    /// Returns the agent; none for a connected app.
    pub const fn agent(&self) -> Option<&AgentId> {
        match &self.kind {
            OriginKind::Started { agent } | OriginKind::Attached { agent } => Some(agent),
            OriginKind::Inbound { .. } => None,
        }
    }

    /// Returns how a connected app reaches Askdesk.
    pub const fn channel(&self) -> Option<Channel> {
        match &self.kind {
            OriginKind::Inbound { channel, .. } => Some(*channel),
            OriginKind::Started { .. } | OriginKind::Attached { .. } => None,
        }
    }

    /// Returns the name of a connected app.
    pub fn client(&self) -> Option<&str> {
        match &self.kind {
            OriginKind::Inbound { client, .. } => Some(client),
            OriginKind::Started { .. } | OriginKind::Attached { .. } => None,
        }
    }

    /// The name in exports and over HTTP: the agent's id, or the channel.
    pub fn word(&self) -> &str {
        match &self.kind {
            OriginKind::Started { agent } | OriginKind::Attached { agent } => agent.as_str(),
            OriginKind::Inbound { channel: Channel::Mcp, .. } => "mcp_client",
            OriginKind::Inbound { channel: Channel::TerminalHook, .. } => "terminal",
            OriginKind::Inbound { channel: Channel::CommandLine, .. } => "command_line",
        }
    }

    /// Returns whether it is a connected app, which only asks.
    pub const fn is_inbound(&self) -> bool {
        matches!(self.kind, OriginKind::Inbound { .. })
    }
}
