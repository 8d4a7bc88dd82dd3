//! Takes away a worktree, with what the user agreed to lose.

use askdesk_contract::{BranchFate, Loss, WorktreeRefused};
use askdesk_git::arguments;

use crate::create::delete_branch_at;
use crate::merge::HOOKS;
use crate::read::{Opened, WorktreePlace, open_as_seen};
use crate::state::Users;

/// Removes a worktree. What is lost with it must be named by the caller, as the user was shown it.
pub fn remove(
    place: &WorktreePlace,
    users: &Users,
    seen: &str,
    agreed: &[Loss],
    branch: BranchFate,
) -> Result<(), WorktreeRefused> {
    let Opened { git, repository, facts, .. } = open_as_seen(place, seen)?;
    if let Some(why) = facts.blocks_remove(users) {
        return Err(WorktreeRefused::Blocked { why });
    }
    let losses = facts.losses();
    let with_branch = match branch {
        BranchFate::DeletedIfMerged => facts.losses_with_branch(),
        BranchFate::Stays | BranchFate::Deleted => None,
    };
    let missing = losses.iter().copied().filter(|loss| !agreed.contains(loss)).chain(with_branch);
    let missing = missing.collect::<Vec<_>>();
    if !missing.is_empty() {
        return Err(WorktreeRefused::WouldLose { losses: missing });
    }
    // Not from inside the folder that goes.
    let git = git.in_folder(&repository.common);
    let path = [place.path.clone().into()];
    // Without `--force`, git looks once more.
    let words: &[&str] = match losses.is_empty() {
        true => &["worktree", "remove", "--"],
        false => &["worktree", "remove", "--force", "--"],
    };
    git.run(&arguments(words, &path), Vec::new(), HOOKS)?;
    if let (Some(name), false) = (&facts.branch, branch == BranchFate::Stays)
        && *name != facts.base
        && !delete_branch_at(&git, name, &facts.tip)
    {
        return Err(WorktreeRefused::BranchLeft { branch: name.clone() });
    }
    Ok(())
}
