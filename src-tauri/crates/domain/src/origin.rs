//! Where a session comes from: which machine, and whether the desk started its agent.

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

/// Who started a session's agent, and how it reaches the desk.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OriginKind {
    Started {
        agent: AgentId,
    },
    /// Somebody else runs it, and the desk attached to its server.
    Attached {
        agent: AgentId,
    },
    /// It connects to the desk only to ask: there is no process that could be spoken to.
    Inbound {
        channel: Channel,
        /// The client's own name.
        client: String,
    },
}

/// How an inbound client connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Channel {
    /// A tool call over MCP.
    Mcp,
    /// A hook of an agent in somebody's terminal, whose own dialog is open there at the same time.
    #[serde(alias = "terminal")]
    TerminalHook,
    /// The command line: a script, or a person's own shell.
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
    /// An agent that the desk starts on this machine.
    pub const fn started(agent: AgentId) -> Self {
        Self { machine: MachineId::LOCAL, kind: OriginKind::Started { agent } }
    }

    /// A client on this machine that connects to ask.
    pub const fn inbound(channel: Channel, client: String) -> Self {
        Self { machine: MachineId::LOCAL, kind: OriginKind::Inbound { channel, client } }
    }

    /// Returns the agent; none for a client that only asks.
    pub const fn agent(&self) -> Option<&AgentId> {
        match &self.kind {
            OriginKind::Started { agent } | OriginKind::Attached { agent } => Some(agent),
            OriginKind::Inbound { .. } => None,
        }
    }

    /// Returns how an inbound client connects.
    pub const fn channel(&self) -> Option<Channel> {
        match &self.kind {
            OriginKind::Inbound { channel, .. } => Some(*channel),
            OriginKind::Started { .. } | OriginKind::Attached { .. } => None,
        }
    }

    /// Returns the name of an inbound client.
    pub fn client(&self) -> Option<&str> {
        match &self.kind {
            OriginKind::Inbound { client, .. } => Some(client),
            OriginKind::Started { .. } | OriginKind::Attached { .. } => None,
        }
    }

    /// Names it in exports and over HTTP: the agent's id, or how the client connects.
    pub fn word(&self) -> &str {
        match &self.kind {
            OriginKind::Started { agent } | OriginKind::Attached { agent } => agent.as_str(),
            OriginKind::Inbound { channel: Channel::Mcp, .. } => "mcp_client",
            OriginKind::Inbound { channel: Channel::TerminalHook, .. } => "terminal",
            OriginKind::Inbound { channel: Channel::CommandLine, .. } => "command_line",
        }
    }

    /// Says whether it only connects to ask.
    pub const fn is_inbound(&self) -> bool {
        matches!(self.kind, OriginKind::Inbound { .. })
    }
}
