//! What the engine's own errors mean for something that was on its way to an agent.

use askdesk_agents::{EncodeError, WriteError};
use askdesk_domain::{ChangeRefused, DeliveryError, Rejection, ValidationError};

use crate::images::ImageError;
use crate::journal::JournalError;
use crate::writer::EngineError;

/// Says what a line that was not written means.
pub(crate) fn unwritten(error: WriteError) -> DeliveryError {
    match error {
        WriteError::Closed => DeliveryError::InputClosed,
        WriteError::Io(error) => DeliveryError::WriteFailed { error },
        WriteError::Full(lines) => DeliveryError::NotReading { lines },
    }
}

/// Says what an end or a decision that cannot be put into a line means.
pub(crate) const fn unencoded(error: &EncodeError) -> DeliveryError {
    match error {
        EncodeError::NothingToSend | EncodeError::Gone { .. } | EncodeError::Unsupported { .. } => {
            DeliveryError::NotAwaited
        }
    }
}

/// Says what an image that cannot be read means.
pub(crate) fn unread(error: ImageError) -> DeliveryError {
    match error {
        ImageError::Gone { name } => DeliveryError::ImageGone { name },
        ImageError::Io { path, why } => {
            DeliveryError::FileUnreadable { path: path.display().to_string(), error: why.to_string() }
        }
        ImageError::TooLarge { .. } | ImageError::UnknownKind => error.to_string().into(),
    }
}

/// Says what it means that the journal could not write it down.
pub(crate) fn unkept(error: &JournalError) -> DeliveryError {
    DeliveryError::NotKept { trouble: error.into() }
}

/// Says what it means that the desk did not carry it out.
pub(crate) fn undone(error: EngineError) -> DeliveryError {
    match error {
        EngineError::Journal(error) => unkept(&error),
        EngineError::Closing => DeliveryError::Closing,
        EngineError::Reject(reject) => match reject {
            Rejection::Invalid { rule: ValidationError::Attached { why }, .. } => why,
            Rejection::Invalid { rule, .. } => DeliveryError::Refused { rule: Box::new(rule) },
            Rejection::SessionGone => DeliveryError::NotRunning,
            Rejection::NotFound { .. } | Rejection::AlreadyEnded { .. } => DeliveryError::NotAwaited,
            Rejection::AgentRefused { why: ChangeRefused::Unreached { why } } => why,
            Rejection::AgentRefused { .. } | Rejection::Unsupported { .. } => reject.to_string().into(),
        },
    }
}
