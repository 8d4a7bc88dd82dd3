//! What a failure of git means for the changes of a session and for a worktree.

use askdesk_contract::{Unavailable, WorktreeRefused, WorktreeUnavailable};

use crate::GitError;

impl From<GitError> for Unavailable {
    fn from(error: GitError) -> Self {
        match error {
            GitError::TimedOut { seconds, .. } => {
                Self::TimedOut { seconds: u32::try_from(seconds).unwrap_or(u32::MAX) }
            }
            GitError::NotStarted(why) if why.kind() == std::io::ErrorKind::NotFound => Self::FolderGone,
            error => Self::Failed { error: error.to_string() },
        }
    }
}

impl From<GitError> for WorktreeUnavailable {
    fn from(error: GitError) -> Self {
        if let Some(path) = error.repository_of_other() {
            return Self::OfOtherUser { path: path.to_string_lossy().into_owned() };
        }
        match error {
            GitError::TimedOut { seconds, .. } => {
                Self::TimedOut { seconds: u32::try_from(seconds).unwrap_or(u32::MAX) }
            }
            GitError::NotStarted(why) if why.kind() == std::io::ErrorKind::NotFound => Self::FolderGone,
            GitError::Failed { ref errors, .. } if !errors.is_empty() => {
                Self::Failed { error: errors.clone() }
            }
            error => Self::Failed { error: error.to_string() },
        }
    }
}

impl From<GitError> for WorktreeRefused {
    fn from(error: GitError) -> Self {
        match WorktreeUnavailable::from(error) {
            WorktreeUnavailable::Failed { error } => Self::Failed { error },
            why => Self::Unavailable { why },
        }
    }
}
