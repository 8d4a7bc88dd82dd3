//! Why something did not reach the agent: error codes with their data. The page chooses the words; the texts here are for
//! logs and exports.

use serde::{Deserialize, Serialize};

use crate::error::{StorageError, ValidationError};

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
