//! Why something can't be done with a worktree; the window chooses the words.

use askdesk_git::GitError;
use serde::{Deserialize, Serialize};

use crate::state::{Blocked, Loss};

/// Why a folder can have no new worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "unavailable", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum WorktreeUnavailable {
    #[error("git isn't installed")]
    NoGit,
    #[error("the folder doesn't exist")]
    FolderGone,
    #[error("the folder has no repository")]
    NoRepository,
    /// Git refuses it, and the user's `safe.directory` doesn't name it.
    #[error("the repository {path} belongs to another user")]
    OfOtherUser { path: String },
    #[error("the repository has no commit")]
    NoCommit,
    #[error("git took longer than {seconds} seconds")]
    TimedOut { seconds: u32 },
    #[error("{error}")]
    Failed { error: String },
}

/// What is wrong with a planned worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "flaw", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PlanFlaw {
    #[error("there is no branch {base}")]
    BaseGone { base: String },
    #[error("not a valid branch name")]
    BranchInvalid,
    #[error("the branch name is too long (the limit is {most} bytes)")]
    BranchTooLong { most: usize },
    #[error("the branch {with} is in the way")]
    BranchTaken { with: String },
    #[error("the path must be absolute")]
    PathRelative,
    #[error("the path has characters that can't be used")]
    PathInvalid,
    #[error("the path is too long (the limit is {most} bytes)")]
    PathTooLong { most: usize },
    #[error("the folder exists already")]
    PathTaken,
    /// The path is inside a git directory.
    #[error("the path is inside a git directory")]
    PathInGitDir,
}

impl PlanFlaw {
    pub(crate) const fn is_of_branch(&self) -> bool {
        matches!(self, Self::BranchInvalid | Self::BranchTooLong { .. } | Self::BranchTaken { .. })
    }
}

/// Why a worktree was left as it was, or what was done of it and what was not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refused", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum WorktreeRefused {
    #[error("{why}")]
    Unavailable { why: WorktreeUnavailable },
    /// The new worktree can't be made as planned.
    #[error("{flaw}")]
    Flawed { flaw: PlanFlaw },
    #[error("{why}")]
    Blocked { why: Blocked },
    /// The worktree is not as it was shown.
    #[error("the worktree has changed since it was shown")]
    Changed,
    /// Something would be lost, and the user did not choose that.
    #[error("something would be lost that the user did not choose to lose")]
    WouldLose { losses: Vec<Loss> },
    /// There are changes to commit first.
    #[error("the worktree has changes that are not committed")]
    Uncommitted,
    /// Git would commit no more than the ids of their commits.
    #[error("the worktree contains other repositories: {}", folders.join(", "))]
    NestedRepositories { folders: Vec<String> },
    #[error("the same lines have changed on both branches")]
    Conflict { files: Vec<String> },
    /// The folder has changes, or ignored files, that git would overwrite.
    #[error("{folder} has files that would be overwritten")]
    InTheWay { folder: String, files: Vec<String> },
    /// The folder of the base branch is in the middle of a merge, rebase, or the like.
    #[error("git is in the middle of something in {folder}")]
    BaseBusy { folder: String },
    #[error("this needs git {needed} or newer")]
    GitTooOld { needed: String },
    /// Git or a hook refused.
    #[error("{error}")]
    Failed { error: String },
    /// The worktree was removed, but its branch, which was to be deleted, is still there.
    #[error("the worktree was removed, and its branch {branch} was left")]
    BranchLeft { branch: String },
    /// The changes were committed first, as the user wanted; only what was to follow was refused.
    #[error("the changes were committed, but then: {why}")]
    AfterCommit { why: Box<WorktreeRefused> },
}

impl WorktreeRefused {
    pub(crate) fn after_commit(self, committed: bool) -> Self {
        if committed { Self::AfterCommit { why: Box::new(self) } } else { self }
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

impl From<WorktreeUnavailable> for WorktreeRefused {
    fn from(why: WorktreeUnavailable) -> Self {
        Self::Unavailable { why }
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
