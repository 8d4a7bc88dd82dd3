//! Why a folder or a file was not opened in another program: error codes with their data. The page chooses the words; the
//! texts here are for logs.

use serde::{Deserialize, Serialize};

use crate::programs::Program;

/// Why a folder or a file was not opened in another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "unopened", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OpenError {
    /// The session has no folder on this computer.
    #[error("the session has no folder on this computer")]
    NoFolder,
    #[error("{path} doesn't exist anymore")]
    Gone { path: String },
    /// The path is neither a file nor a folder, or can't be read.
    #[error("{path} can't be opened: {error}")]
    Unusable { path: String, error: String },
    /// The program isn't installed where Askdesk looks.
    #[error("{} isn't installed", .program.id())]
    NotInstalled { program: Program },
    /// The user's own command isn't set.
    #[error("no command is set for {}", .program.id())]
    NoCommand { program: Program },
    /// The first word of the user's own command isn't a program.
    #[error("no program {command} was found")]
    CommandMissing { command: String },
    /// No terminal was found that can run a program.
    #[error("no terminal was found that can run a program")]
    NoTerminal,
    /// It can only be opened in a folder.
    #[error("{} can't be told which program to run", .terminal.id())]
    TerminalOnlyOpens { terminal: Program },
    /// The program would take this character of the path for something else.
    #[error("{} can't open a path that contains {character}", .program.id())]
    Unsafe { program: Program, character: String },
    /// The system didn't start the program.
    #[error("{program} couldn't start: {error}")]
    NotStarted { program: String, error: String },
    /// The program failed within a second.
    #[error("{program} exited at once")]
    Exited {
        program: String,
        /// None if a signal ended it.
        code: Option<i32>,
    },
    /// The system's file manager failed.
    #[error("the file manager didn't open: {error}")]
    FileManager { error: String },
    /// The agent hasn't reported the id under which its own program could continue the session.
    #[error("the agent has no session to continue yet")]
    NothingToContinue,
}
