//! What is wrong with the storage: codes with what belongs to them. The screen chooses the words; those here are for logs and
//! exports.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// What is wrong with the storage.
///
/// An earlier version kept no path, and a whole sentence as the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trouble", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StorageError {
    /// Another program holds it.
    Busy {
        #[serde(default)]
        path: String,
    },
    /// The disk, or the database's own limit, is full.
    Full {
        /// What cannot grow.
        #[serde(default)]
        path: String,
    },
    /// A file is damaged, or no database.
    Damaged { path: String, error: String },
    /// A file is damaged and cannot be kept under another name, so that no new one can be begun.
    Stuck { path: String, error: String },
    /// A file was written by a newer version of the app.
    TooNew {
        path: String,
        found: u32,
        /// The newest format this version knows.
        known: u32,
    },
    Other {
        #[serde(default)]
        path: String,
        error: String,
    },
}

impl Display for StorageError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { path } => {
                write!(
                    f,
                    "{} is in use by another Askdesk or another program; close it and try again",
                    named(path)
                )
            }
            Self::Full { path } => {
                write!(f, "{} cannot grow: the disk is full; free some space and try again", named(path))
            }
            Self::Damaged { path, error } => write!(f, "{path} is damaged: {error}"),
            Self::Stuck { path, error } => {
                write!(f, "{path} is damaged and cannot be kept under another name: {error}")
            }
            Self::TooNew { path, found, known } => write!(
                f,
                "{path} belongs to a newer Askdesk (format {found}, this one knows {known}); install the newer one to \
                 use it"
            ),
            Self::Other { path, error } if path.is_empty() => f.write_str(error),
            Self::Other { path, error } => write!(f, "{path} cannot be used: {error}"),
        }
    }
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the history" } else { path }
}
