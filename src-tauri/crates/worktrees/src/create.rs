//! Makes a new worktree with a new branch, and takes one back that could not be finished.

use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_contract::{WorktreeRefused, WorktreeUnavailable};
use askdesk_git::{Git, GitError, arguments};

use crate::plan::{PlanWanted, plan};
use crate::repository::{READ, Repository, Worktree, commit, installed};

/// How long git may take to write the files of a worktree.
const WRITE: Duration = Duration::from_secs(15 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorktree {
    pub base: String,
    pub branch: String,
    pub path: PathBuf,
}

/// Where a session in a worktree works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workplace {
    /// The folder that stands for the repository.
    pub repository: String,
    /// The folder in the worktree that corresponds to the one that the worktree is made from.
    pub folder: PathBuf,
}

/// Says where a session will work in a worktree that can be made of the repository that a folder belongs to.
pub fn check(folder: &Path, new: &NewWorktree) -> Result<Workplace, WorktreeRefused> {
    let wanted = PlanWanted {
        base: Some(new.base.clone()),
        branch: Some(new.branch.clone()),
        path: Some(new.path.clone()),
        ..PlanWanted::default()
    };
    let planned = plan(folder, &wanted)?;
    if let Some(flaw) = planned.flaws.into_iter().next() {
        return Err(WorktreeRefused::Flawed { flaw });
    }
    let git = Git::closed(&installed()?, folder);
    let begin = begin_of(&git, new)?;
    let prefix = Repository::find(&git)?.prefix;
    let below = format!("{begin}:{}", prefix.to_string_lossy());
    let is_there = git.run(&arguments(&["cat-file", "-e", &below], &[]), Vec::new(), READ).is_ok();
    let folder = if is_there { below_top(&new.path, &prefix) } else { new.path.clone() };
    Ok(Workplace { repository: planned.repository, folder })
}

/// Makes a checked worktree. If that fails, nothing of it stays. A hook that fails afterwards takes nothing away; what it
/// wrote is returned.
pub fn create(folder: &Path, new: &NewWorktree) -> Result<Option<String>, WorktreeRefused> {
    let git = Git::of_user(&installed()?, folder);
    let begin = begin_of(&git, new)?;
    make(&git, new, &begin)
}

fn begin_of(git: &Git, new: &NewWorktree) -> Result<String, WorktreeRefused> {
    // A branch without a commit is the head of an empty repository.
    Ok(commit(git, &format!("refs/heads/{}", new.base))?.ok_or(WorktreeUnavailable::NoCommit)?)
}

/// Makes the branch, and then its worktree. Returns what a hook wrote that failed.
fn make(git: &Git, new: &NewWorktree, begin: &str) -> Result<Option<String>, WorktreeRefused> {
    // By itself, so that a branch which somebody else has made meanwhile is not taken for this one.
    git.run(&arguments(&["branch", "--no-track", "--", &new.branch, begin], &[]), Vec::new(), READ)?;
    let words = ["worktree", "add", "--quiet", "--"];
    let made =
        git.run(&arguments(&words, &[new.path.clone().into(), (&new.branch).into()]), Vec::new(), WRITE);
    let Err(error) = made else { return Ok(None) };
    // Git takes the folder back itself, unless it was killed or all that failed was a hook.
    let Ok(found) = Repository::find(git) else { return Err(error.into()) };
    let stays = found.linked(&new.path).cloned();
    match stays.filter(|worktree| worktree.branch.as_ref() == Some(&new.branch)) {
        // Git locks a worktree until all its files are there; only then does the hook run.
        Some(worktree) if worktree.locked.is_none() => return Ok(Some(words_of(error))),
        Some(worktree) => {
            if let Err(error) = discard(git, new, &worktree, begin) {
                tracing::warn!(%error, "a new worktree was left");
            }
        }
        None => {
            delete_branch_at(git, &new.branch, begin);
        }
    }
    Err(error.into())
}

/// What a hook wrote, or that it took too long.
fn words_of(error: GitError) -> String {
    match error {
        GitError::Failed { status, errors, .. } if errors.is_empty() => status.to_string(),
        GitError::Failed { errors, .. } => errors,
        error => error.to_string(),
    }
}

/// Without the slash at the end that git writes.
fn below_top(top: &Path, prefix: &Path) -> PathBuf {
    top.join(prefix).components().collect()
}

/// Finds a worktree that was made before.
pub fn find_created(folder: &Path, new: &NewWorktree) -> Result<Workplace, WorktreeRefused> {
    let git = Git::closed(&installed()?, folder);
    let found = Repository::find(&git)?;
    let worktree = found.linked(&new.path).ok_or(WorktreeRefused::Changed)?;
    if worktree.branch.as_ref() != Some(&new.branch) || !new.path.is_dir() {
        return Err(WorktreeRefused::Changed);
    }
    let repository = found.home().to_string_lossy().into_owned();
    let below = below_top(&new.path, &found.prefix);
    Ok(Workplace { repository, folder: if below.is_dir() { below } else { new.path.clone() } })
}

/// Removes a worktree and its branch if it is the new one, and has no other commit than the one it began with.
fn discard(git: &Git, new: &NewWorktree, worktree: &Worktree, begin: &str) -> Result<(), WorktreeRefused> {
    if worktree.branch.as_ref() != Some(&new.branch) || worktree.commit != begin {
        return Err(WorktreeRefused::Changed);
    }
    let words = ["worktree", "remove", "--force", "--"];
    git.run(&arguments(&words, &[new.path.clone().into()]), Vec::new(), WRITE)?;
    delete_branch_at(git, &new.branch, begin);
    Ok(())
}

/// Deletes a branch if it is at this commit.
pub(crate) fn delete_branch_at(git: &Git, branch: &str, at: &str) -> bool {
    let name = format!("refs/heads/{branch}");
    let words = ["update-ref", "-d", &name, at];
    let deleted = git.run(&arguments(&words, &[]), Vec::new(), READ);
    if let Err(error) = &deleted {
        tracing::info!(%error, "a branch was left");
    }
    deleted.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_that_somebody_else_has_made_meanwhile_stays() {
        let root = tempfile::tempdir().unwrap();
        let git = Git::closed(&installed().unwrap(), root.path());
        let run = |words: &[&str]| git.run(&arguments(words, &[]), Vec::new(), READ).unwrap();
        run(&["init", "-q", "-b", "main"]);
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        run(&[&who[..], &["commit", "-q", "--allow-empty", "-m", "first"]].concat());
        run(&["branch", "x"]);
        let begin = commit(&git, "main").unwrap().unwrap();
        let path = root.path().join("tree");
        let new = NewWorktree { base: "main".to_owned(), branch: "x".to_owned(), path };
        let refused = make(&git, &new, &begin);
        assert!(matches!(refused, Err(WorktreeRefused::Failed { .. })), "{refused:?}");
        assert_eq!(commit(&git, "refs/heads/x").unwrap(), Some(begin));
        assert!(!new.path.exists());
    }
}
