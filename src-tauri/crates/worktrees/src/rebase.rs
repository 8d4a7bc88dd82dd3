//! Rebases the branch of a worktree onto its base.

use askdesk_git::arguments;

use crate::checked_out::in_progress;
use crate::merge::{HOOKS, conflicts, prepared};
use crate::read::Place;
use crate::refused::WorktreeRefused;
use crate::state::Users;

/// Rebases the branch of a worktree onto its base. If it can't, the branch is as it was. With a message, everything that is
/// not committed is committed first.
pub fn rebase(
    place: &Place,
    users: &Users,
    seen: &str,
    message: Option<&str>,
) -> Result<(), WorktreeRefused> {
    let opened = prepared(place, users, seen, message, |facts, users| facts.blocks_rebase(users))?;
    let git = &opened.git;
    let base = format!("refs/heads/{}", place.base);
    // Other branches stay where they are, whatever the user's config says about their own rebases.
    let words = ["-c", "rebase.updateRefs=false", "rebase", "--quiet", "--no-autostash", &base];
    let Err(error) = git.run(&arguments(&words, &[]), Vec::new(), HOOKS) else { return Ok(()) };
    let files = conflicts(git);
    if in_progress(git.folder()) {
        git.run(&arguments(&["rebase", "--abort"], &[]), Vec::new(), HOOKS)?;
    }
    if files.is_empty() { Err(error.into()) } else { Err(WorktreeRefused::Conflict { files }) }
}
