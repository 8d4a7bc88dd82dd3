//! What waits to be sent: messages written while an agent works, sent one by one when its turns end.

use serde::{Deserialize, Serialize};

use crate::attachment::Attachment;
use crate::id::MessageId;

/// How many messages may wait in one session.
pub const QUEUED_MESSAGES: usize = 64;

/// One message that waits; its text is bounded by [`PERSON_TEXT_BYTES`](crate::text::PERSON_TEXT_BYTES).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QueuedMessage {
    pub id: MessageId,
    /// Its words; none where something is attached and nothing was written.
    pub text: String,
    /// What goes along with it.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}
