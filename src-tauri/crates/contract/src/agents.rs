use askdesk_domain::{AgentFailure, AgentId, LaunchOverrides, NativeSession, Timestamp, VersionFit};

use crate::{FailedWay, Way};

/// Why an agent's sessions could not be listed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OwnSessionsProblem {
    Agent {
        why: AgentFailure,
    },
    Refused {
        /// In the words of the agent or the system.
        error: String,
    },
    TimedOut {
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        seconds: u64,
    },
}

wire! {
    /// Looks for agents on this machine.
    struct ListAgents {
        /// Whether to wait for the shell that is being asked, even if an earlier run has asked it.
        #[serde(default)]
        latest: bool,
    }

    /// Every agent that the app knows, found or not.
    struct AgentsFound {
        agents: Vec<AgentFound>,
        /// Whether the shell is being asked, so that a later search may find others.
        reading: bool,
    }

    /// An agent that the app knows.
    struct AgentFound {
        agent: AgentId,
        /// The path of its program, if it was found.
        program: Option<String>,
        /// Why it can't be started, and what to do about it.
        problem: Option<AgentFailure>,
        /// What the settings add to its start. A start must name the same.
        extras: LaunchOverrides,
    }

    /// Asks an agent's program for its version, which can take seconds.
    struct ReadAgentVersion {
        agent: AgentId,
    }

    struct AgentVersion {
        /// None if the program wasn't found, or reported none in time.
        version: Option<String>,
        /// None if it can't be compared.
        fit: Option<VersionFit>,
    }

    /// Asks an agent's program whether the user is signed in. It opens nothing, and can take seconds.
    struct ReadSignIn {
        agent: AgentId,
        /// Another program of the agent; none for the one that is found.
        #[serde(default)]
        program: Option<String>,
    }

    struct SignInRead {
        /// None where the program doesn't say, or a session may do without.
        signed_in: Option<bool>,
    }

    /// Looks for sessions that were begun outside Askdesk. A server may be started for it, which can take seconds.
    struct ListOwnSessions {
        agent: AgentId,
        folder: String,
        /// Another program of the agent; none for the one that is found.
        #[serde(default)]
        program: Option<String>,
    }

    struct OwnSessionsFound {
        /// Newest first, without those that are in Askdesk.
        sessions: Vec<OwnSession>,
        /// Why they could not be listed.
        problem: Option<OwnSessionsProblem>,
    }

    /// A session that an agent keeps for a folder.
    struct OwnSession {
        native_session: NativeSession,
        /// Its title or first message, in one line; empty if it has neither.
        title: String,
        updated_at: Timestamp,
    }

    /// Says where the environment comes from that agents get. Waits for the shell if it hasn't answered yet.
    struct ReadEnvironment {
        /// Whether the shell is asked again first.
        again: bool,
    }

    /// Where the environment comes from that agents get.
    struct EnvironmentRead {
        way: Way,
        /// None if no shell was asked.
        shell: Option<String>,
        /// What was tried in vain when it was last asked.
        failed: Vec<FailedWay>,
        /// When the environment was read; none if it was never read from a shell.
        read_at: Option<Timestamp>,
        /// Whether the shell is being asked again.
        reading: bool,
    }
}

commands! {
    /// Opens an agent's own sign-in in the user's terminal.
    struct SignIn {
        agent: AgentId,
        /// Another program of the agent; none for the one that is found.
        #[serde(default)]
        program: Option<String>,
    }
}
