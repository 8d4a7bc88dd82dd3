//! What can go wrong between the desk and an agent's process, said for the person.

use std::io;
use std::path::PathBuf;

/// Why an agent cannot be started, or has ended badly.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The program is nowhere to be found.
    #[error("{program} was not found. Looked at: {}. {hint}", tried.join(", "))]
    Missing {
        /// The program's name.
        program: String,
        /// Every place that was looked at.
        tried: Vec<String>,
        /// How to get it.
        hint: String,
    },
    /// The folder the agent shall work in cannot be used.
    #[error("The folder {} cannot be used: {why}. Choose a folder that exists.", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The system refused to run the program.
    #[error("{} could not be started: {source}. {hint}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What to do about it.
        hint: String,
    },
    /// The agent ended with an error.
    #[error("The agent ended ({status}).{}", said(stderr_tail))]
    Exited {
        /// How it ended, in words.
        status: String,
        /// The last it wrote to its error output.
        stderr_tail: String,
    },
}

/// How many of an agent's last lines are repeated in a sentence; the whole tail stands in the session's log.
const SAID_LINES: usize = 8;

fn said(stderr_tail: &str) -> String {
    let lines: Vec<&str> = stderr_tail.lines().filter(|line| !line.trim().is_empty()).collect();
    match lines.as_slice() {
        [] => String::new(),
        lines => format!(" It said last:\n{}", lines[lines.len().saturating_sub(SAID_LINES)..].join("\n")),
    }
}

/// Why a line did not reach an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The process has ended, or its input was closed.
    #[error("the agent no longer takes input: its process has ended or its input is closed")]
    Closed,
    /// The system failed to write.
    #[error("writing to the agent failed: {0}")]
    Io(String),
    /// The agent does not read, and its queue is full.
    #[error("the agent does not read its input: {0} lines already wait")]
    Full(usize),
}
