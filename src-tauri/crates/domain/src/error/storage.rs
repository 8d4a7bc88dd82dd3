//! Storage errors: codes with their data. The page chooses the words; the texts here are for logs and exports.

use serde::{Deserialize, Serialize};

/// Why the storage can't be used.
///
/// An earlier version stored no path, and a whole sentence as the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "trouble", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StorageError {
    /// Another program has locked it.
    #[error("another program, or another Askdesk, is using {}; close it and try again", named(.path))]
    Busy {
        #[serde(default)]
        path: String,
    },
    /// The disk is full, or the database has reached its size limit.
    #[error("the disk is full, so {} can't grow; free up space and try again", named(.path))]
    Full {
        /// The file that can't grow.
        #[serde(default)]
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
    #[error("{}{error}", cannot_use(.path))]
    Other {
        #[serde(default)]
        path: String,
        error: String,
    },
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the database" } else { path }
}

fn cannot_use(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("can't use {path}: ") }
}
