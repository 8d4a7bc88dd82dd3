//! What a worktree holds, read from git and from its files.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use askdesk_contract::{Head, Listed, WorktreeRefused, WorktreeState, WorktreeUnavailable};
use askdesk_git::Git;

use crate::checked_out::{CheckedOut, in_progress, in_progress_at, kept_submodules, submodules};
use crate::head::detached;
use crate::repository::{Repository, commit, count, installed, text};
use crate::state::{Facts, Users};

/// Where a session's worktree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreePlace {
    /// The folder that stands for the repository.
    pub repository: PathBuf,
    /// The top of the worktree.
    pub path: PathBuf,
    pub base: String,
}

/// A worktree, read for an action.
pub(crate) struct Opened {
    /// A git in the worktree, or in the repository if the folder is gone.
    pub(crate) git: Git,
    pub(crate) repository: Repository,
    pub(crate) facts: Facts,
    pub(crate) seen: String,
}

/// Reads what a worktree holds, and what can be done with it.
pub fn read(place: &WorktreePlace, users: &Users) -> Result<WorktreeState, WorktreeUnavailable> {
    let Opened { repository, facts, seen, .. } = open(place)?;
    let base_place = repository.place_of(&place.base);
    let head = match &facts.branch {
        _ if facts.folder_gone => None,
        Some(name) => Some(Head::Branch { name: name.clone() }),
        None => Some(detached(&facts.tip)),
    };
    Ok(WorktreeState {
        seen,
        path: place.path.to_string_lossy().into_owned(),
        head,
        base: place.base.clone(),
        base_folder: base_place.map(|place| place.path.to_string_lossy().into_owned()),
        uncommitted: Listed::of(&[&facts.uncommitted[..], &facts.hidden[..]].concat()),
        untracked: Listed::of(&facts.untracked),
        ignored: Listed::of(&facts.ignored),
        submodules: Listed::of(&facts.submodules),
        behind: facts.behind,
        merge: facts.blocks_merge(users),
        rebase: facts.blocks_rebase(users),
        remove: facts.blocks_remove(users),
        losses: facts.losses(),
        commits: facts.commits,
    })
}

/// Reads a worktree again, right before something is done with it, and refuses one that is not as it was shown.
pub(crate) fn open_as_seen(place: &WorktreePlace, seen: &str) -> Result<Opened, WorktreeRefused> {
    let opened = open(place)?;
    if opened.seen == seen { Ok(opened) } else { Err(WorktreeRefused::Changed) }
}

pub(crate) fn open(place: &WorktreePlace) -> Result<Opened, WorktreeUnavailable> {
    let program = installed()?;
    let folder_gone = is_gone(&place.path)?;
    let git = Git::of_user(&program, if folder_gone { &place.repository } else { &place.path });
    let repository = match Repository::find(&git) {
        // What is left of the folder belongs to no repository.
        Err(_) if !folder_gone => Repository::find(&git.in_folder(&place.repository))?,
        found => found?,
    };
    let mut facts = Facts { folder_gone, base: place.base.clone(), ..Facts::default() };
    let mut stamp = 0;
    if let Some(worktree) = repository.linked(&place.path).filter(|worktree| !worktree.bare) {
        facts.is_worktree = folder_gone || place.path.join(".git").exists();
        facts.locked.clone_from(&worktree.locked);
        facts.branch.clone_from(&worktree.branch);
        facts.tip.clone_from(&worktree.commit);
        if facts.is_worktree {
            facts.base_tip = commit(&git, &format!("refs/heads/{}", place.base))?;
            read_commits(&git, &mut facts)?;
        }
        if facts.is_worktree && !folder_gone {
            stamp = read_files(&git, &place.path, &mut facts)?;
        }
    }
    // What git keeps about a worktree goes with it, also if the folder is gone already.
    if facts.is_worktree
        && folder_gone
        && let Some(git_dir) = repository.kept_git_dir(&place.path)
    {
        facts.submodules = kept_submodules(&git_dir, &BTreeSet::new());
        facts.in_progress = in_progress_at(&git_dir);
    }
    let mut hasher = DefaultHasher::new();
    (&facts, stamp).hash(&mut hasher);
    let seen = format!("{:016x}", hasher.finish());
    Ok(Opened { git, repository, facts, seen })
}

/// Returns whether a folder doesn't exist. One that can't be looked at may hold everything it had.
fn is_gone(folder: &Path) -> Result<bool, WorktreeUnavailable> {
    match folder.metadata() {
        Ok(metadata) => Ok(!metadata.is_dir()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(true),
        Err(error) => Err(WorktreeUnavailable::Failed { error: format!("{}: {error}", folder.display()) }),
    }
}

fn read_commits(git: &Git, facts: &mut Facts) -> Result<(), WorktreeUnavailable> {
    if facts.tip.is_empty() || facts.tip.bytes().all(|byte| byte == b'0') {
        return Ok(());
    }
    // Without a base, or a branch, those that nothing else leads to.
    let own = facts.branch.as_ref().map(|branch| format!("--exclude={branch}"));
    let not_base = facts.base_tip.as_ref().map(|base| format!("^{base}"));
    let range = match (&facts.branch, &not_base) {
        (Some(_), Some(not_base)) => vec![&*facts.tip, not_base],
        (Some(_), None) => {
            let own = own.as_deref().unwrap_or_default();
            vec![&*facts.tip, "--not", own, "--branches", "--tags", "--remotes"]
        }
        (None, _) => vec![&*facts.tip, "--not", "--branches", "--tags", "--remotes"],
    };
    let count_of = count(git, &range)?;
    let most = format!("--max-count={}", Listed::NAMED);
    let log = [&["log", &most, "--format=%h %s"][..], &range[..]].concat();
    let first = if count_of == 0 { String::new() } else { text(git, &log)? };
    let first = first.lines().map(str::to_owned).collect();
    if let Some(base) = &facts.base_tip {
        facts.behind = count(git, &[base, &format!("^{}", facts.tip)])?;
        facts.merge_commits = count(git, &["--merges", &facts.tip, &format!("^{base}")])?;
    }
    facts.commits = Listed { count: count_of, first };
    Ok(())
}

/// Reads what is not committed, and returns a number for its content.
fn read_files(git: &Git, top: &Path, facts: &mut Facts) -> Result<u64, WorktreeUnavailable> {
    let found = CheckedOut::read(git)?;
    let shown = |paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    };
    facts.uncommitted = shown(&found.uncommitted);
    facts.hidden = shown(&found.hidden);
    facts.untracked = shown(&found.untracked);
    facts.ignored = shown(&found.ignored);
    facts.submodules = submodules(git, top)?;
    facts.in_progress = in_progress(top);
    Ok(found.stamp(top))
}
