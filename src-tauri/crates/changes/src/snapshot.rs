//! Records the files of a folder as a git tree, byte for byte.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::changed::Unavailable;
use crate::git::{self, Git, GitError, arguments};
use crate::path_id::{path_of, path_to_id, to_path};

/// The largest file whose content is recorded, in bytes.
pub(crate) const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// How many files a recorded folder has at most.
pub(crate) const FILES: usize = 300_000;
/// How many files a folder without a repository has at most. All of them are copied.
const COPIED_FILES: usize = 20_000;
/// How much of a folder without a repository is copied at most, in bytes.
const COPIED_BYTES: u64 = 512 * 1024 * 1024;
/// How many repositories inside the folder are looked at.
const INNER: usize = 256;
/// How long git may take to list a folder without a repository.
const LISTING: Duration = Duration::from_secs(20);
/// How long one step of git may take.
pub(crate) const STEP: Duration = Duration::from_secs(120);

/// What identifies the content of a file that is too large to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// In nanoseconds since 1970.
    pub(crate) modified: u64,
}

/// The files of a folder at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The id of the git tree.
    pub(crate) tree: String,
    /// The files that are too large for it, by [`path_to_id`].
    pub(crate) large: BTreeMap<String, Stamp>,
    #[serde(default)]
    pub(crate) unreadable: u32,
}

/// The folder that is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) git: Git,
    /// The top of the repository, or the folder itself.
    pub(crate) top: PathBuf,
    /// The folder below the top, in bytes; empty if they are the same.
    pub(crate) prefix: Vec<u8>,
    /// Whether there is a repository, so that most contents needn't be copied.
    pub(crate) in_repository: bool,
}

impl Place {
    fn pathspec(&self) -> OsString {
        if self.prefix.is_empty() { ".".into() } else { to_path(&self.prefix).into_os_string() }
    }

    fn list(&self, words: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        // A folder without a repository may be a whole home folder or disk.
        let limit = if self.in_repository { STEP } else { LISTING };
        list(&self.git, words, &self.pathspec(), limit)
    }

    /// Records the files as they are now. `index` is the repository's own: files that it tracks are recorded even if they
    /// are ignored. `before` is an earlier record of the same folder.
    pub(crate) fn record(
        &self,
        index: Option<&Path>,
        before: Option<&Snapshot>,
    ) -> Result<Snapshot, Unavailable> {
        let mut candidates: BTreeSet<Vec<u8>> = BTreeSet::new();
        // Git doesn't know the large ones, and wouldn't list one that is ignored.
        let large = before.into_iter().flat_map(|before| before.large.keys());
        candidates.extend(large.map(|id| path_of(id)));
        candidates.extend(self.list(&["ls-files", "-z", "--others", "--exclude-standard", "--"])?);
        candidates.extend(self.list(&["ls-files", "-z", "--modified", "--"])?);
        if let Some(index) = index {
            // Where git can't read it, such as an index in several files, ignored files that are tracked are left out.
            let tracked = list(
                &git::with_index(&self.git, index),
                &["ls-files", "-z", "--cached", "--"],
                &self.pathspec(),
                STEP,
            );
            candidates.extend(tracked.unwrap_or_default());
        }
        if candidates.len() > FILES {
            return Err(Unavailable::TooManyFiles { most: number(FILES) });
        }
        let mut sorted = Sorted::default();
        for path in candidates {
            sorted.add(&self.top, path);
        }
        if !self.in_repository && sorted.update.len() > COPIED_FILES {
            return Err(Unavailable::TooManyFiles { most: number(COPIED_FILES) });
        }
        if !self.in_repository && sorted.bytes > COPIED_BYTES {
            return Err(Unavailable::TooLarge { most_mib: number((COPIED_BYTES / (1024 * 1024)) as usize) });
        }
        self.update(&["--force-remove"], &sorted.drop)?;
        self.update(&["--add", "--remove", "--replace"], &sorted.update)?;
        for inner in sorted.inner.iter().take(INNER) {
            // A repository without a commit can't be recorded.
            let _ = self.update(&["--add", "--remove", "--replace"], std::slice::from_ref(inner));
        }
        let tree = self.git.run(&arguments(&["write-tree", "--missing-ok"], &[]), Vec::new(), STEP)?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        Ok(Snapshot { tree, large: self.stamps(&sorted.large), unreadable: sorted.unreadable })
    }

    fn update(&self, words: &[&str], paths: &[Vec<u8>]) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let words = [&["update-index", "-z"], words, &["--stdin"]].concat();
        let mut input = paths.join(&0);
        input.push(0);
        let updated = self.git.run(&arguments(&words, &[]), input.clone(), STEP);
        // A file may have gone between the listing and now; the second run takes that for its removal.
        let updated = if matches!(updated, Err(GitError::Failed { .. })) {
            self.git.run(&arguments(&words, &[]), input, STEP)
        } else {
            updated
        };
        updated.map(drop)
    }

    fn stamps(&self, large: &[Vec<u8>]) -> BTreeMap<String, Stamp> {
        let stamp = |path: &Vec<u8>| {
            let metadata = fs::symlink_metadata(self.top.join(to_path(path))).ok()?;
            Some((path_to_id(path), Stamp::of(&metadata)))
        };
        large.iter().filter_map(stamp).collect()
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
        Self { bytes: metadata.len(), modified }
    }
}

/// The candidates by what is done with them.
#[derive(Default)]
struct Sorted {
    update: Vec<Vec<u8>>,
    /// No longer part of the tree.
    drop: Vec<Vec<u8>>,
    large: Vec<Vec<u8>>,
    /// Repositories inside the folder.
    inner: Vec<Vec<u8>>,
    unreadable: u32,
    bytes: u64,
    /// The folders that were looked at, and whether a link leads there.
    linked: HashMap<PathBuf, bool>,
}

impl Sorted {
    /// Returns whether a folder on the way to a file is a link, so that the file is somewhere else.
    fn is_behind_link(&mut self, top: &Path, file: &Path) -> bool {
        let Some(folder) = file.parent().filter(|folder| *folder != top) else { return false };
        if let Some(known) = self.linked.get(folder) {
            return *known;
        }
        let is_link = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink());
        let behind = is_link || self.is_behind_link(top, folder);
        self.linked.insert(folder.to_owned(), behind);
        behind
    }

    fn add(&mut self, top: &Path, mut path: Vec<u8>) {
        if path.last() == Some(&b'/') {
            path.pop();
        }
        let file = top.join(to_path(&path));
        if self.is_behind_link(top, &file) {
            self.drop.push(path);
            return;
        }
        let Ok(metadata) = fs::symlink_metadata(&file) else {
            self.update.push(path);
            return;
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            if file.join(".git").exists() { self.inner.push(path) } else { self.update.push(path) }
        } else if kind.is_symlink() {
            self.update.push(path);
        } else if !kind.is_file() {
            // A pipe or a device must never be opened.
            self.drop.push(path);
        } else if metadata.len() > FILE_BYTES {
            self.drop.push(path.clone());
            self.large.push(path);
        } else if File::open(&file).is_err() {
            self.unreadable += 1;
        } else {
            self.bytes += metadata.len();
            self.update.push(path);
        }
    }
}

fn list(git: &Git, words: &[&str], pathspec: &OsString, limit: Duration) -> Result<Vec<Vec<u8>>, GitError> {
    let output = git.run(&arguments(words, std::slice::from_ref(pathspec)), Vec::new(), limit)?;
    let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(<[u8]>::to_vec).collect())
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl From<GitError> for Unavailable {
    fn from(error: GitError) -> Self {
        match error {
            GitError::TimedOut { seconds, .. } => {
                Self::TimedOut { seconds: u32::try_from(seconds).unwrap_or(u32::MAX) }
            }
            GitError::NotStarted(why) if why.kind() == std::io::ErrorKind::NotFound => Self::FolderGone,
            error => Self::Failed { error: error.to_string() },
        }
    }
}
