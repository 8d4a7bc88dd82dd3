//! Errors of the engine.

use askdesk_contract::{Detail, Error, ErrorCode};
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

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        let journal = match error {
            EngineError::Reject(reject) => return reject.into(),
            EngineError::Closing => return Self::new(ErrorCode::Closing, message),
            EngineError::Journal(journal) => journal,
            EngineError::Unread(journal) => {
                return Self::new(ErrorCode::StorageUnread, message)
                    .with(Detail::Storage { trouble: journal });
            }
        };
        let code = match journal {
            StorageError::Busy { .. } => ErrorCode::StorageBusy,
            StorageError::Full { .. } => ErrorCode::StorageFull,
            _ => ErrorCode::Storage,
        };
        Self::new(code, message).with(Detail::Storage { trouble: journal })
    }
}
