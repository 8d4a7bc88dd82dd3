//! The exit codes, and the failures that lead to them.

use std::process::ExitCode;

use askdesk_client_config::FileError;

/// How a run ended. Each variant is an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything worked, or the question was answered.
    Success = 0,
    /// Something failed.
    Problem = 1,
    /// The arguments or the input are invalid.
    BadInput = 2,
    Declined = 3,
    /// The time limit has passed.
    Expired = 4,
    /// Askdesk isn't running, or doesn't accept the tokens of this data folder.
    NotRunning = 5,
    /// The question ended without an answer for another reason.
    Unanswered = 6,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("Askdesk isn't running: {0}")]
    NotRunning(String),
    /// Its gateway can't open.
    #[error("Askdesk is running, but other programs can't reach it: {0}. Solve that and try again")]
    Closed(String),
    /// Askdesk went away while a question was open, and didn't come back in time.
    #[error("Askdesk isn't running: it didn't come back in time{}", .request.as_deref().map(kept).unwrap_or_default())]
    Lost {
        /// The request, if Askdesk has named it.
        request: Option<String>,
    },
    /// The connection was lost before Askdesk had saved the answer.
    #[error("the connection to Askdesk was lost, and the answer wasn't saved. Answer {request} again")]
    NotSaved { request: String },
    /// The connection was lost, and another end had come first.
    #[error("the connection to Askdesk was lost, and {request} had already ended in another way: {outcome}")]
    EndedBefore { request: String, outcome: String },
    /// The connection was lost, and Askdesk didn't come back in time to tell what became of the answer.
    #[error(
        "Askdesk isn't running: it quit before it confirmed the answer to {request}. If `askdesk list` no longer has the question once Askdesk is back, the answer was saved"
    )]
    Unconfirmed { request: String },
    #[error("{message}")]
    Rejected { status: u16, message: String },
    #[error("unexpected response from Askdesk: {0}")]
    InvalidResponse(String),
    #[error("{0}")]
    BadInput(String),
    #[error("{0}; nothing was written")]
    File(#[from] FileError),
    #[error("{0}")]
    System(String),
}

fn kept(request: &str) -> String {
    format!(
        "; the question is saved as {request}. Ask the same question again soon after Askdesk is back to pick it up"
    )
}

impl Failure {
    /// Returns the exit code.
    pub const fn exit(&self) -> Exit {
        match self {
            // A server that rejects the tokens of this data folder isn't the Askdesk of this data folder.
            Self::NotRunning(_)
            | Self::Unconfirmed { .. }
            | Self::Closed(_)
            | Self::Lost { .. }
            | Self::Rejected { status: 401, .. } => Exit::NotRunning,
            Self::Rejected { status: 400 | 413 | 422, .. } | Self::BadInput(_) => Exit::BadInput,
            Self::NotSaved { .. }
            | Self::EndedBefore { .. }
            | Self::Rejected { .. }
            | Self::InvalidResponse(_)
            | Self::File(_)
            | Self::System(_) => Exit::Problem,
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::System(error.to_string())
    }
}
