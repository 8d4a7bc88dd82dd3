//! Rebases the branch of a worktree onto its base.

use std::path::PathBuf;

use askdesk_contract::WorktreeRefused;
use askdesk_git::{Git, GitError, arguments};

use crate::checked_out::in_progress;
use crate::merge::{HOOKS, conflicts, in_the_way, paths, prepared, shown};
use crate::read::{Opened, WorktreePlace};
use crate::repository::{READ, read};
use crate::state::Users;

/// Rebases the branch of a worktree onto its base. If it can't, it has not been rebased. With a message, everything that
/// is not committed is committed first; a refusal says so.
pub fn rebase(
    place: &WorktreePlace,
    users: &Users,
    seen: &str,
    message: Option<&str>,
) -> Result<(), WorktreeRefused> {
    let mut committed = false;
    let opened =
        prepared(place, users, seen, message, &mut committed, |facts, users| facts.blocks_rebase(users));
    opened.and_then(|opened| rebase_branch(&opened)).map_err(|why| why.after_commit(committed))
}

fn rebase_branch(opened: &Opened) -> Result<(), WorktreeRefused> {
    let git = &opened.git;
    let Some(base) = &opened.facts.base_tip else { return Err(WorktreeRefused::Changed) };
    let files = in_the_way(git, &touched(git, base, &opened.facts.tip)?)?;
    if !files.is_empty() {
        return Err(WorktreeRefused::InTheWay { folder: shown(git.folder()), files });
    }
    // Other branches stay where they are, whatever the user's config says about their own rebases.
    let words = ["-c", "rebase.updateRefs=false", "rebase", "--quiet", "--no-autostash", base];
    let Err(error) = git.run(&arguments(&words, &[]), Vec::new(), HOOKS) else { return Ok(()) };
    let files = conflicts(git);
    if in_progress(git.folder()) {
        git.run(&arguments(&["rebase", "--abort"], &[]), Vec::new(), HOOKS)?;
    }
    if files.is_empty() { Err(error.into()) } else { Err(WorktreeRefused::Conflict { files }) }
}

/// Lists the files that a rebase writes: those that differ from the base, and those of each commit that is made again. One
/// commit may add a file that a later one deletes.
fn touched(git: &Git, base: &str, tip: &str) -> Result<Vec<PathBuf>, GitError> {
    let words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
    let commits = read(git, &["rev-list", tip, &format!("^{base}")])?;
    let of_each = [&words[..], &["--stdin", "--no-commit-id"]].concat();
    let of_each = git.run(&arguments(&of_each, &[]), commits, READ)?;
    let between = read(git, &[&words[..], &[tip, base]].concat())?;
    let mut touched = paths(&[between, of_each].concat());
    touched.sort_unstable();
    touched.dedup();
    Ok(touched)
}
