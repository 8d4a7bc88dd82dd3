//! Compares two recorded states.

use std::ffi::OsStr;
use std::time::Duration;

use askdesk_contract::{ChangeKind, Unavailable, WhyUnrecorded};

use crate::git::{Git, GitError, STEP};
use crate::snapshot::{RecordedFolder, Snapshot};

/// How long git may look for renamed files.
const RENAMES: Duration = Duration::from_secs(20);
/// The mode of a symbolic link, and of a repository inside the folder.
pub(crate) const LINK: u32 = 0o120_000;
pub(crate) const REPOSITORY: u32 = 0o160_000;

/// One side of a changed file in the recorded trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mode: u32,
    pub(crate) object: String,
}

/// A file that differs between two recorded states. Paths are below the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: Vec<u8>,
    pub(crate) old_path: Option<Vec<u8>>,
    pub(crate) kind: ChangeKind,
    /// None on the side where the file doesn't exist or its content is not recorded.
    pub(crate) old: Option<Entry>,
    pub(crate) new: Option<Entry>,
    /// Why there is a side without its content.
    pub(crate) unrecorded: Option<WhyUnrecorded>,
}

impl Difference {
    /// Whether the contents of both sides are known, so that the older one can be put back.
    pub(crate) fn is_recorded(&self) -> bool {
        let inner = [&self.old, &self.new].into_iter().flatten().any(|entry| entry.mode == REPOSITORY);
        self.unrecorded.is_none() && !inner
    }
}

/// Lists what differs, ordered by path.
pub(crate) fn compare(
    place: &RecordedFolder,
    old: &Snapshot,
    new: &Snapshot,
) -> Result<Vec<Difference>, Unavailable> {
    let mut found = match raw(&place.git, old, new, &["-M", "-l2000"], RENAMES) {
        Err(GitError::TimedOut { .. }) => raw(&place.git, old, new, &["--no-renames"], STEP),
        result => result,
    }
    .map_err(|error| match error {
        // Objects of the repository, which may have been removed from it.
        GitError::Failed { .. } => Unavailable::BaselineLost,
        error => error.into(),
    })?;
    note_stamped(&mut found, old, new);
    found.retain(|one| is_below(&place.prefix, &one.path));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn raw(
    git: &Git,
    old: &Snapshot,
    new: &Snapshot,
    renames: &[&str],
    limit: Duration,
) -> Result<Vec<Difference>, GitError> {
    let words = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv"];
    let trees = [&*old.tree, &*new.tree];
    let arguments: Vec<&OsStr> = words.iter().chain(renames).chain(&trees).map(OsStr::new).collect();
    Ok(parse(&git.run(&arguments, Vec::new(), limit)?))
}

/// Reads `:mode mode object object status NUL path NUL [path NUL]`.
fn parse(output: &[u8]) -> Vec<Difference> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let Some(head) = fields.next() {
        let head = String::from_utf8_lossy(head);
        let words = head.trim_start_matches(':').split(' ').collect::<Vec<_>>();
        let ([old_mode, new_mode, old, new, status], Some(path)) = (&words[..], fields.next()) else { break };
        let entry = |mode: &str, object: &str| {
            let mode = u32::from_str_radix(mode, 8).ok().filter(|mode| *mode != 0)?;
            Some(Entry { mode, object: object.to_owned() })
        };
        let (old, new) = (entry(old_mode, old), entry(new_mode, new));
        let renamed = status.starts_with('R').then(|| fields.next()).flatten();
        let kind = match (&old, &new) {
            _ if renamed.is_some() => ChangeKind::Renamed,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (Some(old), Some(new)) if old.object == new.object => ChangeKind::Permissions,
            _ => ChangeKind::Modified,
        };
        found.push(Difference {
            path: renamed.unwrap_or(path).to_vec(),
            old_path: renamed.map(|_| path.to_vec()),
            kind,
            old,
            new,
            unrecorded: None,
        });
    }
    found
}

/// Adds the files whose contents are not in the trees. One that is recorded on one side is in one of the trees.
fn note_stamped(found: &mut Vec<Difference>, old: &Snapshot, new: &Snapshot) {
    let paths = old.stamped.keys().chain(new.stamped.keys().filter(|path| !old.stamped.contains_key(*path)));
    for id in paths {
        let (before, now) = (old.stamped.get(id), new.stamped.get(id));
        if before == now {
            continue;
        }
        let path = crate::path_id::path_of(id);
        let why = now.or(before).map(|stamp| stamp.why);
        if let Some(known) = found.iter_mut().find(|one| one.path == path) {
            known.unrecorded = why;
            known.kind = ChangeKind::Modified;
            continue;
        }
        let kind = match (before, now) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        };
        found.push(Difference { path, old_path: None, kind, old: None, new: None, unrecorded: why });
    }
}

pub(crate) fn is_below(prefix: &[u8], path: &[u8]) -> bool {
    prefix.is_empty() || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_raw_output_is_read_with_renames_and_strange_names() {
        let zeros = "0".repeat(40);
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let mut output = format!(":100644 100644 {a} {b} M\0one\n two\0").into_bytes();
        output
            .extend(format!(":100644 100644 {a} {a} R100\0old\0new\0:000000 120000 {zeros} {b} A\0").bytes());
        output.extend(b"link\xff\0");
        output.extend(format!(":100644 100755 {a} {a} M\0run\0").bytes());
        let found = parse(&output);
        let kinds = found.iter().map(|one| (one.kind, &*one.path)).collect::<Vec<_>>();
        let expected: Vec<(ChangeKind, &[u8])> = vec![
            (ChangeKind::Modified, b"one\n two"),
            (ChangeKind::Renamed, b"new"),
            (ChangeKind::Added, b"link\xff"),
            (ChangeKind::Permissions, b"run"),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(found[1].old_path.as_deref(), Some(&b"old"[..]));
        assert_eq!((&found[2].old, found[2].new.as_ref().unwrap().mode), (&None, LINK));
    }

    #[test]
    fn only_what_is_below_the_folder_counts() {
        assert!(is_below(b"", b"a") && is_below(b"a", b"a/b"));
        assert!(!is_below(b"a", b"ab") && !is_below(b"a", b"a"));
    }
}
