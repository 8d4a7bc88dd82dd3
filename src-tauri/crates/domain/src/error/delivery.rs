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
    /// A text without a code: from an earlier version of the app, or from the agent.
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
    use crate::approval::ApprovalState;
    use crate::event::{ApprovalEvent, Event};
    use crate::request::Delivery;
    use crate::transcript::Notice;

    fn text(text: &str) -> DeliveryError {
        DeliveryError::Text { text: text.to_owned() }
    }

    #[test]
    fn errors_stored_as_text_are_still_read() {
        let delivery = serde_json::from_str(r#"{"delivery":"failed","error":"the pipe is full"}"#);
        assert_eq!(delivery.ok(), Some(Delivery::Failed { error: text("the pipe is full") }));
        let notice = serde_json::from_str(r#"{"notice":"message_not_sent","error":"a file is gone"}"#);
        assert_eq!(notice.ok(), Some(Notice::MessageNotSent { error: text("a file is gone") }));
        let kept = |error: &str| {
            format!(r#"{{"state":"decided","decision":{{"options":["allow"]}},"at":1{error}}}"#)
        };
        for (error, expected) in [
            ("", None),
            (r#","error":null"#, None),
            (r#","error":"gone""#, Some(text("gone"))),
            (r#","error":{"undelivered":"not_awaited"}"#, Some(DeliveryError::NotAwaited)),
        ] {
            let state: ApprovalState = serde_json::from_str(&kept(error)).unwrap();
            assert!(matches!(state, ApprovalState::Decided { error, .. } if error == expected), "{error}");
        }
        let event = serde_json::json!({
            "event": "approval_delivery_failed",
            "approval": "0190a0b0-0000-7000-8000-000000000001",
            "error": "gone",
        });
        let event: Event = serde_json::from_value(event).unwrap();
        assert!(
            matches!(event, Event::Approval(ApprovalEvent::DeliveryFailed { error, .. }) if error == text("gone"))
        );
    }

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
    fn storage_errors_stored_as_text_are_still_read() {
        let kept = |trouble: &str| {
            let error =
                format!(r#"{{"undelivered":"not_kept","trouble":"{trouble}","error":"/d/desk.db says no"}}"#);
            serde_json::from_str::<Delivery>(&format!(r#"{{"delivery":"failed","error":{error}}}"#)).unwrap()
        };
        let not_kept = |trouble| Delivery::Failed { error: DeliveryError::NotKept { trouble } };
        let path = String::new;
        assert_eq!(kept("busy"), not_kept(StorageError::Busy { path: path() }));
        assert_eq!(kept("full"), not_kept(StorageError::Full { path: path() }));
        let error = "/d/desk.db says no".to_owned();
        assert_eq!(kept("other"), not_kept(StorageError::Other { path: path(), error }));
        let Delivery::Failed { error } = kept("other") else { unreachable!() };
        assert_eq!(error.to_string(), "/d/desk.db says no");
        let now = not_kept(StorageError::Damaged { path: "/d/desk.db".to_owned(), error: "torn".to_owned() });
        let anew = serde_json::json!({
            "delivery": "failed",
            "error": {"undelivered": "not_kept", "trouble": "damaged", "path": "/d/desk.db", "error": "torn"},
        });
        assert_eq!(serde_json::to_value(&now).unwrap(), anew);
        assert_eq!(serde_json::from_value::<Delivery>(anew).unwrap(), now);
    }
}
