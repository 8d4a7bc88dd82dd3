//! Storage errors: codes with their data. The page chooses the words; the texts here are for logs and
//! exports.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// Why the storage can't be used.
///
/// An earlier version stored no path, and a whole sentence as the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trouble", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StorageError {
    /// Another program has locked it.
    Busy {
        #[serde(default)]
        path: String,
    },
    /// The disk is full, or the database has reached its size limit.
    Full {
        /// The file that can't grow.
        #[serde(default)]
        path: String,
    },
    /// A file is damaged or not a database.
    Damaged { path: String, error: String },
    /// A file is damaged and can't be renamed, so no new one can be created.
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
