//! The files of a worktree that differ from its commit.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fs::read_dir;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use askdesk_git::{Git, GitError, arguments, to_bytes, to_path};

use crate::head::git_dir_at;
use crate::repository::{READ, read};

/// What stands in a git directory while git is in the middle of something.
const IN_PROGRESS: [&str; 6] =
    ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"];

/// How many folders deep the names of submodules are followed.
const MODULE_DEPTH: usize = 8;

/// The files that differ, by kind. A folder whose files are all of one kind may stand for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckedOut {
    pub(crate) uncommitted: Vec<PathBuf>,
    pub(crate) untracked: Vec<PathBuf>,
    pub(crate) ignored: Vec<PathBuf>,
    /// Changed files that git was told not to look at.
    pub(crate) hidden: Vec<PathBuf>,
}

impl CheckedOut {
    /// Compares the files of a worktree with its commit, as the user's git does.
    pub(crate) fn read(git: &Git) -> Result<Self, GitError> {
        let words = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching"];
        let words = [&words[..], &["--ignore-submodules=none", "--no-renames"]].concat();
        let found = parse(&read(git, &words)?);
        Ok(Self { hidden: hidden(git)?, ..found })
    }

    pub(crate) fn changed(&self) -> impl Iterator<Item = &PathBuf> {
        self.uncommitted.iter().chain(&self.untracked).chain(&self.hidden)
    }

    /// A number for the content of everything that is not committed, as far as size and time tell it.
    pub(crate) fn stamp(&self, top: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        for path in self.changed() {
            path.hash(&mut hasher);
            let metadata = top.join(path).symlink_metadata().ok();
            metadata.map(|it| (it.len(), it.modified().ok())).hash(&mut hasher);
        }
        hasher.finish()
    }
}

fn parse(status: &[u8]) -> CheckedOut {
    let mut found = CheckedOut::default();
    for line in status.split(|byte| *byte == 0) {
        // A changed file has seven or nine fields before its path.
        let path = |fields: usize| line.splitn(fields + 1, |byte| *byte == b' ').nth(fields).map(to_path);
        match line.first() {
            Some(b'1') => found.uncommitted.extend(path(8)),
            Some(b'u') => found.uncommitted.extend(path(10)),
            Some(b'?') => found.untracked.extend(path(1)),
            Some(b'!') => found.ignored.extend(path(1)),
            _ => {}
        }
    }
    found
}

/// Lists the changed files that are marked as skipped or assumed to be unchanged, which git's status leaves out.
fn hidden(git: &Git) -> Result<Vec<PathBuf>, GitError> {
    let listed = read(git, &["ls-files", "-v", "--stage", "-z"])?;
    let marked = listed.split(|byte| *byte == 0).filter_map(marked);
    let there = marked.filter(|(_, path)| git.folder().join(path).symlink_metadata().is_ok());
    let (compared, other): (Vec<_>, Vec<_>) = there.partition(|(_, path)| {
        let is_name = |byte: &u8| !matches!(byte, b'\n' | b'\r' | b'"');
        to_bytes(path).iter().all(is_name)
            && git.folder().join(path).symlink_metadata().is_ok_and(|it| it.is_file())
    });
    let mut hidden = other.into_iter().map(|(_, path)| path).collect::<Vec<_>>();
    if !compared.is_empty() {
        let names = compared.iter().flat_map(|(_, path)| [to_bytes(path), b"\n".to_vec()].concat()).collect();
        let ids = git.run(&arguments(&["hash-object", "--stdin-paths"], &[]), names, READ);
        // What can't be compared counts as changed.
        let ids = String::from_utf8_lossy(&ids.unwrap_or_default()).into_owned();
        let mut ids = ids.lines();
        hidden.extend(compared.into_iter().filter(|(id, _)| ids.next() != Some(id)).map(|(_, path)| path));
    }
    Ok(hidden)
}

/// Reads a marked entry of the index: the id of its content, and its path.
fn marked(line: &[u8]) -> Option<(String, PathBuf)> {
    let tag = line.first().filter(|tag| **tag == b'S' || tag.is_ascii_lowercase());
    let path = tag.and(line.splitn(2, |byte| *byte == b'\t').nth(1))?;
    let id = line.split(|byte| *byte == b' ').nth(2)?;
    Some((String::from_utf8_lossy(id).into_owned(), to_path(path)))
}

/// Returns whether git is in the middle of a merge, rebase, or the like.
pub(crate) fn in_progress(top: &Path) -> bool {
    git_dir_at(top).is_some_and(|git_dir| in_progress_at(&git_dir))
}

pub(crate) fn in_progress_at(git_dir: &Path) -> bool {
    IN_PROGRESS.iter().any(|part| git_dir.join(part).exists())
}

/// Lists the repositories that have been cloned into a worktree as submodules. Their git directories go with it.
pub(crate) fn submodules(git: &Git, top: &Path) -> Result<Vec<String>, GitError> {
    // A clone that an agent added as it is has no entry in `.gitmodules`.
    let listed = read(git, &["ls-files", "--stage", "-z"])?;
    let links = listed.split(|byte| *byte == 0).filter(|line| line.starts_with(b"160000 "));
    let paths = links.filter_map(|line| line.splitn(2, |byte| *byte == b'\t').nth(1).map(to_path));
    let cloned = paths.filter(|path| top.join(path).join(".git").exists()).collect::<Vec<_>>();
    let in_place = cloned.iter().filter_map(|path| dunce::canonicalize(git_dir_at(&top.join(path))?).ok());
    let in_place = in_place.collect::<BTreeSet<_>>();
    let mut found = cloned.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>();
    // One that is no longer checked out, or no longer in the index, may still have its git directory.
    let kept = git_dir_at(top).map(|git_dir| kept_submodules(&git_dir, &in_place));
    found.extend(kept.into_iter().flatten());
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Lists the submodules that a git directory keeps, apart from those that are in their place.
pub(crate) fn kept_submodules(git_dir: &Path, in_place: &BTreeSet<PathBuf>) -> Vec<String> {
    let modules = git_dir.join("modules");
    let kept = kept_below(&modules, MODULE_DEPTH).into_iter();
    let kept = kept.filter(|dir| dunce::canonicalize(dir).map_or(true, |dir| !in_place.contains(&dir)));
    kept.map(|dir| dir.strip_prefix(&modules).unwrap_or(&dir).to_string_lossy().into_owned()).collect()
}

/// Lists the git directories below a folder, and entries without one, which stop git from removing a worktree just as well.
fn kept_below(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let entries = read_dir(folder).into_iter().flatten().flatten();
    let kept = entries.flat_map(|entry| {
        let path = entry.path();
        let is_git_dir = path.join("HEAD").exists();
        let below = if is_git_dir || depth == 0 { Vec::new() } else { kept_below(&path, depth - 1) };
        if below.is_empty() { vec![path] } else { below }
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_status_has_its_kind_and_path() {
        let status = b"1 .M N... 100644 100644 100644 aa aa a b\0\
            u UU N... 100644 100644 100644 100644 aa bb cc both ways\0? new\nline\0! target/\0";
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let expected = CheckedOut {
            uncommitted: paths(&["a b", "both ways"]),
            untracked: paths(&["new\nline"]),
            ignored: paths(&["target/"]),
            hidden: Vec::new(),
        };
        assert_eq!(parse(status), expected);
    }
}
