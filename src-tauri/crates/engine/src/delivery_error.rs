//! Turns the engine's errors into delivery errors.

use askdesk_agents::{EncodeError, WriteError};
use askdesk_domain::{ChangeRefused, DeliveryError, Rejection, ValidationError};

use crate::error::EngineError;
use crate::images::ImageError;

/// The adapter cannot encode an outcome or a decision.
pub(crate) const fn unencoded(error: &EncodeError) -> DeliveryError {
    match error {
        EncodeError::NothingToSend | EncodeError::Gone { .. } | EncodeError::Refused { .. } => {
            DeliveryError::NotAwaited
        }
    }
}

/// A line could not be written to the agent.
pub(crate) fn unwritten(error: WriteError) -> DeliveryError {
    match error {
        WriteError::Closed => DeliveryError::InputClosed,
        WriteError::Io(error) => DeliveryError::WriteFailed { error },
        WriteError::Full(lines) => DeliveryError::NotReading { lines },
    }
}

/// An image cannot be read.
pub(crate) fn unread(error: ImageError) -> DeliveryError {
    match error {
        ImageError::Gone { name } => DeliveryError::ImageGone { name },
        ImageError::Io { path, why } => {
            DeliveryError::FileUnreadable { path: path.display().to_string(), error: why.to_string() }
        }
        ImageError::TooLarge { .. } | ImageError::UnknownKind => error.to_string().into(),
    }
}

/// The engine did not carry it out.
pub(crate) fn rejected(error: EngineError) -> DeliveryError {
    match error {
        EngineError::Journal(trouble) | EngineError::Unread(trouble) => DeliveryError::NotKept { trouble },
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
