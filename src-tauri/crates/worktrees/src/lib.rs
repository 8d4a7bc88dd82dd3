//! Git worktrees of sessions: planning and making one, what it holds, and merging, rebasing, or removing it.
//!
//! Nothing that is not committed, and no commit that is not merged, goes away unless the caller says so in the same call.
//! Each call that changes something first compares what is there with what the user was shown.

mod checked_out;
mod create;
mod head;
mod merge;
mod name;
mod plan;
mod read;
mod rebase;
mod refused;
mod remove;
mod repository;
mod state;

pub use create::{NewWorktree, Workplace, check, create, find_created};
pub use head::{Head, head};
pub use merge::merge;
pub use name::{BRANCH_BYTES, branch_of_message};
pub use plan::{PATH_BYTES, PlanWanted, WorktreePlan, plan};
pub use read::{Place, read};
pub use rebase::rebase;
pub use refused::{PlanFlaw, WorktreeRefused, WorktreeUnavailable};
pub use remove::{BranchFate, remove};
pub use state::{AgentUse, Blocked, Listed, Loss, Users, WorktreeState};
