//! Why a client's file is left exactly as it is.

use std::path::PathBuf;

/// Why a file is not touched; nothing of it is changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", file.display())]
pub struct Refusal {
    pub file: PathBuf,
    pub why: Why,
}

/// What stands against changing a file. No words of the file are repeated: it may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It is not written as its kind is.
    #[error("it cannot be read as {kind}: {error}")]
    Unparsed { kind: &'static str, error: String },
    /// It holds something else than an object with names.
    #[error("it holds no object, so there is no place for an entry")]
    NoObject,
    /// Something else stands where the entry's place is.
    #[error("{path} is {is}, not {wanted}")]
    NoPlace {
        /// Where, with dots between.
        path: String,
        is: &'static str,
        wanted: &'static str,
    },
    /// A name that is needed stands there twice, so that nobody can say which one counts.
    #[error("{path} stands there more than once")]
    Twice {
        /// Where, with dots between.
        path: String,
    },
    /// It is no text in UTF-8.
    #[error("it is no text in UTF-8")]
    NoText,
    /// It is larger than any such file should be.
    #[error("it has {bytes} bytes; at most {most} are read")]
    TooLarge {
        /// How many bytes it has.
        bytes: u64,
        most: u64,
    },
    /// It may only be read.
    #[error("it is read-only")]
    ReadOnly,
    /// Something else than a file has its name.
    #[error("it is no ordinary file")]
    NoFile,
    /// A link leads out of the folder it belongs to.
    #[error("it leads to {}, which is outside of {}", to.display(), within.display())]
    Outside {
        to: PathBuf,
        /// Where it should stay.
        within: PathBuf,
    },
    /// A link leads nowhere.
    #[error("it is a link that leads nowhere")]
    DeadLink,
    /// The change would have touched something else; only a fault of a library or of this program leads here.
    #[error("the change would have touched more than the entry of Askdesk, so it was not made")]
    Unsafe,
    /// Somebody else wrote it in the meantime.
    #[error("it was changed by somebody else in the meantime; try again")]
    Changed,
    #[error("{error}")]
    System { error: String },
}

impl Why {
    /// Names a file that it is about.
    pub fn of(self, file: impl Into<PathBuf>) -> Refusal {
        Refusal { file: file.into(), why: self }
    }
}

impl From<std::io::Error> for Why {
    fn from(error: std::io::Error) -> Self {
        Self::System { error: error.to_string() }
    }
}
