//! Updates of the app, as the window shows them.

use askdesk_domain::Timestamp;
use serde::{Deserialize, Serialize};

wire! {
    /// What is known about updates.
    struct UpdateRead {
        /// The version that is running.
        running: String,
        phase: UpdatePhase,
        /// What went wrong last; none once something newer has begun.
        problem: Option<UpdateProblem>,
        /// What keeps an update from being installed now.
        in_the_way: Vec<UpdateObstacle>,
        /// When the newest version was last learned; none if never.
        checked_at: Option<Timestamp>,
        /// Whether the window mentions the update on its own.
        is_offered: bool,
        /// How the user installs the newer version; none if none is known, or if Askdesk installs it.
        by_hand: Option<UpdateByHand>,
    }

    struct ReadUpdate {}

    struct CheckForUpdate {}

    /// Takes the next step: downloads the update, installs it, or restarts the app. The steps behind it follow as long as nothing
    /// is in the way.
    struct InstallUpdate {
        /// The version that the user has seen.
        version: String,
    }

    /// Ends a download.
    struct CancelUpdate {}

    /// Stops mentioning an update.
    struct SetUpdateAside {
        version: String,
        until: SetAsideUntil,
    }
}

/// A newer version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Release {
    pub version: String,
    /// What is new in it, as Markdown; empty if nothing is said.
    pub notes: String,
    /// The size of its package in bytes, if the list of versions says.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub size: Option<u64>,
}

/// How the user installs a version that only the package manager can install.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UpdateByHand {
    /// The address of the page with the downloads.
    pub page: String,
    /// What installs the downloaded file, for a terminal in its folder.
    pub command: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SetAsideUntil {
    /// The next start of the app.
    NextStart,
    /// There is a version after this one.
    NextVersion,
}

/// How far an update is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UpdatePhase {
    /// This build doesn't update itself.
    Unavailable,
    /// No newer version is known.
    Idle,
    Checking {
        /// The newer version that was known before.
        known: Option<Release>,
    },
    Available {
        release: Release,
    },
    Downloading {
        release: Release,
        /// In bytes.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        received: u64,
        /// In bytes; none if the server doesn't say.
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        total: Option<u64>,
    },
    /// It is downloaded, and its signature is right.
    Downloaded {
        release: Release,
    },
    Installing {
        release: Release,
    },
    /// It is installed; a restart of the app uses it.
    Installed {
        release: Release,
    },
}

/// What keeps an update from being installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UpdateObstacle {
    QuestionOpen,
    PermissionOpen,
    /// An answer can still be undone, and is not sent before.
    AnswerUndoable,
    /// An answer is on its way to its agent.
    AnswerUndelivered,
    /// An agent works, or something works for it in the background.
    AgentWorks,
    /// The disk does not accept what has happened.
    NotStored,
}

/// Why a step of an update failed. The page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UpdateProblem {
    /// The server could not be reached.
    Offline { error: String },
    /// The server has refused, or has answered with something that is no list of versions.
    Server { error: String },
    /// The new version has no package for this system.
    NoPackage,
    /// The download ended early.
    Interrupted { error: String },
    /// The package is not signed by the makers of the app for this version.
    Signature,
    /// The package has a form that can't be installed.
    Unusable,
    /// The app may not replace its own file.
    NotAllowed,
    /// The page has not saved everything that the user has typed, and the app was not restarted.
    NotSaved,
    /// The system reports another error.
    System { error: String },
}
