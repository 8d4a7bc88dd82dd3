//! Records the files of a folder as a git tree, byte for byte.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use askdesk_contract::{Unavailable, WhyUnrecorded};
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, COPIED_FILES, Copied, FILE_BYTES};
use crate::git::{self, Git, GitError, STEP, arguments};
use crate::objects;
use crate::path_id::{path_of, path_to_id, to_path};
use crate::repository::{self, FoundRepository};

/// How many files a recorded folder has at most.
pub(crate) const FILES: usize = 300_000;
/// The largest pointer that Git LFS writes, in bytes. It is recorded like any other text.
const LFS_POINTER_BYTES: u64 = 1024;
/// How many repositories inside the folder are looked at.
const INNER: usize = 256;
/// How many of their files are stamped when a session begins.
const INNER_FILES: usize = 50_000;
/// How long git may take to list a folder without a repository.
const LISTING: Duration = Duration::from_secs(20);
/// What stands for the content of a file that is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// In nanoseconds since 1970.
    pub(crate) modified: u64,
    pub(crate) why: WhyUnrecorded,
}

/// The files of a folder at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The id of the git tree.
    pub(crate) tree: String,
    /// The files whose contents are not in it, by [`path_to_id`].
    #[serde(rename = "large")]
    pub(crate) stamped: BTreeMap<String, Stamp>,
    pub(crate) unreadable: u32,
    /// The repositories inside the folder whose files are among the stamps, by [`path_to_id`].
    pub(crate) inner: BTreeSet<String>,
    /// Those that have too many files. Only their folders are among the stamps.
    pub(crate) skipped: BTreeSet<String>,
}

/// The folder that is recorded.
#[derive(Clone, Debug)]
pub(crate) struct RecordedFolder {
    pub(crate) git: Git,
    /// The top of the repository, or the folder itself.
    pub(crate) top: PathBuf,
    /// The folder below the top, in bytes; empty if they are the same.
    pub(crate) prefix: Vec<u8>,
    /// Whether there is a repository, so that most contents needn't be copied.
    pub(crate) in_repository: bool,
    /// The private git directory.
    pub(crate) git_dir: PathBuf,
}

/// When a folder is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment<'a> {
    /// When the session begins, with the repository as it is now.
    Begin(Option<&'a FoundRepository>),
    /// Later, with what was recorded then.
    Later(&'a Snapshot),
}

impl RecordedFolder {
    fn pathspec(&self) -> OsString {
        if self.prefix.is_empty() { ".".into() } else { to_path(&self.prefix).into_os_string() }
    }

    fn list(&self, words: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        // A folder without a repository may be a whole home folder or disk.
        let limit = if self.in_repository { STEP } else { LISTING };
        list(&self.git, words, &self.pathspec(), limit)
    }

    /// Records the files as they are now.
    pub(crate) fn record(&self, moment: Moment<'_>) -> Result<Snapshot, Unavailable> {
        let (found, before) = match moment {
            Moment::Begin(found) => (found, None),
            Moment::Later(before) => (None, Some(before)),
        };
        let mut candidates: BTreeSet<Vec<u8>> = BTreeSet::new();
        // Git doesn't know the ones that are not recorded, and wouldn't list one that is ignored.
        let stamped = before.into_iter().flat_map(|before| &before.stamped);
        let own = stamped.filter(|(_, stamp)| stamp.why != WhyUnrecorded::InRepository);
        candidates.extend(own.map(|(id, _)| path_of(id)));
        candidates.extend(self.list(&["ls-files", "-z", "--others", "--exclude-standard", "--"])?);
        candidates.extend(self.list(&["ls-files", "-z", "--modified", "--"])?);
        // What the repository tracks is recorded even if it is ignored.
        let tracked = found.map(|found| self.tracked(found)).unwrap_or_default();
        candidates.extend(tracked.iter().map(|tracked| tracked.path.clone()));
        if candidates.len() > FILES {
            return Err(Unavailable::TooManyFiles { most: number(FILES) });
        }
        let mut sorted = Sorted::default();
        for path in candidates {
            sorted.add(&self.top, path, before);
        }
        if let Some(found) = found {
            sorted.leave_out_lfs(found);
        }
        if !self.in_repository && before.is_none() && sorted.files.len() > COPIED_FILES {
            return Err(Unavailable::TooManyFiles { most: number(COPIED_FILES) });
        }
        self.keep_to_budget(&mut sorted, before, tracked)?;
        self.update(&["--force-remove"], &sorted.drop)?;
        self.update(&["--add", "--remove", "--replace"], &sorted.update)?;
        let (inner, skipped) = self.record_inner(&mut sorted, before)?;
        let tree = self.git.run(&arguments(&["write-tree", "--missing-ok"], &[]), Vec::new(), STEP)?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        Ok(Snapshot { tree, stamped: sorted.stamped, unreadable: sorted.unreadable, inner, skipped })
    }

    /// Records the repositories inside the folder by their commits, and the files of those that were there from the beginning by
    /// their size and time. Returns the latter repositories, and those among them that have too many files.
    fn record_inner(
        &self,
        sorted: &mut Sorted,
        before: Option<&Snapshot>,
    ) -> Result<(BTreeSet<String>, BTreeSet<String>), Unavailable> {
        let listed = std::mem::take(&mut sorted.inner).into_iter().take(INNER).collect::<BTreeSet<_>>();
        // Git lists a known one only if its commit is another.
        let known = before.into_iter().flat_map(|before| &before.inner).map(|id| path_of(id));
        let known = known.filter(|inner| self.top.join(to_path(inner)).join(".git").exists());
        let mut left = listed.iter().cloned().chain(known).collect::<BTreeSet<_>>();
        let mut looked_into = BTreeSet::new();
        let mut skipped = before.map(|before| before.skipped.clone()).unwrap_or_default();
        let mut stamped = 0;
        // One comes before those inside it.
        while let Some(inner) = left.pop_first() {
            let id = path_to_id(&inner);
            let commit = ["--add", "--remove", "--replace"];
            let is_listed = listed.contains(&inner);
            let has_commit = is_listed && self.update(&commit, std::slice::from_ref(&inner)).is_ok();
            if before.is_none_or(|before| before.inner.contains(&id)) {
                let mut files = self.files_inside(&inner)?.into_iter().collect::<BTreeSet<_>>();
                let known = before.into_iter().flat_map(|before| before.stamped.keys()).map(|id| path_of(id));
                files.extend(known.filter(|path| is_inside(path, &inner)));
                stamped += files.len();
                if before.is_none() && stamped > INNER_FILES {
                    stamped -= files.len();
                    skipped.insert(id);
                    continue;
                }
                let found = sorted.look_inside(&self.top, files);
                left.extend(found.into_iter().take(INNER - looked_into.len().min(INNER)));
                looked_into.insert(id);
            } else if is_listed && !has_commit {
                // Only that it is there can be said of a new one without a commit.
                sorted.stamp(&self.top, inner, WhyUnrecorded::InRepository);
            }
            if sorted.stamped.len() > FILES {
                return Err(Unavailable::TooManyFiles { most: number(FILES) });
            }
        }
        for id in &skipped {
            sorted.stamp(&self.top, path_of(id), WhyUnrecorded::InRepository);
        }
        Ok((looked_into, skipped))
    }

    /// The files of a repository inside the folder that are not ignored, as paths below the top. Nothing in its git directory
    /// is read.
    fn files_inside(&self, inner: &[u8]) -> Result<Vec<Vec<u8>>, GitError> {
        let folder = self.top.join(to_path(inner));
        let git = self.git.in_folder(&folder).with("GIT_WORK_TREE", &folder);
        let git = git::with_index(&git, &self.git_dir.join("no-index"));
        let words = ["ls-files", "-z", "--others", "--exclude-standard", "--"];
        let files = list(&git, &words, &".".into(), STEP)?;
        Ok(files.into_iter().map(|file| [inner, b"/", &file].concat()).collect())
    }

    /// Decides which files are recorded with their contents.
    fn keep_to_budget(
        &self,
        sorted: &mut Sorted,
        before: Option<&Snapshot>,
        mut tracked: Vec<Tracked>,
    ) -> Result<(), Unavailable> {
        let files = std::mem::take(&mut sorted.files);
        let mut budget = Budget::WHOLE;
        if let (Some(before), false) = (before, files.is_empty()) {
            budget = Budget::left_for_later(&self.git_dir);
            if !budget.has_room_for(&files) {
                self.prune(std::slice::from_ref(&before.tree))?;
                budget = Budget::left_for_later(&self.git_dir);
            }
        }
        let (within, over) = if budget.has_room_for(&files) {
            (files, Vec::new())
        } else {
            if before.is_some() && self.in_repository {
                let found = git::program().and_then(|program| repository::find(&program, &self.top).ok());
                tracked = found.map(|found| self.tracked(&found)).unwrap_or_default();
            }
            budget.divide(files, &self.sizes(tracked)?)
        };
        sorted.update.extend(within.into_iter().map(|file| file.path));
        for file in over {
            sorted.stamp(&self.top, file.path, WhyUnrecorded::OverBudget);
        }
        Ok(())
    }

    /// The files in the index of a repository.
    fn tracked(&self, found: &FoundRepository) -> Vec<Tracked> {
        let Some(index) = found.index() else { return Vec::new() };
        let git = git::with_index(&self.git, index);
        let listed = list(&git, &["ls-files", "-z", "--stage", "--"], &self.pathspec(), STEP);
        // Where git can't read it, such as an index in several files, ignored files that are tracked are left out.
        listed.unwrap_or_default().iter().filter_map(|line| Tracked::parse(line)).collect()
    }

    /// How large the contents in the repository are, by path.
    fn sizes(&self, tracked: Vec<Tracked>) -> Result<HashMap<Vec<u8>, u64>, GitError> {
        let ids = tracked.iter().map(|tracked| &*tracked.object).collect::<Vec<_>>();
        let sizes = objects::sizes(&self.git, &ids)?;
        let size = |tracked: Tracked| Some((tracked.path, *sizes.get(&tracked.object)?));
        Ok(tracked.into_iter().filter_map(size).collect())
    }

    /// Removes the contents that belong to none of these trees, nor to the last recorded state.
    pub(crate) fn prune(&self, trees: &[String]) -> Result<(), GitError> {
        let trees: Vec<&str> = trees.iter().map(String::as_str).collect();
        let words = [&["prune", "--expire=now"], &trees[..]].concat();
        self.git.run(&arguments(&words, &[]), Vec::new(), STEP).map(drop)
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
}

impl Stamp {
    fn of(metadata: &Metadata, why: WhyUnrecorded) -> Self {
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
        Self { bytes: metadata.len(), modified, why }
    }
}

/// A file in the index of the repository.
#[derive(Debug)]
struct Tracked {
    path: Vec<u8>,
    object: String,
}

impl Tracked {
    /// Reads `mode object stage TAB path`.
    fn parse(line: &[u8]) -> Option<Self> {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let head = String::from_utf8_lossy(&line[..tab]);
        let object = head.split(' ').nth(1)?.to_owned();
        Some(Self { path: line[tab + 1..].to_vec(), object })
    }
}

/// The candidates by what is done with them.
#[derive(Default)]
struct Sorted {
    update: Vec<Vec<u8>>,
    /// Files with contents to record, if there is room for them.
    files: Vec<Copied>,
    /// No longer part of the tree.
    drop: Vec<Vec<u8>>,
    stamped: BTreeMap<String, Stamp>,
    /// Repositories inside the folder.
    inner: Vec<Vec<u8>>,
    unreadable: u32,
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

    /// Leaves the content of a file out.
    fn stamp(&mut self, top: &Path, path: Vec<u8>, why: WhyUnrecorded) {
        if let Ok(metadata) = fs::symlink_metadata(top.join(to_path(&path))) {
            self.stamped.insert(path_to_id(&path), Stamp::of(&metadata, why));
        }
        self.drop.push(path);
    }

    /// Leaves out the contents that Git LFS keeps elsewhere. The pointer in the repository says no more than a stamp does.
    fn leave_out_lfs(&mut self, found: &FoundRepository) {
        let large = |file: &&Copied| file.bytes > LFS_POINTER_BYTES;
        let ids = self.stamped.keys().map(|id| path_of(id));
        let asked = self.files.iter().filter(large).map(|file| file.path.clone()).chain(ids);
        let in_lfs = found.in_lfs(&asked.collect::<Vec<_>>());
        let files = std::mem::take(&mut self.files).into_iter();
        let (lfs, files): (Vec<_>, _) = files.partition(|file| in_lfs.contains(&file.path));
        self.files = files;
        for file in lfs {
            self.stamp(&found.top, file.path, WhyUnrecorded::Lfs);
        }
        for path in in_lfs {
            if let Some(stamp) = self.stamped.get_mut(&path_to_id(&path)) {
                stamp.why = WhyUnrecorded::Lfs;
            }
        }
    }

    /// Stamps files of a repository inside the folder; returns the repositories among them.
    fn look_inside(&mut self, top: &Path, files: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
        let mut inner = Vec::new();
        for mut path in files {
            if path.last() == Some(&b'/') {
                path.pop();
            }
            let file = top.join(to_path(&path));
            let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
            if self.is_behind_link(top, &file) {
                continue;
            }
            if metadata.is_dir() {
                inner.push(path);
            } else if metadata.is_file() || metadata.is_symlink() {
                self.stamped.insert(path_to_id(&path), Stamp::of(&metadata, WhyUnrecorded::InRepository));
            }
        }
        inner
    }

    fn add(&mut self, top: &Path, mut path: Vec<u8>, before: Option<&Snapshot>) {
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
        } else if let Some(stamp) = before.and_then(|before| before.stamped.get(&path_to_id(&path))) {
            // There is no earlier content to compare it with.
            self.stamp(top, path, stamp.why);
        } else if metadata.len() > FILE_BYTES {
            self.stamp(top, path, WhyUnrecorded::TooLarge);
        } else if File::open(&file).is_err() {
            self.unreadable += 1;
        } else {
            self.files.push(Copied { path, bytes: metadata.len() });
        }
    }
}

fn is_inside(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
}

fn list(git: &Git, words: &[&str], pathspec: &OsString, limit: Duration) -> Result<Vec<Vec<u8>>, GitError> {
    let output = git.run(&arguments(words, std::slice::from_ref(pathspec)), Vec::new(), limit)?;
    let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(<[u8]>::to_vec).collect())
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
