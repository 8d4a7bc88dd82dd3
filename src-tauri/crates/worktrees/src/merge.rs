//! Merges the branch of a worktree into its base.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_contract::{Blocked, WorktreeRefused};
use askdesk_git::{Git, GitError, arguments, to_path};

use crate::checked_out::{CheckedOut, in_progress};
use crate::read::{Opened, WorktreePlace, open, open_as_seen};
use crate::repository::{READ, read, text};
use crate::state::Users;

/// How long a command may take that runs the user's hooks.
pub(crate) const HOOKS: Duration = Duration::from_secs(10 * 60);
/// The version of git that can merge without a worktree.
const MERGE_TREE: &str = "2.38";

/// Merges the branch of a worktree into its base: in the folder where the base is checked out, or without one. If it can't,
/// nothing has been merged. With a message, everything that is not committed is committed first; a refusal says so.
pub fn merge(
    place: &WorktreePlace,
    users: &Users,
    seen: &str,
    message: Option<&str>,
) -> Result<(), WorktreeRefused> {
    let mut committed = false;
    let opened =
        prepared(place, users, seen, message, &mut committed, |facts, users| facts.blocks_merge(users));
    opened.and_then(|opened| merge_branch(place, &opened)).map_err(|why| why.after_commit(committed))
}

fn merge_branch(place: &WorktreePlace, opened: &Opened) -> Result<(), WorktreeRefused> {
    let Opened { git, repository, facts, .. } = opened;
    let (Some(branch), Some(base_tip)) = (&facts.branch, &facts.base_tip) else {
        return Err(WorktreeRefused::Changed);
    };
    if let Some(busy) = repository.rebased_at(&place.base) {
        return Err(WorktreeRefused::BaseBusy { folder: shown(&busy.path) });
    }
    let forward = is_ancestor(git, base_tip, &facts.tip)?;
    let tree = if forward { None } else { Some(merged_tree(git, base_tip, &facts.tip)?) };
    let title = format!("Merge branch '{branch}' into {}", place.base);
    match (repository.place_of(&place.base), tree) {
        (Some(at), tree) => {
            let result = tree.as_deref().unwrap_or(&facts.tip);
            merge_in(&git.in_folder(&at.path), (&facts.tip, &title), base_tip, result)
        }
        (None, None) => move_base(git, place, base_tip, &facts.tip),
        (None, Some(tree)) => {
            let words = ["commit-tree", &tree, "-p", base_tip, "-p", &facts.tip, "-m", &title];
            // Unlike `git commit`, this command has to be told to sign.
            let words = [&words[..], if signs(git) { &["-S"] } else { &[] }].concat();
            let merged = git.run(&arguments(&words, &[]), Vec::new(), HOOKS)?;
            move_base(git, place, base_tip, String::from_utf8_lossy(&merged).trim())
        }
    }
}

/// Reads a worktree for a merge or a rebase, after committing everything in it if the user wants that, and notes whether it
/// has.
pub(crate) fn prepared(
    place: &WorktreePlace,
    users: &Users,
    seen: &str,
    message: Option<&str>,
    committed: &mut bool,
    blocks: impl Fn(&crate::state::Facts, &Users) -> Option<Blocked>,
) -> Result<Opened, WorktreeRefused> {
    let opened = open_as_seen(place, seen)?;
    if let Some(why) = blocks(&opened.facts, users) {
        return Err(WorktreeRefused::Blocked { why });
    }
    if !opened.facts.has_changes() {
        return Ok(opened);
    }
    let message = message.filter(|message| !message.trim().is_empty()).ok_or(WorktreeRefused::Uncommitted)?;
    let nested = opened.facts.nested_repositories();
    if !nested.is_empty() {
        return Err(WorktreeRefused::NestedRepositories { folders: nested });
    }
    let git = &opened.git;
    git.run(&arguments(&["add", "--all", "--", "."], &[]), Vec::new(), HOOKS)?;
    let made = git.run(&arguments(&["commit", "--quiet", "--message", message], &[]), Vec::new(), HOOKS);
    // The command can fail, or take too long, in a hook that runs after the commit.
    *committed =
        made.is_ok() || text(git, &["rev-parse", "HEAD"]).is_ok_and(|tip| tip.trim() != opened.facts.tip);
    made?;
    let opened = open(place)?;
    if opened.facts.has_changes() {
        // A hook has changed files again, or a submodule holds what only it can commit.
        return Err(WorktreeRefused::Uncommitted);
    }
    match blocks(&opened.facts, users) {
        Some(why) => Err(WorktreeRefused::Blocked { why }),
        None => Ok(opened),
    }
}

fn is_ancestor(git: &Git, older: &str, newer: &str) -> Result<bool, GitError> {
    match read(git, &["merge-base", "--is-ancestor", older, newer]) {
        Ok(_) => Ok(true),
        Err(GitError::Failed { status, .. }) if status.code() == Some(1) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether the user signs their commits.
fn signs(git: &Git) -> bool {
    text(git, &["config", "--type=bool", "--get", "commit.gpgSign"]).is_ok_and(|value| value == "true")
}

/// Merges two commits into a tree, without touching any file.
fn merged_tree(git: &Git, base: &str, tip: &str) -> Result<String, WorktreeRefused> {
    let words = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", base, tip];
    match git.run(&arguments(&words, &[]), Vec::new(), READ) {
        Ok(output) => Ok(String::from_utf8_lossy(&output).trim_end_matches('\0').to_owned()),
        Err(GitError::Failed { status, output, .. }) if status.code() == Some(1) => {
            let files = paths(&output).into_iter().skip(1).map(|path| shown(&path)).collect();
            Err(WorktreeRefused::Conflict { files })
        }
        Err(GitError::Failed { status, .. }) if status.code() == Some(129) => {
            Err(WorktreeRefused::GitTooOld { needed: MERGE_TREE.to_owned() })
        }
        Err(error) => Err(error.into()),
    }
}

/// Merges where the base is checked out, unless files that differ there are in the way.
fn merge_in(
    git: &Git,
    (tip, title): (&str, &str),
    base_tip: &str,
    result: &str,
) -> Result<(), WorktreeRefused> {
    let folder = git.folder();
    if in_progress(folder) {
        return Err(WorktreeRefused::BaseBusy { folder: shown(folder) });
    }
    let touched =
        paths(&read(git, &["diff-tree", "-r", "-z", "--name-only", "--no-renames", base_tip, result])?);
    let files = in_the_way(git, &touched)?;
    if !files.is_empty() {
        return Err(WorktreeRefused::InTheWay { folder: shown(folder), files });
    }
    // Whatever `branch.<name>.mergeOptions` says, this ends with a commit of what was shown.
    let words =
        ["merge", "--quiet", "--no-edit", "--no-autostash", "--commit", "--no-squash", "-m", title, tip];
    let merged = git.run(&arguments(&words, &[]), Vec::new(), HOOKS);
    let Err(error) = merged else { return Ok(()) };
    let files = conflicts(git);
    if in_progress(folder) {
        git.run(&arguments(&["merge", "--abort"], &[]), Vec::new(), HOOKS)?;
    }
    if files.is_empty() { Err(error.into()) } else { Err(WorktreeRefused::Conflict { files }) }
}

/// Lists the files that git is about to write and that are not committed. Git would overwrite ignored ones without a word.
pub(crate) fn in_the_way(git: &Git, touched: &[PathBuf]) -> Result<Vec<String>, GitError> {
    let found = CheckedOut::read(git)?;
    let changed = found.changed().chain(&found.ignored).map(PathBuf::as_path).collect::<BTreeSet<_>>();
    let stands = |path: &&PathBuf| {
        path.ancestors().any(|above| changed.contains(above))
            || changed.range(path.as_path()..).next().is_some_and(|next| next.starts_with(path))
    };
    Ok(touched.iter().filter(stands).map(|path| shown(path)).collect())
}

/// Moves the base, which is checked out nowhere, unless it has moved meanwhile.
fn move_base(git: &Git, place: &WorktreePlace, from: &str, to: &str) -> Result<(), WorktreeRefused> {
    let name = format!("refs/heads/{}", place.base);
    let words = ["update-ref", "-m", "merge: by Askdesk", &name, to, from];
    git.run(&arguments(&words, &[]), Vec::new(), HOOKS)?;
    Ok(())
}

/// Lists the files with conflicts.
pub(crate) fn conflicts(git: &Git) -> Vec<String> {
    let listed = text(git, &["diff", "--name-only", "--diff-filter=U", "-z"]).unwrap_or_default();
    listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

pub(crate) fn paths(listed: &[u8]) -> Vec<PathBuf> {
    listed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(to_path).collect()
}

pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
