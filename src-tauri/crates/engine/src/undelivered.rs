//! What the engine's own errors mean for something that was on its way to an agent.

use askdesk_agents::{EncodeError, WriteError};
use askdesk_domain::{Breach, ChangeRefused, Reject, Undelivered};

use crate::images::ImageError;
use crate::journal::JournalError;
use crate::writer::EngineError;

/// Says what a line that was not written means.
pub(crate) fn unwritten(error: WriteError) -> Undelivered {
    match error {
        WriteError::Closed => Undelivered::InputClosed,
        WriteError::Io(error) => Undelivered::WriteFailed { error },
        WriteError::Full(lines) => Undelivered::NotReading { lines },
    }
}

/// Says what an end or a decision that cannot be put into a line means.
pub(crate) const fn unencoded(error: &EncodeError) -> Undelivered {
    match error {
        EncodeError::NothingToSend | EncodeError::Gone { .. } | EncodeError::Unsupported { .. } => {
            Undelivered::NotAwaited
        }
    }
}

/// Says what an image that cannot be read means.
pub(crate) fn unread(error: ImageError) -> Undelivered {
    match error {
        ImageError::Gone { name } => Undelivered::ImageGone { name },
        ImageError::Io { path, why } => {
            Undelivered::FileUnreadable { path: path.display().to_string(), error: why.to_string() }
        }
        ImageError::TooLarge { .. } | ImageError::UnknownKind => error.to_string().into(),
    }
}

/// Says what it means that the journal could not write it down.
pub(crate) fn unkept(error: &JournalError) -> Undelivered {
    Undelivered::NotKept { trouble: error.into() }
}

/// Says what it means that the desk did not carry it out.
pub(crate) fn undone(error: EngineError) -> Undelivered {
    match error {
        EngineError::Journal(error) => unkept(&error),
        EngineError::Closing => Undelivered::Closing,
        EngineError::Reject(reject) => match reject {
            Reject::Invalid { rule: Breach::Attached { why }, .. } => why,
            Reject::Invalid { rule, .. } => Undelivered::Refused { rule: Box::new(rule) },
            Reject::SessionGone => Undelivered::NotRunning,
            Reject::NotFound { .. } | Reject::AlreadyEnded { .. } => Undelivered::NotAwaited,
            Reject::AgentRefused { why: ChangeRefused::Unreached { why } } => why,
            Reject::AgentRefused { .. } | Reject::Unsupported { .. } => reject.to_string().into(),
        },
    }
}
