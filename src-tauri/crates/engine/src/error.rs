//! Errors of the engine.

use askdesk_domain::{ChangeRefused, DeliveryError, Rejection, StorageError};

/// Why a command was not carried out. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Reject(#[from] Rejection),
    #[error("{0}")]
    Journal(#[from] StorageError),
    /// Something that is stored could not be read.
    #[error("{0}")]
    Unread(StorageError),
    #[error("Askdesk is quitting")]
    Closing,
}

impl EngineError {
    /// A session has too many inputs that it hasn't handled.
    pub(crate) fn busy() -> Self {
        Rejection::AgentRefused { why: ChangeRefused::Unreached { why: DeliveryError::Busy } }.into()
    }
}
