//! How a field breaks a rule. Errors that a user can cause have a code; errors that only a faulty caller can cause
//! are texts.

use serde::{Deserialize, Serialize};

use crate::error::{DeliveryError, SettingError};

/// How a field breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "breach", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ValidationError {
    #[error("must not be empty")]
    Empty,
    #[error("at most {most} bytes, got {bytes}")]
    TooLong {
        /// The upper bound, in bytes.
        most: usize,
        bytes: usize,
    },
    #[error("at most {most} messages wait; remove one or let the agent go on")]
    QueueFull { most: usize },
    /// There are too many attachments for one message.
    #[error("at most {most} go with one message, got {count}")]
    TooManyAttached { most: usize, count: usize },
    /// An attachment is invalid.
    #[error("{why}")]
    Attached { why: DeliveryError },
    /// A path can't be written in a message.
    #[error("a path cannot be told to the agent")]
    PathUntold,
    /// A question is open, and a message would end it.
    #[error("a question is open; answer it, or reply in chat")]
    QuestionOpen,
    /// The request is open, and the command requires that it has ended.
    #[error("this request is still open; answer it")]
    StillOpen,
    /// The agent still waits for the answer, so it can't be discarded.
    #[error("the agent still waits for it; try to hand it over again")]
    StillAwaited,
    #[error("at least one question must be answered; decline the request to answer none")]
    NothingAnswered,
    /// A note without a choice.
    #[error("a note needs a choice that it belongs to")]
    NoteAlone,
    /// The question takes fewer choices.
    #[error("this question takes one option or own words, not several")]
    OneOnly,
    /// The question doesn't accept a free-text answer.
    #[error("this question takes no words of one's own")]
    NoOwnWords,
    #[error("choose at least one option")]
    NoOption,
    /// It is not a plan that needs approval.
    #[error("only a plan can be approved as one")]
    NoPlan,
    /// The session is running, and the command requires that it has ended.
    #[error("it is still running; end it first")]
    StillRunning,
    /// It is not a valid model name.
    #[error("is no name of a model")]
    NoModel,
    #[error("name the folder the agent shall work in")]
    NoFolder,
    /// A secret can't be given late, because it is never stored.
    #[error("a secret cannot be given late, because it is never kept")]
    LateSecret,
    /// A plan was cut off and can't be edited.
    #[error("this plan is too long to be edited here; send it back instead")]
    PlanCutOff,
    #[error("this is no address: {error}")]
    NoAddress {
        /// The parser's error.
        error: String,
    },
    /// Addresses of this kind are not opened.
    #[error("only addresses of the web and of mailboxes are opened, not {scheme}:")]
    AddressNotOpened { scheme: String },
    /// No program could open the address.
    #[error("no program of this machine opened it: {error}")]
    NoProgram { error: String },
    /// Its path can't be written as text.
    #[error("the folder's path cannot be written as text")]
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
