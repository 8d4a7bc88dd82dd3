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
mod remove;
mod repository;
mod state;

pub use create::{NewWorktree, Workplace, check, create, find_created};
pub use head::head;
pub use merge::merge;
pub use name::{BRANCH_BYTES, branch_of_message};
pub use plan::{PATH_BYTES, PlanWanted, plan};
pub use read::{WorktreePlace, read};
pub use rebase::rebase;
pub use remove::remove;
pub use state::{AgentUse, Users};
