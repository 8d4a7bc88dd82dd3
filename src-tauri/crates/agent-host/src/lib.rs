//! The host that runs one agent on Linux, and the protocol between it and the app.
//!
//! The app starts `askdesk-agent-host PROGRAM ARGS…` with two extra pipes. The host starts the agent as a child
//! subreaper, so every descendant of the agent stays below the host. When the agent ends or the control pipe closes, the
//! host kills what is left of the tree, says on the second pipe that nothing is left, then ends the way the agent did.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
pub mod tree;

/// The file name of the program.
pub const PROGRAM: &str = "askdesk-agent-host";

/// The file descriptor on which the host reads [`TERMINATE`]. At its end the host kills everything.
pub const CONTROL_FD: i32 = 3;

/// The file descriptor on which the host writes one [`Report`], and [`NOTHING_LEFT`] before it ends.
pub const REPORT_FD: i32 = 4;

/// The command to send SIGTERM to the agent's process group.
pub const TERMINATE: u8 = b't';

/// What the host writes once the whole tree has ended. A host that was killed doesn't.
pub const NOTHING_LEFT: u8 = b'n';

/// The length of a [`Report`] on the pipe, in bytes.
pub const REPORT_BYTES: usize = 8;

/// Whether the agent was started. A host that ends without a report has not started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The agent runs and leads a process group of its own.
    Started {
        /// Its process id.
        pid: i32,
    },
    /// The system could not start the program.
    Failed {
        /// The error number of the system.
        errno: i32,
    },
}

impl Report {
    /// Encodes the report as two little-endian numbers: the error number and the process id.
    pub fn to_bytes(self) -> [u8; REPORT_BYTES] {
        let (errno, pid) = match self {
            Self::Started { pid } => (0, pid),
            Self::Failed { errno } => (errno, 0),
        };
        let mut bytes = [0; REPORT_BYTES];
        bytes[..4].copy_from_slice(&errno.to_le_bytes());
        bytes[4..].copy_from_slice(&pid.to_le_bytes());
        bytes
    }

    pub fn from_bytes(bytes: [u8; REPORT_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h] = bytes;
        match (i32::from_le_bytes([a, b, c, d]), i32::from_le_bytes([e, f, g, h])) {
            (0, pid) => Self::Started { pid },
            (errno, _) => Self::Failed { errno },
        }
    }
}

/// Finds the program beside the running one; tests run one folder below it.
pub fn beside_this_program() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    this.ancestors().skip(1).take(2).map(|folder| folder.join(PROGRAM)).find(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_survive_the_pipe() {
        for report in [Report::Started { pid: 4_194_303 }, Report::Failed { errno: 13 }] {
            assert_eq!(Report::from_bytes(report.to_bytes()), report);
        }
    }
}
