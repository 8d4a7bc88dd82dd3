//! Git worktrees of sessions.

use askdesk_domain::{SessionId, SetupCommand};

use crate::{BranchFate, Loss, WorktreePlan};

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
