//! Makes a new worktree with a new branch, and takes one back that nobody has worked in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_git::{Git, GitError, arguments};

use crate::plan::{PlanWanted, plan};
use crate::refused::{WorktreeRefused, WorktreeUnavailable};
use crate::repository::{READ, Repository, Worktree, commit, installed};

/// How long git may take to write the files of a worktree.
const WRITE: Duration = Duration::from_secs(15 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorktree {
    pub base: String,
    pub branch: String,
    pub path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The folder that stands for the repository.
    pub repository: String,
    /// The folder to work in: the one in the worktree that corresponds to the given one.
    pub folder: PathBuf,
    /// What a hook wrote that failed once the files were there. The worktree was kept.
    pub failed_hook: Option<String>,
}

/// Makes a worktree of the repository that a folder belongs to. If that fails, nothing of it stays. A hook that fails
/// afterwards takes nothing away.
pub fn create(folder: &Path, new: &NewWorktree) -> Result<Created, WorktreeRefused> {
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
    let git = Git::of_user(&installed()?, folder);
    let base = format!("refs/heads/{}", new.base);
    // A branch without a commit is the head of an empty repository.
    let begin = commit(&git, &base)?.ok_or(WorktreeUnavailable::NoCommit)?;
    let failed_hook = make(&git, new, &begin)?;
    Ok(Created { repository: planned.repository, folder: folder_in(&git, &new.path), failed_hook })
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

/// The folder of the new worktree that corresponds to the one of this git.
fn folder_in(git: &Git, path: &Path) -> PathBuf {
    let prefix = Repository::find(git).map(|repository| repository.prefix).unwrap_or_default();
    // Without the slash at the end that git writes.
    let folder: PathBuf = path.join(prefix).components().collect();
    if folder.is_dir() { folder } else { path.to_owned() }
}

/// Finds a worktree that was made before.
pub fn find_created(folder: &Path, new: &NewWorktree) -> Result<Created, WorktreeRefused> {
    let git = Git::closed(&installed()?, folder);
    let found = Repository::find(&git)?;
    let worktree = found.linked(&new.path).ok_or(WorktreeRefused::Changed)?;
    if worktree.branch.as_ref() != Some(&new.branch) || !new.path.is_dir() {
        return Err(WorktreeRefused::Changed);
    }
    let repository = found.home().to_string_lossy().into_owned();
    Ok(Created { repository, folder: folder_in(&git, &new.path), failed_hook: None })
}

/// Removes a worktree that was just made, with everything in it, and its branch. Refuses if it has a commit of its own.
pub fn discard_new(repository: &Path, new: &NewWorktree) -> Result<(), WorktreeRefused> {
    let git = Git::of_user(&installed()?, repository);
    let found = Repository::find(&git)?;
    let worktree = found.linked(&new.path).ok_or(WorktreeRefused::Changed)?;
    let base = commit(&git, &format!("refs/heads/{}", new.base))?;
    discard(&git, new, worktree, &base.ok_or(WorktreeRefused::Changed)?)
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
