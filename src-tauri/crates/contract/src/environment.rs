//! Where the environment comes from that agents get.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How an environment was got, the best way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "EnvironmentWay"))]
pub enum Way {
    /// Askdesk was started from a terminal, so it has the environment already.
    Terminal,
    /// From the shell, with the startup files of a login and those of a terminal.
    InteractiveLogin,
    /// From the shell, with the startup files of a login only.
    Login,
    /// No shell answered. The folders in which version managers keep programs were added to `PATH`.
    KnownFolders,
    Process,
}

/// Why a shell didn't say what its environment is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "EnvironmentFailure"))]
pub enum Failure {
    #[error("the account has no shell")]
    NoShell,
    #[error("the askdesk command line is missing beside the app")]
    NoCommandLine,
    #[error("it didn't start: {error}")]
    NotStarted { error: String },
    #[error("it took longer than {seconds} seconds")]
    TimedOut { seconds: u32 },
    /// It ended without printing the environment.
    #[error("it ended early{}", code.map(|code| format!(" with exit code {code}")).unwrap_or_default())]
    Ended { code: Option<i32> },
    #[error("it printed too much")]
    TooMuch,
}

/// A way that was tried in vain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "FailedEnvironmentWay"))]
pub struct FailedWay {
    pub way: Way,
    pub failure: Failure,
}

impl Way {
    /// Whether a shell has said what the environment is.
    pub fn is_of_shell(self) -> bool {
        matches!(self, Self::InteractiveLogin | Self::Login)
    }
}

impl fmt::Display for FailedWay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = if self.way == Way::Login { "login files" } else { "startup files of a terminal" };
        write!(formatter, "the shell failed with its {files}: {}", self.failure)
    }
}
