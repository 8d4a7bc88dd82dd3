//! Queued messages: written while an agent works, and sent one at a time when its turns end.

use serde::{Deserialize, Serialize};

use crate::attachment::Attachment;
use crate::id::MessageId;

/// How many messages a session can queue.
pub const QUEUED_MESSAGES: usize = 64;

/// A queued message; its text is bounded by [`MESSAGE_BYTES`](crate::attachment::MESSAGE_BYTES).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QueuedMessage {
    pub id: MessageId,
    /// Its text; empty if there are only attachments.
    pub text: String,
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}
