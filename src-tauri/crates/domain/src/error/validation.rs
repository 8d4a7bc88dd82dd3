//! How a field breaks a rule, and why something did not reach the agent: each can be the reason for the other. Errors that a
//! user can cause have a code; errors that only a faulty caller can cause are texts.

use serde::{Deserialize, Serialize};

use crate::answer_bounds::AnswerBounds;
use crate::error::{SettingError, StorageError};

/// How a field breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "validation", rename_all = "snake_case")]
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
    /// The answer isn't what the form demands.
    #[error("must be {bounds}")]
    OutOfBounds { bounds: AnswerBounds },
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

/// Why something did not reach the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "undelivered", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DeliveryError {
    /// Its process has ended, or its input is closed.
    #[error("the agent has exited or closed its input")]
    InputClosed,
    /// The system failed to write.
    #[error("couldn't write to the agent: {error}")]
    WriteFailed { error: String },
    #[error("the agent isn't reading its input ({lines} lines waiting)")]
    NotReading {
        /// How many lines are queued for it.
        lines: usize,
    },
    /// The agent no longer accepts an answer to this.
    #[error("the agent is no longer waiting for it")]
    NotAwaited,
    /// The agent ended during delivery; there is no automatic retry.
    #[error(
        "the agent exited while receiving it, so it may have arrived. Askdesk won't resend it on its own; Retry sends \
         it as a message"
    )]
    MayHaveArrived,
    #[error("the agent isn't running")]
    NotRunning,
    /// The agent's queue is full.
    #[error("the agent can't take input right now")]
    Busy,
    #[error("Askdesk is quitting")]
    Closing,
    #[error("{rule}")]
    Refused { rule: Box<ValidationError> },
    /// The journal could not record that it was about to be sent.
    #[error("{trouble}")]
    NotKept {
        #[serde(flatten)]
        trouble: StorageError,
    },
    /// An attachment is missing.
    #[error("the image {name} is no longer stored; attach it again")]
    ImageGone { name: String },
    /// An attachment can't be read.
    #[error("{path}: {error}")]
    FileUnreadable { path: String, error: String },
    /// The agent's own words.
    #[error("{text}")]
    Text { text: String },
}

impl From<String> for DeliveryError {
    fn from(text: String) -> Self {
        Self::Text { text }
    }
}

impl From<&str> for DeliveryError {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Delivery;

    #[test]
    fn an_error_is_stored_as_a_code_with_its_data() {
        let failed = Delivery::Failed { error: DeliveryError::NotReading { lines: 64 } };
        let kept = serde_json::json!({
            "delivery": "failed",
            "error": {"undelivered": "not_reading", "lines": 64},
        });
        assert_eq!(serde_json::to_value(&failed).unwrap(), kept);
        assert_eq!(serde_json::from_value::<Delivery>(kept).unwrap(), failed);
    }

    #[test]
    fn a_storage_error_is_stored_within_it() {
        let trouble = StorageError::Damaged { path: "/d/desk.db".to_owned(), error: "torn".to_owned() };
        let now = Delivery::Failed { error: DeliveryError::NotKept { trouble } };
        let anew = serde_json::json!({
            "delivery": "failed",
            "error": {"undelivered": "not_kept", "trouble": "damaged", "path": "/d/desk.db", "error": "torn"},
        });
        assert_eq!(serde_json::to_value(&now).unwrap(), anew);
        assert_eq!(serde_json::from_value::<Delivery>(anew).unwrap(), now);
    }
}
