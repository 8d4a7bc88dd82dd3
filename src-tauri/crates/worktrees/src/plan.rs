//! Plans a new worktree: suggests its branch and folder, and checks what the user wrote instead.

use std::path::{Component, Path, PathBuf};

use askdesk_contract::{Head, PlanFlaw, WorktreePlan, WorktreeUnavailable};
use askdesk_git::Git;

use crate::head::detached;
use crate::name;
use crate::repository::{Repository, branches, commit, installed, is_same, read};

/// The longest path of a worktree, in bytes.
pub const PATH_BYTES: usize = 1_024;
const BRANCHES_LISTED: usize = 2_000;
/// The branches that a worktree is based on where no branch is checked out.
const USUAL_BASES: [&str; 3] = ["main", "master", "trunk"];

/// What the user wants, as far as they have said it; a suggestion takes the place of everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanWanted {
    /// The first message of the session.
    pub message: String,
    pub base: Option<String>,
    pub branch: Option<String>,
    pub path: Option<PathBuf>,
}

/// Plans a worktree of the repository that a folder belongs to. Only reads, without the user's config.
pub fn plan(folder: &Path, wanted: &PlanWanted) -> Result<WorktreePlan, WorktreeUnavailable> {
    let git = Git::closed(&installed()?, folder);
    let repository = Repository::find(&git)?;
    let branches = branches(&git)?;
    let head = checked_out(&git, &repository)?;
    let base = match (&wanted.base, &head) {
        (Some(base), _) => base.clone(),
        (None, Head::Branch { name }) if branches.contains(name) => name.clone(),
        (None, _) => usual_base(&branches).ok_or(WorktreeUnavailable::NoCommit)?,
    };
    let taken = |path: &Path| check_path(path, &repository).is_some();
    let home = home_for_worktrees(&repository);
    let branch = match &wanted.branch {
        Some(branch) => branch.clone(),
        None => name::free_branch(&wanted.message, &branches, |branch| {
            wanted.path.is_some() || !taken(&name::folder_of_branch(&home, branch))
        }),
    };
    let path = match &wanted.path {
        Some(path) => path.clone(),
        None => {
            let path = name::folder_of_branch(&home, &branch);
            let text = path.to_string_lossy();
            PathBuf::from(name::numbered(&text, |path| !taken(Path::new(path))))
        }
    };
    let mut flaws = Vec::new();
    if !branches.contains(&base) {
        flaws.push(PlanFlaw::BaseGone { base: base.clone() });
    }
    flaws.extend(check_branch(&branch, &branches));
    flaws.extend(check_path(&path, &repository));
    // A path that follows from a bad name is not another mistake of the user.
    if wanted.path.is_none() && flaws.iter().any(PlanFlaw::is_of_branch) {
        flaws.retain(|flaw| flaw.is_of_branch() || matches!(flaw, PlanFlaw::BaseGone { .. }));
    }
    let submodules = repository.top.as_ref().is_some_and(|top| top.join(".gitmodules").exists());
    let shown = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(not_text);
    Ok(WorktreePlan {
        repository: shown(repository.home())?,
        head,
        base,
        branch,
        path: shown(&path)?,
        unlisted: u32::try_from(branches.len().saturating_sub(BRANCHES_LISTED)).unwrap_or(u32::MAX),
        branches: branches.into_iter().take(BRANCHES_LISTED).collect(),
        submodules,
        flaws,
    })
}

fn not_text() -> WorktreeUnavailable {
    WorktreeUnavailable::Failed { error: "the path of the repository isn't UTF-8".to_owned() }
}

fn checked_out(git: &Git, repository: &Repository) -> Result<Head, WorktreeUnavailable> {
    if let Some(name) = symbolic(git) {
        return Ok(Head::Branch { name });
    }
    match commit(git, "HEAD")? {
        Some(commit) => Ok(detached(&commit)),
        None => {
            let any = repository.worktrees.first().map(|first| first.commit.clone());
            any.map(|commit| detached(&commit)).ok_or(WorktreeUnavailable::NoCommit)
        }
    }
}

/// The branch that `HEAD` names, also if it has no commit.
fn symbolic(git: &Git) -> Option<String> {
    let name = read(git, &["symbolic-ref", "--quiet", "HEAD"]).ok()?;
    let name = String::from_utf8_lossy(&name).trim_end().to_owned();
    name.strip_prefix("refs/heads/").map(str::to_owned)
}

fn usual_base(branches: &[String]) -> Option<String> {
    let usual = USUAL_BASES.iter().find(|usual| branches.iter().any(|branch| branch == *usual));
    usual.map(ToString::to_string).or_else(|| branches.first().cloned())
}

/// The folder beside which worktrees are made. For a submodule, that is the repository around it.
fn home_for_worktrees(repository: &Repository) -> PathBuf {
    match &repository.outer {
        Some(outer) => {
            let names = [outer.as_path(), repository.home()].map(|path| {
                path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            });
            outer.with_file_name(names.join("-"))
        }
        None => repository.home().to_owned(),
    }
}

fn check_branch(branch: &str, branches: &[String]) -> Option<PlanFlaw> {
    if branch.len() > name::BRANCH_BYTES {
        return Some(PlanFlaw::BranchTooLong { most: name::BRANCH_BYTES });
    }
    if !name::is_branch_name(branch) {
        return Some(PlanFlaw::BranchInvalid);
    }
    name::conflicting(branch, branches).map(|with| PlanFlaw::BranchTaken { with: with.clone() })
}

fn check_path(path: &Path, repository: &Repository) -> Option<PlanFlaw> {
    if path.as_os_str().len() > PATH_BYTES {
        return Some(PlanFlaw::PathTooLong { most: PATH_BYTES });
    }
    let is_device = |part: Component<'_>| match part {
        Component::Normal(name) => name.to_str().is_some_and(|name| !name::is_file_name_of_windows(name)),
        _ => false,
    };
    let unusable = cfg!(windows) && path.components().any(is_device);
    if unusable || path.to_str().is_none_or(|path| path.contains(char::is_control)) {
        return Some(PlanFlaw::PathInvalid);
    }
    if !path.is_absolute() {
        return Some(PlanFlaw::PathRelative);
    }
    let inside =
        path.components().any(|part| part.as_os_str() == ".git") || path.starts_with(&repository.common);
    if inside && repository.top.is_some() {
        return Some(PlanFlaw::PathInGitDir);
    }
    // An empty folder may be one that the user has just made for it.
    let is_empty = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let exists = path.symlink_metadata().is_ok() && !is_empty;
    let is_known = repository.worktrees.iter().any(|worktree| is_same(&worktree.path, path));
    (exists || is_known).then_some(PlanFlaw::PathTaken)
}
