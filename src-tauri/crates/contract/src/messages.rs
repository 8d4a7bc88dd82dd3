//! Messages and what is attached to them.

use askdesk_domain::attachment::plain_name;
use askdesk_domain::{Attachment, MessageId, RequestId, SessionId};
use serde::{Deserialize, Serialize};

commands! {
    /// Sends a message to an agent. An ended session that can be resumed is resumed first.
    struct SendMessage {
        session: SessionId,
        text: String,
        #[serde(default)]
        attachments: Vec<Attachment>,
        /// The open requests that the user was told it closes: they end as replied in chat. Any other stays open.
        #[serde(default)]
        closes: Vec<RequestId>,
    }

    /// Queues a message until the agent's turn ends. Unlike a message that the user sends, it leaves open questions alone.
    struct QueueMessage {
        session: SessionId,
        text: String,
        #[serde(default)]
        attachments: Vec<Attachment>,
    }

    struct EditQueued {
        session: SessionId,
        id: MessageId,
        text: String,
    }

    struct RemoveQueued {
        session: SessionId,
        id: MessageId,
    }

    /// Sends a queued message now, even during a turn; refused while a question is open.
    struct SendQueued {
        session: SessionId,
        id: MessageId,
    }

    /// Stores an image for a message. The same image again is the same attachment.
    struct AttachImage {
        session: SessionId,
        name: String,
        /// The image in base64.
        data: String,
    }

    /// Stores a text that is too long for a message as a file of the session.
    struct AttachText {
        session: SessionId,
        text: String,
    }

    /// Deletes images that were attached and removed again. Images of sent and queued messages are not deleted.
    struct DiscardAttachments {
        session: SessionId,
        attachments: Vec<Attachment>,
    }
}

wire! {
    struct AttachedFiles {
        attached: Vec<Attachment>,
        refused: Vec<RefusedFile>,
    }

    struct RefusedFile {
        name: String,
        why: RefusedWhy,
    }
}

/// Why a file was not attached. The page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RefusedWhy {
    TooLarge,
    /// The message has as many attachments as it may have.
    TooMany,
    /// It has no path, and its content is no image format that is accepted.
    UnknownKind,
    Folder,
    /// It is a pipe or a device.
    NoFile,
    /// It no longer exists.
    Gone,
    /// Its path can't be written in a message.
    Path,
    /// It could not be read or stored.
    Unreadable {
        /// The system's error message.
        error: String,
    },
}

impl AttachedFiles {
    /// Adds a file that was attached, or why it was not.
    pub fn add(&mut self, name: &str, tried: Result<Attachment, RefusedWhy>) {
        match tried {
            Ok(attachment) => self.attached.push(attachment),
            Err(why) => self.refused.push(RefusedFile { name: plain_name(name), why }),
        }
    }
}

impl RefusedWhy {
    /// Says why a file could not be read.
    pub fn of_io(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Gone,
            _ => Self::Unreadable { error: error.to_string() },
        }
    }
}
