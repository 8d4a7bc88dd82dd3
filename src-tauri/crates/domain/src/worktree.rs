//! The git worktree that was made for a session.

use serde::{Deserialize, Serialize};

/// A worktree of a repository, with the branch that was made for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Worktree {
    /// The folder that stands for the repository: its main worktree, or the bare repository.
    pub repository: String,
    /// The top of the worktree; the session's folder is this one, or below it.
    pub path: String,
    pub branch: String,
    /// The branch that it began at, and is merged into.
    pub base: String,
}
