//! Errors of the journal.

use std::path::{Path, PathBuf};

use askdesk_domain::StorageError;

/// Why the journal could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", StorageError::from(self))]
pub enum JournalError {
    /// Another program has locked the database or its folder.
    Busy { path: PathBuf },
    /// The disk is full, or the database has reached its size limit.
    Full {
        /// The file that can't grow.
        path: PathBuf,
    },
    /// The file is not a database, or is damaged.
    Corrupt { path: PathBuf, detail: String },
    /// The file is damaged and can't be renamed.
    NotQuarantined { path: PathBuf, detail: String },
    /// The database was written by a newer version of the app.
    SchemaTooNew {
        path: PathBuf,
        found: u32,
        /// The newest format this version knows.
        known: u32,
    },
    /// Any other failure to read or write.
    Io { path: PathBuf, detail: String },
}

impl From<&JournalError> for StorageError {
    fn from(error: &JournalError) -> Self {
        let named = |path: &Path| path.display().to_string();
        match error {
            JournalError::Busy { path } => Self::Busy { path: named(path) },
            JournalError::Full { path } => Self::Full { path: named(path) },
            JournalError::Corrupt { path, detail } => {
                Self::Damaged { path: named(path), error: detail.clone() }
            }
            JournalError::NotQuarantined { path, detail } => {
                Self::Stuck { path: named(path), error: detail.clone() }
            }
            JournalError::SchemaTooNew { path, found, known } => {
                Self::TooNew { path: named(path), found: *found, known: *known }
            }
            JournalError::Io { path, detail } => Self::Other { path: named(path), error: detail.clone() },
        }
    }
}

impl JournalError {
    pub(super) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { path, detail },
            _ => Self::Io { path, detail },
        }
    }
}
