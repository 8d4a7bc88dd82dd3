//! Why a client's file is left as it is.

use std::path::PathBuf;

/// A file that can't be edited. Nothing in it is changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {kind}", file.display())]
pub struct FileError {
    pub file: PathBuf,
    pub kind: FileErrorKind,
}

/// The reason a file can't be edited. Messages don't quote the file, because it may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileErrorKind {
    #[error("it isn't valid {format}: {error}")]
    Syntax {
        /// JSON or TOML.
        format: &'static str,
        error: String,
    },
    #[error("it doesn't contain an object to add the entry to")]
    NotAnObject,
    #[error("{path} is {is}, not {wanted}")]
    WrongType {
        /// The path of the value, separated by dots.
        path: String,
        is: &'static str,
        wanted: &'static str,
    },
    /// A key on the way to our entry occurs twice, so it's unclear which one counts.
    #[error("{path} appears more than once")]
    Duplicate {
        /// The path of the key, separated by dots.
        path: String,
    },
    #[error("it isn't UTF-8 text")]
    NotUtf8,
    #[error("it's too large ({bytes} bytes; the limit is {most})")]
    TooLarge { bytes: u64, most: u64 },
    #[error("it's read-only")]
    ReadOnly,
    #[error("it isn't a regular file")]
    NotAFile,
    #[error("it links to {}, outside {}", to.display(), within.display())]
    OutsideRoot { to: PathBuf, within: PathBuf },
    #[error("it's a broken link")]
    BrokenLink,
    /// The edit would change something besides our entry, or can't restore an entry that contains `inf` or `nan`. Anything
    /// else that causes this is a bug in a library or in this crate.
    #[error("Askdesk can't edit it without changing or losing something else; edit it by hand")]
    Unsafe,
    #[error("it has been changed in the meantime; try again")]
    Changed,
    #[error("{error}")]
    Io { error: String },
}

impl FileErrorKind {
    /// Names the file that has the error.
    pub fn of(self, file: impl Into<PathBuf>) -> FileError {
        FileError { file: file.into(), kind: self }
    }
}

impl From<std::io::Error> for FileErrorKind {
    fn from(error: std::io::Error) -> Self {
        Self::Io { error: error.to_string() }
    }
}
