//! The repository of a folder, its worktrees, and its branches.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_contract::WorktreeUnavailable;
use askdesk_git::{Git, GitError, arguments, program, to_path};

use crate::head::{git_dir_at, small_file};

/// How long git may take to read something.
pub(crate) const READ: Duration = Duration::from_secs(30);

/// A repository, and the part of it that a folder is in.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The top of the worktree that the folder is in; none in a bare repository.
    pub(crate) top: Option<PathBuf>,
    /// The folder below the top.
    pub(crate) prefix: PathBuf,
    /// The repository that has this one as a submodule.
    pub(crate) outer: Option<PathBuf>,
    /// The git directory that all worktrees share.
    pub(crate) common: PathBuf,
    pub(crate) worktrees: Vec<Worktree>,
}

/// One worktree, as git lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Worktree {
    pub(crate) path: PathBuf,
    pub(crate) commit: String,
    /// The branch that is checked out; none if a commit is.
    pub(crate) branch: Option<String>,
    pub(crate) bare: bool,
    /// Why it is locked; may be empty.
    pub(crate) locked: Option<String>,
}

/// Finds the installed git.
pub(crate) fn installed() -> Result<PathBuf, WorktreeUnavailable> {
    program().ok_or(WorktreeUnavailable::NoGit)
}

/// Runs a command that only reads.
pub(crate) fn read(git: &Git, words: &[&str]) -> Result<Vec<u8>, GitError> {
    read_with(git, words, &[])
}

pub(crate) fn read_with(git: &Git, words: &[&str], more: &[OsString]) -> Result<Vec<u8>, GitError> {
    git.with("GIT_OPTIONAL_LOCKS", "0").run(&arguments(words, more), Vec::new(), READ)
}

/// Runs a command and returns its output as one text.
pub(crate) fn text(git: &Git, words: &[&str]) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&read(git, words)?).trim_end_matches('\n').to_owned())
}

/// Returns the commit that a name stands for; none if there is none.
pub(crate) fn commit(git: &Git, name: &str) -> Result<Option<String>, GitError> {
    let commit = format!("{name}^{{commit}}");
    match text(git, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]) {
        Ok(id) => Ok(Some(id)),
        Err(GitError::Failed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The range is in the words of `git rev-list`.
pub(crate) fn count(git: &Git, range: &[&str]) -> Result<u32, GitError> {
    let words = [&["rev-list", "--count"], range].concat();
    Ok(text(git, &words)?.parse().unwrap_or(u32::MAX))
}

impl Repository {
    /// Finds the repository that a folder belongs to.
    pub(crate) fn find(git: &Git) -> Result<Self, WorktreeUnavailable> {
        if !git.folder().is_dir() {
            return Err(WorktreeUnavailable::FolderGone);
        }
        let words = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--is-inside-work-tree"];
        let found = read(git, &words).map_err(|error| match &error {
            GitError::Failed { errors, .. } if errors.contains("not a git repository") => {
                WorktreeUnavailable::NoRepository
            }
            _ => error.into(),
        })?;
        let [common, inside] = lines(&found)?;
        let worktrees = list(git)?;
        if inside != b"true" {
            // A bare repository, or the inside of a git directory, which is nobody's folder to work in.
            let bare = worktrees.first().is_some_and(|first| first.bare);
            let common = to_path(common);
            return match bare {
                true => Ok(Self { top: None, prefix: PathBuf::new(), outer: None, common, worktrees }),
                false => Err(WorktreeUnavailable::NoRepository),
            };
        }
        let top = read(git, &["rev-parse", "--path-format=absolute", "--show-toplevel"])?;
        let prefix = read(git, &["rev-parse", "--show-prefix"])?;
        let outer = read(git, &["rev-parse", "--path-format=absolute", "--show-superproject-working-tree"])?;
        let path = |line: &[u8]| to_path(line.strip_suffix(b"\n").unwrap_or(line));
        Ok(Self {
            top: Some(path(&top)),
            prefix: path(&prefix),
            outer: Some(path(&outer)).filter(|outer| !outer.as_os_str().is_empty()),
            common: to_path(common),
            worktrees,
        })
    }

    /// The folder that stands for the repository: its main worktree, or the bare repository.
    pub(crate) fn home(&self) -> &Path {
        let main = self.worktrees.first().map(|main| (&main.path, main.bare));
        match (main, &self.top) {
            // Git lists a submodule with a path inside the outer repository's git directory.
            (Some((path, false)), Some(top)) if !path.join(".git").exists() => top,
            (Some((path, _)), _) => path,
            (None, Some(top)) => top,
            (None, None) => &self.common,
        }
    }

    /// The worktree with this top; none for the main one, which is not a linked worktree.
    pub(crate) fn linked(&self, top: &Path) -> Option<&Worktree> {
        self.worktrees.iter().skip(1).find(|worktree| is_same(&worktree.path, top))
    }

    /// Finds the git directory of a worktree whose folder is gone.
    pub(crate) fn kept_git_dir(&self, top: &Path) -> Option<PathBuf> {
        let all = std::fs::read_dir(self.common.join("worktrees")).ok()?.flatten();
        let is_kept = |git_dir: &PathBuf| {
            let written = small_file(&git_dir.join("gitdir")).map(|written| git_dir.join(written));
            written.as_deref().and_then(Path::parent).is_some_and(|folder| {
                let parents = folder.parent().zip(top.parent());
                folder.file_name() == top.file_name()
                    && parents.is_some_and(|(one, other)| is_same(one, other))
            })
        };
        all.map(|entry| entry.path()).find(is_kept)
    }

    /// The worktree in which a branch is checked out.
    pub(crate) fn place_of(&self, branch: &str) -> Option<&Worktree> {
        self.worktrees.iter().find(|worktree| worktree.branch.as_deref() == Some(branch) && !worktree.bare)
    }

    /// The worktree in which a branch is being rebased. Git lists it as one without a branch.
    pub(crate) fn rebased_at(&self, branch: &str) -> Option<&Worktree> {
        let name = format!("refs/heads/{branch}");
        let is_rebased = |worktree: &&Worktree| {
            let Some(git_dir) = git_dir_at(&worktree.path) else { return false };
            ["rebase-merge/head-name", "rebase-apply/head-name"]
                .iter()
                .any(|file| small_file(&git_dir.join(file)).as_deref() == Some(&name))
        };
        self.worktrees.iter().filter(|worktree| worktree.branch.is_none()).find(is_rebased)
    }
}

/// Returns whether two paths lead to the same folder. One that is gone is compared as written.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

fn lines<const N: usize>(output: &[u8]) -> Result<[&[u8]; N], WorktreeUnavailable> {
    let lines = output.strip_suffix(b"\n").unwrap_or(output).split(|byte| *byte == b'\n').collect::<Vec<_>>();
    // A path with a line break.
    lines.try_into().map_err(|_| WorktreeUnavailable::NoRepository)
}

fn list(git: &Git) -> Result<Vec<Worktree>, GitError> {
    // Without `-z`, which git has since 2.36 only. A path with a line break is then found nowhere.
    Ok(parse(&read(git, &["worktree", "list", "--porcelain"])?))
}

fn parse(listed: &[u8]) -> Vec<Worktree> {
    let mut worktrees = Vec::new();
    for line in listed.split(|byte| *byte == b'\n') {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            worktrees.push(Worktree { path: to_path(path), ..Worktree::default() });
        }
        let Some(worktree) = worktrees.last_mut() else { continue };
        let line = String::from_utf8_lossy(line);
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("HEAD", commit) => commit.clone_into(&mut worktree.commit),
            ("branch", branch) => {
                worktree.branch = Some(branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned());
            }
            ("bare", _) => worktree.bare = true,
            ("locked", reason) => worktree.locked = Some(reason.to_owned()),
            _ => {}
        }
    }
    worktrees
}

/// Lists the local branches, the one with the newest commit first.
pub(crate) fn branches(git: &Git) -> Result<Vec<String>, GitError> {
    let listed = text(git, &["for-each-ref", "--sort=-committerdate", "--format=%(refname)", "refs/heads"])?;
    let names = listed.lines().filter_map(|name| name.strip_prefix("refs/heads/"));
    Ok(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_git_is_understood() {
        let listed = b"worktree /code/api.git\nbare\n\nworktree /code/a b\nHEAD 1234\nbranch refs/heads/x/y\nlocked on a stick\n\n\
            worktree /code/c\nHEAD 99\ndetached\nlocked\nprunable gone\n\n";
        let worktree = |path: &str| Worktree { path: PathBuf::from(path), ..Worktree::default() };
        let expected = [
            Worktree { bare: true, ..worktree("/code/api.git") },
            Worktree {
                commit: "1234".to_owned(),
                branch: Some("x/y".to_owned()),
                locked: Some("on a stick".to_owned()),
                ..worktree("/code/a b")
            },
            Worktree { commit: "99".to_owned(), locked: Some(String::new()), ..worktree("/code/c") },
        ];
        assert_eq!(parse(listed), expected);
    }
}
