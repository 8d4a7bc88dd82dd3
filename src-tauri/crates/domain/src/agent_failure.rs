//! Why an agent could not be started, or failed: error codes with their data. The page chooses the words; the texts here
//! are for logs and exports.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::id::AgentId;

/// How many lines of the agent's error output are repeated; the session log has the rest.
pub const SAID_LINES: usize = 8;

/// Why an agent could not be started, or failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "failure", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum AgentFailure {
    /// The program was not found.
    #[error("Askdesk couldn't find {program}.{} Searched: {}.", install_hint(.install.as_deref()), listed(.tried))]
    AgentMissing {
        agent: AgentId,
        program: String,
        tried: Vec<SearchedLocation>,
        /// A shell command that installs it.
        install: Option<String>,
    },
    /// The agent's working folder can't be used.
    #[error("Can't use the folder {path}: {problem}. Choose another folder.")]
    FolderUnusable { path: String, problem: FolderError },
    /// The system refused to run the program.
    #[error("{program} couldn't start: {error}. {problem}")]
    NotStarted { program: String, problem: ProgramError, error: String },
    /// The agent ended with an error.
    #[error("The agent exited unexpectedly ({}).{}\n{next}", exit_reason(*.code, *.signal), last_words(.said))]
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
        /// The last lines of its error output, at most [`SAID_LINES`]; empty if it wrote none.
        said: String,
        next: NextStep,
    },
    /// The agent did not stop when asked and was killed.
    #[error(
        "The agent didn't stop within {seconds} seconds, so Askdesk ended it and everything it had started.\n{next}"
    )]
    InterruptIgnored {
        /// How long Askdesk waited, in seconds.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        seconds: u64,
        next: NextStep,
    },
    /// The agent's output could no longer be read.
    #[error("Askdesk could no longer read the agent's output.\n{next}")]
    OutputLost { next: NextStep },
    /// The agent no longer has the session.
    #[error(
        "The agent no longer has this session, so it can't be resumed. The transcript is saved; start a new session to \
         continue."
    )]
    SessionUnknown,
    /// The agent refused to start.
    #[error("The agent refused to start: {said}")]
    StartRefused {
        why: StartRefusal,
        /// In the agent's words.
        said: String,
    },
    /// The worktree of the session could not be made.
    #[error("The worktree couldn't be made: {error}")]
    WorktreeNotMade {
        /// In the words of git or the system.
        error: String,
    },
    /// The setup command in the session's worktree failed, or was stopped.
    #[error("The setup command failed{}.{}", with_code(*.code), last_words(.said))]
    SetupFailed {
        code: Option<i32>,
        /// The last lines that it wrote.
        said: String,
    },
    /// Askdesk failed while it ran the session.
    #[error("An internal error in Askdesk ended this session.")]
    DeskFailed,
}

/// Why an agent refused to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StartRefusal {
    /// The conversation to resume goes on in a process of the agent's own.
    InBackground,
    /// As root, it asks for permission or doesn't run.
    BypassAsRoot,
    SettingsUnreadable,
    ProxyInvalid,
    VersionTooOld,
    /// The user's organization doesn't allow it, or its rules couldn't be loaded.
    Organization,
    Other,
}

/// A place that was searched for a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "place", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SearchedLocation {
    PathVariable {
        /// Its value; it may be empty.
        value: String,
    },
    File {
        path: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FolderError {
    #[error("it doesn't exist")]
    Missing,
    /// It is a file, or something else.
    #[error("it isn't a folder")]
    NotAFolder,
    /// The system denies access.
    #[error("you don't have permission to open it")]
    Forbidden,
    /// Its path is neither absolute nor starts with `~`.
    #[error("the path must be absolute or start with ~")]
    NotAbsolute,
    /// Its file system doesn't respond.
    #[error("it didn't respond within {seconds} seconds")]
    TimedOut {
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        seconds: u64,
    },
    #[error("it can't be opened ({error})")]
    Other { error: String },
}

/// Why the system did not run a program; its text says what to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ProgramError {
    #[error("Check that it's still installed, then start the session again.")]
    Missing,
    #[error("Make the file executable, then start the session again.")]
    Forbidden,
    /// It may be built for another system.
    #[error("Check that it's built for this system; reinstalling the agent may help.")]
    Unfit,
    /// The system has no memory, process, or open file left for it.
    #[error(
        "The system has run out of memory, processes, or open files. Close something, then start the session again."
    )]
    Exhausted,
    /// It is a link to a file that doesn't exist.
    #[error(
        "It is a broken link. An update may be under way: try again in a moment, or reinstall the agent."
    )]
    BrokenLink,
    /// It may be on a file system that doesn't respond.
    #[error("Check that its disk responds, then start the session again.")]
    TimedOut,
}

/// What the user can do about an agent that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NextStep {
    Resume,
    /// Start a new session, because the agent has not begun this one.
    StartAnew,
}

fn listed(tried: &[SearchedLocation]) -> String {
    tried.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn install_hint(install: Option<&str>) -> String {
    let Some(install) = install else { return String::new() };
    format!(" Run `{install}` to install it, or enter its path under More options.")
}

fn exit_reason(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "unknown reason".to_owned(),
    }
}

fn with_code(code: Option<i32>) -> String {
    code.map(|code| format!(" with exit code {code}")).unwrap_or_default()
}

fn last_words(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(" Last output:\n{said}") }
}

impl Display for SearchedLocation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::PathVariable { value } if value.is_empty() => f.write_str("PATH (empty)"),
            Self::PathVariable { value } => write!(f, "PATH ({value})"),
            Self::File { path } => f.write_str(path),
        }
    }
}

impl Display for NextStep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resume => "Resume the session to continue.",
            Self::StartAnew => "Start a new session to try again.",
        })
    }
}

impl FolderError {
    /// Classifies a system error for a folder.
    pub fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing,
            std::io::ErrorKind::PermissionDenied => Self::Forbidden,
            _ => Self::Other { error: error.to_string() },
        }
    }
}

/// Returns the last lines of an agent's error output.
pub fn last_lines(stderr_tail: &str) -> String {
    let lines: Vec<&str> = stderr_tail.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(SAID_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionEnd;

    #[test]
    fn an_end_is_stored_as_a_code_with_its_data() {
        let why = AgentFailure::Exited {
            code: Some(3),
            signal: None,
            said: "out of luck".to_owned(),
            next: NextStep::Resume,
        };
        let end = SessionEnd::Failed { why };
        let kept = serde_json::to_value(&end).unwrap();
        let expected = serde_json::json!({
            "end": "failed",
            "why": {"failure": "exited", "code": 3, "signal": null, "said": "out of luck", "next": "resume"},
        });
        assert_eq!(kept, expected);
        assert_eq!(serde_json::from_value::<SessionEnd>(kept).unwrap(), end);
    }

    #[test]
    fn the_last_lines_of_a_long_error_output_are_repeated() {
        let tail: String = (1..=20).map(|n| format!("line {n}\n\n")).collect();
        let said = last_lines(&tail);
        assert_eq!(said.lines().count(), SAID_LINES);
        assert!(said.starts_with("line 13") && said.ends_with("line 20"));
        assert_eq!(last_lines("\n \n"), "");
    }
}
