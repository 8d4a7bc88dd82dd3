//! What the window is shown of a connection.

use askdesk_contract::{ClientBreak, ClientNote, ClientWay, FileTrouble};

use crate::{ConnectionProblem, ConnectionState, FileErrorKind, Note};

impl From<ConnectionState> for ClientWay {
    fn from(state: ConnectionState) -> Self {
        match state {
            ConnectionState::Works { but } => Self::Works { but },
            ConnectionState::Broken(why) => Self::Broken { why: why.into() },
            ConnectionState::NotConnected => Self::NotConnected,
        }
    }
}

impl From<ConnectionProblem> for ClientBreak {
    fn from(problem: ConnectionProblem) -> Self {
        match problem {
            ConnectionProblem::Stale(file) => Self::Stale { file: file.display().to_string() },
            ConnectionProblem::Disabled(file) => Self::Off { file: file.display().to_string() },
            ConnectionProblem::Foreign(file) => Self::Foreign { file: file.display().to_string() },
            ConnectionProblem::Unusable { file, kind } => {
                Self::Unusable { file: file.display().to_string(), trouble: kind.into() }
            }
            ConnectionProblem::Incomplete(file) => Self::Half { file: file.display().to_string() },
            ConnectionProblem::Obstacle(by) => Self::Forbidden { by },
        }
    }
}

impl Note {
    /// Returns it as the window shows it; none for notes about project files, which the window doesn't show.
    pub fn shown(&self) -> Option<ClientNote> {
        match self {
            Self::OpenToOthers(file) => Some(ClientNote::OpenToOthers { file: file.display().to_string() }),
            Self::ChangedSince { file, backup } => Some(ClientNote::ChangedSince {
                file: file.display().to_string(),
                copy: backup.display().to_string(),
            }),
            Self::ByHand(file) => Some(ClientNote::ByHand { file: file.display().to_string() }),
            Self::OldCopy(copy) => Some(ClientNote::OldCopy { copy: copy.display().to_string() }),
            Self::NoBackground(client) => Some(ClientNote::NoBackground { client: *client }),
            Self::TokenInProject(_) | Self::NoProject(_) | Self::NeedsTrust(_) => None,
        }
    }
}

impl From<FileErrorKind> for FileTrouble {
    fn from(kind: FileErrorKind) -> Self {
        match kind {
            FileErrorKind::Syntax { format, error } => Self::Unparsed { kind: format.to_owned(), error },
            FileErrorKind::NotAnObject => Self::NoObject,
            FileErrorKind::WrongType { path, .. } => Self::NoPlace { path },
            FileErrorKind::Duplicate { path } => Self::Twice { path },
            FileErrorKind::NotUtf8 => Self::NoText,
            FileErrorKind::TooLarge { .. } => Self::TooLarge,
            FileErrorKind::ReadOnly => Self::ReadOnly,
            FileErrorKind::NotAFile => Self::NoFile,
            FileErrorKind::OutsideRoot { to, within } => {
                Self::Outside { to: to.display().to_string(), within: within.display().to_string() }
            }
            FileErrorKind::BrokenLink => Self::DeadLink,
            FileErrorKind::Unsafe => Self::Unsafe,
            FileErrorKind::Changed => Self::Changed,
            FileErrorKind::Io { error } => Self::System { error },
        }
    }
}
