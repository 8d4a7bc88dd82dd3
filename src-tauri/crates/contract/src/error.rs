//! The errors that commands return.

use askdesk_domain::{
    AgentFailure, ChangeRefused, EndedBy, FolderError, OpenError, Rejection, StorageError, Timestamp,
    UnsupportedFeature, ValidationError,
};
use serde::{Deserialize, Serialize};

use crate::{FileTrouble, RevertRefused, Unavailable, WorktreeRefused, WorktreeUnavailable};

/// Why a command failed; a consumer branches on the code, and the screen chooses the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ErrorCode {
    /// No such request, approval or session.
    NotFound,
    /// It has already ended in another way; `ended` says how.
    AlreadyEnded,
    /// A field breaks a rule; `field` names it.
    Invalid,
    SessionGone,
    /// The agent cannot do that.
    Unsupported,
    /// The agent was asked and refused; the message is its own words.
    AgentRefused,
    /// The agent's program was not found.
    AgentMissing,
    /// The folder does not exist, or is none.
    FolderMissing,
    /// The agent's program could not be started.
    NotStarted,
    /// The database is in use by another program; trying again may help.
    StorageBusy,
    StorageFull,
    /// The database cannot be written.
    Storage,
    /// Something that is stored cannot be read.
    StorageUnread,
    /// The file with the settings cannot be written.
    SettingsNotWritten,
    /// What the settings add to the start of this agent is not what was shown.
    ExtrasChanged,
    Closing,
    FileNotWritten,
    /// What goes along with a message is not there any more; the message names it.
    AttachmentGone,
    /// The gateway is closed, so other programs can't be connected.
    GatewayClosed,
    /// The test question did not reach the gateway; the message says why.
    TestFailed,
    /// A file of another program is left as it is.
    ClientFileLeft,
    /// What was shown is not kept any more, so nothing was written.
    PlanGone,
    /// A folder or file was not opened in another program.
    NotOpened,
    /// The changes of a session, or of one of its files, can't be shown.
    ChangesUnavailable,
    /// A changed file was left as it is.
    NotReverted,
    /// A folder can have no git worktree, or git can't read it.
    WorktreeUnavailable,
    /// Nothing was done with a git worktree.
    WorktreeRefused,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Error {
    /// What a consumer branches on.
    pub code: ErrorCode,
    /// What happened, in plain words.
    pub message: String,
    /// Whether the same command may work later.
    pub retryable: bool,
    /// Stands beside the same failure in the app's log.
    pub trace_id: String,
    /// The field that breaks a rule.
    pub field: Option<String>,
    pub ended: Option<EndedElsewhere>,
    /// What belongs to the code, where the screen can say more than the code alone; the message says it in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub detail: Option<Box<Detail>>,
}

/// What belongs to the code of an error; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "detail", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Detail {
    /// How a field breaks a rule.
    Validation {
        error: ValidationError,
    },
    /// A folder that cannot be used.
    Folder {
        path: String,
        problem: FolderError,
    },
    File {
        /// Which; none where it has no path here.
        path: Option<String>,
        error: String,
    },
    /// A file of another program that is left as it is.
    ClientFile {
        file: String,
        trouble: FileTrouble,
    },
    Storage {
        trouble: StorageError,
    },
    /// Why a folder or file was not opened in another program.
    Unopened {
        why: OpenError,
    },
    /// Why the agent's program can't be started.
    Agent {
        why: AgentFailure,
    },
    /// What came of asking the agent.
    Refused {
        why: ChangeRefused,
    },
    /// Why changes can't be shown.
    Changes {
        why: Unavailable,
    },
    /// Why a file was left as it is.
    NotReverted {
        why: RevertRefused,
    },
    /// Why a folder can have no git worktree.
    NoWorktree {
        why: WorktreeUnavailable,
    },
    /// Why nothing was done with a git worktree.
    Worktree {
        why: WorktreeRefused,
    },
    /// What cannot be done.
    Unable {
        what: UnsupportedFeature,
    },
}

/// Who or what had ended a request before the command came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EndedElsewhere {
    pub by: EndedBy,
    pub at: Timestamp,
}

impl Error {
    /// Makes an error with a new trace id and notes it in the log.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        let trace_id = uuid::Uuid::new_v4().simple().to_string()[..12].to_owned();
        tracing::info!(?code, trace_id, message, "a command failed");
        let retryable =
            matches!(code, ErrorCode::StorageBusy | ErrorCode::StorageFull | ErrorCode::NotStarted);
        Self { code, message, retryable, trace_id, field: None, ended: None, detail: None }
    }

    /// Adds what belongs to the code.
    #[must_use]
    pub fn with(self, detail: Detail) -> Self {
        Self { detail: Some(Box::new(detail)), ..self }
    }
}

impl From<Rejection> for Error {
    fn from(reject: Rejection) -> Self {
        let message = reject.to_string();
        match reject {
            Rejection::NotFound { .. } => Self::new(ErrorCode::NotFound, message),
            Rejection::AlreadyEnded { by, at } => {
                Self { ended: Some(EndedElsewhere { by, at }), ..Self::new(ErrorCode::AlreadyEnded, message) }
            }
            Rejection::Invalid { field, rule } => {
                let error = Self::new(ErrorCode::Invalid, message).with(Detail::Validation { error: rule });
                Self { field: Some(field), ..error }
            }
            Rejection::SessionGone => Self::new(ErrorCode::SessionGone, message),
            Rejection::AgentRefused { why } => {
                Self::new(ErrorCode::AgentRefused, message).with(Detail::Refused { why })
            }
            Rejection::Unsupported { what } => {
                Self::new(ErrorCode::Unsupported, message).with(Detail::Unable { what })
            }
        }
    }
}

impl From<Unavailable> for Error {
    fn from(why: Unavailable) -> Self {
        Self::new(ErrorCode::ChangesUnavailable, why.to_string()).with(Detail::Changes { why })
    }
}

impl From<RevertRefused> for Error {
    fn from(why: RevertRefused) -> Self {
        match why {
            RevertRefused::Unavailable { why } => why.into(),
            why => Self::new(ErrorCode::NotReverted, why.to_string()).with(Detail::NotReverted { why }),
        }
    }
}

impl From<OpenError> for Error {
    fn from(why: OpenError) -> Self {
        Self::new(ErrorCode::NotOpened, why.to_string()).with(Detail::Unopened { why })
    }
}

impl From<WorktreeUnavailable> for Error {
    fn from(why: WorktreeUnavailable) -> Self {
        Self::new(ErrorCode::WorktreeUnavailable, why.to_string()).with(Detail::NoWorktree { why })
    }
}

impl From<WorktreeRefused> for Error {
    fn from(why: WorktreeRefused) -> Self {
        match why {
            WorktreeRefused::Unavailable { why } => why.into(),
            why => Self::new(ErrorCode::WorktreeRefused, why.to_string()).with(Detail::Worktree { why }),
        }
    }
}
