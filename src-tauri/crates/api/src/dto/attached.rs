//! The inputs and outputs of attaching images and files.

use askdesk_domain::{Attachment, CommandId, SessionId};
use serde::{Deserialize, Serialize};

wire! {
    /// Keeps an image that the person has brought, to go along with a message.
    struct AttachImage {
        /// The caller's id of this command; the same image again is the same attachment.
        request_id: CommandId,
        session: SessionId,
        name: String,
        /// Its bytes in base64.
        data: String,
    }

    struct AttachedFiles {
        /// What can go along with a message now.
        attached: Vec<Attachment>,
        refused: Vec<RefusedFile>,
    }

    /// A file that cannot go along with a message.
    struct RefusedFile {
        name: String,
        why: RefusedWhy,
    }

    /// Forgets images that were attached to a message and taken back; what went out or waits stays.
    struct DiscardAttachments {
        request_id: CommandId,
        session: SessionId,
        /// What was taken back.
        attachments: Vec<Attachment>,
    }
}

/// Why a file cannot go along with a message; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RefusedWhy {
    /// It is an image larger than is taken.
    TooLarge,
    /// More than one message takes.
    TooMany,
    /// It came without a path and is none of the images that are taken.
    UnknownKind,
    Folder,
    /// It has no end, as a pipe or a device.
    NoFile,
    Gone,
    /// Its path cannot be written in a message.
    Path,
    /// It could not be read or kept.
    Unreadable {
        error: String,
    },
}
