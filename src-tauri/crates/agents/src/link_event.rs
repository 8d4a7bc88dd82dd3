//! What arrives from an agent's process or server.

use std::process::ExitStatus;

use askdesk_domain::agent_failure::last_lines;
use askdesk_domain::{AgentFailure, NextStep};

use crate::adapter::Inbound;

/// Something that arrives over a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkEvent {
    /// Something for the session's adapter.
    Inbound(Inbound),
    /// A line of the agent's error output, cut to [`STDERR_LINE`](crate::supervisor::STDERR_LINE). A shared server's
    /// goes to all its sessions.
    Stderr(String),
    /// The link has ended; nothing comes after this.
    Ended(LinkEnd),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEnd {
    /// What came after the last line feed, for [`Inbound::End`].
    pub unfinished: Vec<u8>,
    /// How the process or the server ended. A session that left a shared server has exit code 0; a broken connection to
    /// somebody else's server has neither code nor signal.
    pub status: Exit,
    /// The last [`STDERR_TAIL`](crate::supervisor::STDERR_TAIL) bytes of the agent's error output, or why a connection
    /// broke.
    pub stderr_tail: String,
}

impl LinkEnd {
    pub(crate) const fn with(status: Exit) -> Self {
        Self { unfinished: Vec::new(), status, stderr_tail: String::new() }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

impl Exit {
    pub(crate) const SUCCESS: Self = Self { code: Some(0), signal: None };
    pub(crate) const UNKNOWN: Self = Self { code: None, signal: None };

    pub const fn is_success(self) -> bool {
        matches!(self.code, Some(0))
    }

    /// Makes the failure that an unexpected end is reported with.
    pub fn into_failure(self, stderr_tail: &str, next: NextStep) -> AgentFailure {
        AgentFailure::Exited { code: self.code, signal: self.signal, said: last_lines(stderr_tail), next }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self { code: status.code(), signal }
    }
}
