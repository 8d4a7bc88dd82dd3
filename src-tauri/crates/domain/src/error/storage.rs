//! Storage errors: codes with their data. The page chooses the words; the texts here are for logs and exports.

use serde::{Deserialize, Serialize};

/// Why the storage can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "trouble", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StorageError {
    /// Another program has locked it.
    #[error("another program, or another Askdesk, is using {path}; close it and try again")]
    Busy { path: String },
    /// The disk is full, or the database has reached its size limit.
    #[error("the disk is full, so {path} can't grow; free up space and try again")]
    Full {
        /// The file that can't grow.
        path: String,
    },
    /// A file is damaged or not a database.
    #[error("{path} is damaged: {error}")]
    Damaged { path: String, error: String },
    /// A file is damaged and can't be renamed, so no new one can be created.
    #[error("{path} is damaged and couldn't be renamed: {error}")]
    Stuck { path: String, error: String },
    /// A file was written by a newer version of the app.
    #[error(
        "{path} comes from a newer version of Askdesk (format {found}; this version supports up to {known}); install that \
         version to use it"
    )]
    TooNew {
        path: String,
        found: u32,
        /// The newest format this version knows.
        known: u32,
    },
    #[error("can't use {path}: {error}")]
    Other { path: String, error: String },
}
