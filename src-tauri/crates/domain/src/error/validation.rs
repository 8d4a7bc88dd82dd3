//! How a field breaks a rule. Errors that a user can cause have a code; errors that only a faulty caller can cause
//! are texts.

use serde::{Deserialize, Serialize};

use crate::error::{DeliveryError, SettingError};

/// How a field breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "breach", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ValidationError {
    #[error("can't be empty")]
    Empty,
    #[error("too long ({bytes} bytes; the limit is {most})")]
    TooLong {
        /// The upper bound, in bytes.
        most: usize,
        bytes: usize,
    },
    #[error("the queue is full ({most} messages); remove one, or wait for the agent")]
    QueueFull { most: usize },
    /// There are too many attachments for one message.
    #[error("too many attachments ({count}; the limit is {most})")]
    TooManyAttached { most: usize, count: usize },
    /// An attachment is invalid.
    #[error("{why}")]
    Attached { why: DeliveryError },
    /// A path can't be written in a message.
    #[error("a file's path contains characters the agent can't take")]
    PathUntold,
    /// A question is open, and a message would end it.
    #[error("a question is open; answer it, or reply in chat")]
    QuestionOpen,
    /// The request is open, and the command requires that it has ended.
    #[error("this question is still open; answer it first")]
    StillOpen,
    /// The agent still waits for the answer, so it can't be discarded.
    #[error("the agent is still waiting for it; choose Retry")]
    StillAwaited,
    #[error("answer at least one question, or skip")]
    NothingAnswered,
    /// A note without a choice.
    #[error("a note needs an answer to go with it")]
    NoteAlone,
    /// The question takes fewer choices.
    #[error("this question takes only one answer")]
    OneOnly,
    /// The question doesn't accept a free-text answer.
    #[error("this question takes only the options it lists")]
    NoOwnWords,
    #[error("choose at least one option")]
    NoOption,
    /// It is not a plan that needs approval.
    #[error("this isn't a plan")]
    NoPlan,
    /// The session is running, and the command requires that it has ended.
    #[error("it's still running; end it first")]
    StillRunning,
    /// It is not a valid model name.
    #[error("isn't a valid model name")]
    NoModel,
    #[error("choose a folder for the agent to work in")]
    NoFolder,
    /// A secret can't be given late, because it is never stored.
    #[error("secrets can't be sent late, because Askdesk never stores them")]
    LateSecret,
    /// A plan was cut off and can't be edited.
    #[error("this plan is too long to edit here; send it back instead")]
    PlanCutOff,
    #[error("that isn't a valid address: {error}")]
    NoAddress {
        /// The parser's error.
        error: String,
    },
    /// Addresses of this kind are not opened.
    #[error("Askdesk can't open {scheme}: links, only web and email links")]
    AddressNotOpened { scheme: String },
    /// No program could open the address.
    #[error("no app on this computer opened it: {error}")]
    NoProgram { error: String },
    /// Its path can't be written as text.
    #[error("the folder's path isn't valid text")]
    PathNotText,
    /// The value of a setting is invalid.
    #[error("{flaw}")]
    Unfit { flaw: SettingError },
    /// Any other rule; the window never causes it.
    #[error("{rule}")]
    Other {
        /// The rule, and the value that breaks it.
        rule: String,
    },
}

impl From<String> for ValidationError {
    fn from(rule: String) -> Self {
        Self::Other { rule }
    }
}

impl From<&str> for ValidationError {
    fn from(rule: &str) -> Self {
        rule.to_owned().into()
    }
}
