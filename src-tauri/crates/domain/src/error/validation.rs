//! How a field breaks a rule. What a person can bring about has a code; what only a caller with a fault of its own brings about
//! is said in words.

use serde::{Deserialize, Serialize};

use crate::error::DeliveryError;
use crate::error::SettingError;

/// How a field breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "breach", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ValidationError {
    #[error("must not be empty")]
    Empty,
    #[error("at most {most} bytes, got {bytes}")]
    TooLong {
        /// How many bytes it may have.
        most: usize,
        bytes: usize,
    },
    /// As many messages wait as may.
    #[error("at most {most} messages wait; remove one or let the agent go on")]
    QueueFull { most: usize },
    /// More is attached than goes with one message.
    #[error("at most {most} go with one message, got {count}")]
    TooManyAttached { most: usize, count: usize },
    /// What goes along with a message cannot go with it.
    #[error("{why}")]
    Attached { why: DeliveryError },
    /// A path cannot be written in a message.
    #[error("a path cannot be told to the agent")]
    PathUntold,
    /// A question is open, and a message would end it.
    #[error("a question is open; answer it, or reply in chat")]
    QuestionOpen,
    /// The request is open, and what is wanted needs its end.
    #[error("this request is still open; answer it")]
    StillOpen,
    /// The agent waits for the answer, which is not to be given up then.
    #[error("the agent still waits for it; try to hand it over again")]
    StillAwaited,
    #[error("at least one question must be answered; decline the request to answer none")]
    NothingAnswered,
    /// A note belongs to no choice.
    #[error("a note needs a choice that it belongs to")]
    NoteAlone,
    /// More is chosen than the question takes.
    #[error("this question takes one option or own words, not several")]
    OneOnly,
    /// The question takes no words of one's own.
    #[error("this question takes no words of one's own")]
    NoOwnWords,
    #[error("choose at least one option")]
    NoOption,
    /// It is no plan that waits for approval.
    #[error("only a plan can be approved as one")]
    NoPlan,
    /// The session runs, and what is wanted needs its end.
    #[error("it is still running; end it first")]
    StillRunning,
    /// It is no name of a model.
    #[error("is no name of a model")]
    NoModel,
    #[error("name the folder the agent shall work in")]
    NoFolder,
    /// A secret comes too late, because it is never kept.
    #[error("a secret cannot be given late, because it is never kept")]
    LateSecret,
    /// A plan was cut off and cannot be edited.
    #[error("this plan is too long to be edited here; send it back instead")]
    PlanCutOff,
    #[error("this is no address: {error}")]
    NoAddress {
        /// What is wrong with it, as its reader says.
        error: String,
    },
    /// It is an address of a kind that is not opened.
    #[error("only addresses of the web and of mailboxes are opened, not {scheme}:")]
    AddressNotOpened { scheme: String },
    /// No program opened the address.
    #[error("no program of this machine opened it: {error}")]
    NoProgram { error: String },
    /// Its path cannot be written as text.
    #[error("the folder's path cannot be written as text")]
    PathNotText,
    /// It is nothing that can be set.
    #[error("{flaw}")]
    Unfit { flaw: SettingError },
    /// Anything else; the window does not bring it about.
    #[error("{rule}")]
    Other {
        /// The rule, and what came instead.
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
