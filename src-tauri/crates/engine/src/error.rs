//! Why the engine did not carry out what it was asked.

use askdesk_domain::Rejection;

use crate::journal::JournalError;

/// Why a command was not carried out. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The rules forbid it.
    #[error(transparent)]
    Reject(#[from] Rejection),
    /// The journal could not store it.
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the app is closing")]
    Closing,
}
