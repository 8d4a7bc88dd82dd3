//! Git worktrees of sessions: what they hold, what can be done with them, and why not; the window chooses the words.

use askdesk_domain::{SessionId, SetupCommand};
use serde::{Deserialize, Serialize};

wire! {
    /// Plans a new worktree for a session in a folder. What is left out is suggested.
    struct PlanWorktree {
        folder: String,
        /// The first message of the session, from which the branch is suggested.
        message: String,
        #[serde(default)]
        base: Option<String>,
        #[serde(default)]
        branch: Option<String>,
        #[serde(default)]
        path: Option<String>,
    }

    struct PlannedWorktree {
        plan: WorktreePlan,
        /// As it was used last; empty if there is none.
        setup: SetupCommand,
    }

    /// The worktree that a session starts in.
    struct StartWorktree {
        base: String,
        branch: String,
        path: String,
        /// Runs in the new worktree before the agent starts, and is kept for the next one.
        setup: SetupCommand,
        /// Whether an earlier start may have made it; then it is used as it is.
        #[serde(default)]
        made: bool,
    }

    /// Reads what the worktree of a session holds.
    struct ReadWorktree {
        session: SessionId,
    }
}

commands! {
    /// Merges the branch of a session's worktree into its base.
    struct MergeWorktree {
        session: SessionId,
        /// The state that was shown.
        seen: String,
        /// Commits everything first, with this message.
        #[serde(default)]
        message: Option<String>,
    }

    /// Rebases the branch of a session's worktree onto its base.
    struct RebaseWorktree {
        session: SessionId,
        /// The state that was shown.
        seen: String,
        /// Commits everything first, with this message.
        #[serde(default)]
        message: Option<String>,
    }

    /// Removes the worktree of a session. The session stays.
    struct RemoveWorktree {
        session: SessionId,
        /// The state that was shown.
        seen: String,
        /// What the user agreed to lose.
        losses: Vec<Loss>,
        branch: BranchFate,
    }
}

/// What is checked out in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "head", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Head {
    Branch {
        name: String,
    },
    /// A commit without a branch.
    Detached {
        /// The beginning of its id.
        commit: String,
    },
}

/// A new worktree as it would be made, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WorktreePlan {
    /// The folder that stands for the repository: its main worktree, or the bare repository.
    pub repository: String,
    /// What is checked out in the folder.
    pub head: Head,
    /// The branch that the new one begins at.
    pub base: String,
    pub branch: String,
    pub path: String,
    /// The local branches, the one with the newest commit first.
    pub branches: Vec<String>,
    /// How many more branches there are.
    pub unlisted: u32,
    /// Whether the repository has submodules, which are empty in a new worktree.
    pub submodules: bool,
    /// What is wrong, at most one thing a field.
    pub flaws: Vec<PlanFlaw>,
}

/// The worktree of a session, as it is shown before something is done with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WorktreeState {
    /// Stands for all of this. Whoever wants to change something returns it, and is refused if it has changed.
    pub seen: String,
    pub path: String,
    /// What is checked out; none if the folder is gone.
    pub head: Option<Head>,
    pub base: String,
    /// The folder in which the base is checked out.
    pub base_folder: Option<String>,
    /// Changes of files that git knows.
    pub uncommitted: Listed,
    pub untracked: Listed,
    /// Ignored files and folders.
    pub ignored: Listed,
    /// Submodules that have been cloned into the worktree.
    pub submodules: Listed,
    /// Commits that are not in the base; of a detached head, those that are in no branch.
    pub commits: Listed,
    /// How many commits of the base are not in the branch.
    pub behind: u32,
    /// What stops each action; none if it is possible.
    pub merge: Option<Blocked>,
    pub rebase: Option<Blocked>,
    pub remove: Option<Blocked>,
    /// What is lost with the folder.
    pub losses: Vec<Loss>,
}

/// How many things there are, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Listed {
    pub count: u32,
    pub first: Vec<String>,
}

impl Listed {
    pub const NAMED: usize = 200;

    pub fn of(all: &[String]) -> Self {
        let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
        Self { count, first: all.iter().take(Self::NAMED).cloned().collect() }
    }

    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// What would be lost with the folder of a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Loss {
    Uncommitted,
    Untracked,
    /// Cloned submodules, with commits and branches that may be nowhere else.
    Submodules,
    /// Commits of a detached head that are in no branch.
    DetachedCommits,
    /// A merge, rebase, or the like that is not finished.
    InProgress,
    /// Commits that are not in the base, if the branch is deleted as well.
    UnmergedCommits,
}

/// Why an action is not possible now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "blocked", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Blocked {
    #[error("the worktree's folder is gone")]
    FolderGone,
    /// Git does not know the folder as a worktree of its own.
    #[error("the folder is no longer a worktree of the repository")]
    NotAWorktree,
    #[error("no branch is checked out")]
    Detached,
    #[error("the branch {base} is gone")]
    BaseGone { base: String },
    #[error("the base branch itself is checked out")]
    IsBase,
    #[error("everything is merged already")]
    NothingToMerge,
    #[error("the branch has every commit of its base")]
    UpToDate,
    /// A rebase leaves out merge commits, with the changes that were made in them.
    #[error("the branch has merge commits, which a rebase would leave out")]
    MergeCommits,
    #[error("git is in the middle of something")]
    InProgress,
    #[error("the worktree is locked")]
    Locked {
        /// Why, in the words of whoever locked it; may be empty.
        reason: String,
    },
    /// An agent is in its turn, in this session or another one in the folder.
    #[error("an agent is working in the folder")]
    Working,
    /// The agent of the session runs in the folder.
    #[error("the session's agent is running")]
    AgentRuns,
    #[error("another session uses the folder")]
    InUse { sessions: Vec<String> },
}

/// What happens to the branch of a worktree that is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum BranchFate {
    #[default]
    Stays,
    /// It is deleted if every commit of it is in the base.
    DeletedIfMerged,
    /// It is deleted, with the commits that are shown.
    Deleted,
}

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
    pub const fn is_of_branch(&self) -> bool {
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
    pub fn after_commit(self, committed: bool) -> Self {
        if committed { Self::AfterCommit { why: Box::new(self) } } else { self }
    }
}

impl From<WorktreeUnavailable> for WorktreeRefused {
    fn from(why: WorktreeUnavailable) -> Self {
        Self::Unavailable { why }
    }
}
