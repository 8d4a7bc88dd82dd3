//! How a run ends: the exit codes, and what went wrong in words.

use std::fmt;
use std::process::ExitCode;

use askdesk_client_config::Refusal;

/// How a run ended; each has an exit code of its own, so that a script can tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All went well; a question was answered.
    Well = 0,
    Problem = 1,
    /// What was asked for makes no sense.
    BadInput = 2,
    Declined = 3,
    /// The time limit passed.
    Expired = 4,
    /// No desk is there, or none that takes the secrets of this data folder.
    NoDesk = 5,
    /// The question ended in another way without an answer.
    Unanswered = 6,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(ending as u8)
    }
}

/// What went wrong.
#[derive(Debug)]
pub enum Failure {
    /// Nobody listens.
    NoDesk(String),
    /// The desk turned the call down.
    Denied {
        status: u16,
        /// The desk's words.
        message: String,
    },
    /// What came from the desk is not understood.
    Unintelligible(String),
    /// What was asked for makes no sense.
    BadInput(String),
    /// A client's file is left as it is.
    Refused(Refusal),
    System(String),
}

impl Failure {
    pub fn ending(&self) -> Ending {
        match self {
            // Whoever turns the secrets of this data folder down is not its desk.
            Self::NoDesk(_) | Self::Denied { status: 401, .. } => Ending::NoDesk,
            Self::Denied { status: 400 | 413 | 422, .. } | Self::BadInput(_) => Ending::BadInput,
            Self::Denied { .. } | Self::Unintelligible(_) | Self::Refused(_) | Self::System(_) => {
                Ending::Problem
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDesk(why) => write!(f, "no desk is running: {why}"),
            Self::Denied { message, .. } => f.write_str(message),
            Self::Unintelligible(what) => write!(f, "the desk sent something that is not understood: {what}"),
            Self::BadInput(why) | Self::System(why) => f.write_str(why),
            Self::Refused(refusal) => write!(f, "{refusal}; nothing was written"),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::System(error.to_string())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
