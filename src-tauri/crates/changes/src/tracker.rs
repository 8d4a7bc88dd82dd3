//! The changes of one session: the state recorded at its beginning, and what differs from it now.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use askdesk_contract::{
    ChangeTotals, ChangedFile, ChangedFiles, Content, FileChange, Side, Unavailable, Unrecorded,
    WhyUnrecorded,
};
use askdesk_user_environment::persist;
use serde::{Deserialize, Serialize};

use crate::compare::{Difference, Entry, compare, is_below};
use crate::counts::Counts;
use crate::git;
use crate::path_id::{path_of, path_to_id, readable, to_bytes, to_path};
use crate::repository::{self, NotFound};
use crate::snapshot::{Moment, RecordedFolder, Snapshot, Stamp};
use crate::{lines, objects};

pub const FILES_LISTED: usize = 5_000;
/// How many of the files that are not recorded are named, for each reason.
const UNRECORDED_NAMED: usize = 50;
/// How often contents that are no longer needed are removed: after this many listings.
const PRUNE_EVERY: u32 = 32;
/// The format of the recorded state.
const FORMAT: u32 = 1;

pub(crate) const GIT_DIR: &str = "git";
pub(crate) const BASELINE: &str = "baseline.json";
const TOTALS: &str = "totals.json";

/// What is stored about the state that a session began with.
#[derive(Debug, Serialize, Deserialize)]
struct Baseline {
    format: u32,
    /// The top of the repository, or the folder, as [`path_to_id`] writes it.
    top: String,
    /// The folder below the top.
    prefix: String,
    in_repository: bool,
    /// The repository that git refused because it belongs to another user.
    of_other: Option<String>,
    snapshot: Snapshot,
}

/// Records and compares the files of one session's folder. Every call blocks while git runs, one call at a time.
#[derive(Debug)]
pub struct Tracker {
    folder: PathBuf,
    store: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    opened: Option<Opened>,
    counts: Counts,
    /// What the last listing found.
    found: Vec<Difference>,
    listings: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) place: RecordedFolder,
    baseline: Snapshot,
    of_other: Option<String>,
}

impl Tracker {
    /// Tracks a folder; what is recorded goes into the store, a folder that belongs to the session alone.
    pub fn new(folder: PathBuf, store: PathBuf) -> Self {
        Self { folder, store, state: Mutex::default() }
    }

    /// Records the folder's files as the state that later ones are compared with, unless that has been done.
    pub fn begin(&self) -> Result<(), Unavailable> {
        let mut state = self.state();
        if state.opened.is_some() || self.store.join(BASELINE).exists() {
            return Ok(());
        }
        let program = git::program().ok_or(Unavailable::NoGit)?;
        let folder = dunce::canonicalize(&self.folder).map_err(|_| Unavailable::FolderGone)?;
        let (found, of_other) = match repository::find(&program, &folder) {
            Ok(found) => (Some(found), None),
            Err(NotFound { of_other }) => (None, of_other),
        };
        // A repository whose config names another folder for its files is none of this one.
        let found = found.filter(|found| folder.starts_with(&found.top) && found.top.join(".git").exists());
        let top = found.as_ref().map_or(&folder, |found| &found.top).clone();
        let prefix = folder.strip_prefix(&top).map(to_bytes).unwrap_or_default();
        let git_dir = self.store.join(GIT_DIR);
        let excludes = git::excludes_file(&program, &top);
        remove(&git_dir)
            .and_then(|()| repository::create_private(&git_dir, &top, found.as_ref(), excludes.as_deref()))
            .map_err(|error| failed(&git_dir, &error))?;
        let git = git::private(&program, &git_dir, &top);
        let place =
            RecordedFolder { git, top, prefix, in_repository: found.is_some(), git_dir: git_dir.clone() };
        let recorded = place.record(Moment::Begin(found.as_ref()));
        let baseline = match recorded {
            Ok(baseline) => baseline,
            Err(error) => {
                let _ = remove(&git_dir);
                return Err(error);
            }
        };
        let stored = Baseline {
            format: FORMAT,
            top: path_to_id(&to_bytes(&place.top)),
            prefix: path_to_id(&place.prefix),
            in_repository: place.in_repository,
            of_other: of_other.map(|top| path_to_id(&to_bytes(&top))),
            snapshot: baseline.clone(),
        };
        self.write(BASELINE, &stored)?;
        state.opened = Some(Opened { place, baseline, of_other: stored.of_other });
        Ok(())
    }

    /// Compares the folder with its recorded state.
    pub fn list(&self) -> Result<ChangedFiles, Unavailable> {
        let mut state = self.state();
        let Opened { place, baseline, of_other } = self.opened(&mut state)?;
        let now = self.record(&place, &baseline)?;
        let mut found = compare(&place, &baseline, &now)?;
        let all = found.len();
        found.truncate(FILES_LISTED);
        state.counts.count(&place.git, &found)?;
        let files = found.iter().map(|one| file(&place.prefix, one, &now, &state.counts)).collect::<Vec<_>>();
        let sum = |count: fn(&ChangedFile) -> Option<u32>| {
            files.iter().filter_map(count).fold(0, u32::saturating_add)
        };
        let totals = ChangeTotals {
            files: number(all),
            added: sum(|file| file.added),
            removed: sum(|file| file.removed),
            state: state_of(&now),
        };
        let listing = ChangedFiles {
            unlisted: number(all - files.len()),
            unreadable: now.unreadable,
            unrecorded: unrecorded(&place.prefix, &now),
            repository_of_other: of_other.map(|id| readable(&path_of(&id))),
            totals,
            files,
        };
        state.found = found;
        state.listings += 1;
        if state.listings.is_multiple_of(PRUNE_EVERY)
            && let Err(error) = place.prune(&self.needed(&baseline, &now))
        {
            tracing::info!(%error, "contents that are no longer needed were kept");
        }
        drop(state);
        self.write(TOTALS, &totals)?;
        Ok(listing)
    }

    /// Returns the sums of the last listing, also of an earlier run of the app. Reads one small file.
    pub fn totals(&self) -> Option<ChangeTotals> {
        serde_json::from_slice(&fs::read(self.store.join(TOTALS)).ok()?).ok()
    }

    /// Reads both sides of a file of the last listing.
    pub fn read(&self, id: &str, version: &str) -> Result<FileChange, Unavailable> {
        let mut state = self.state();
        let Opened { place, .. } = self.opened(&mut state)?;
        let found = find(&state, &place, id, version)?.clone();
        drop(state);
        let [old, new] = sides(&place, &found)?;
        let mut change = FileChange {
            file: file_of(&place.prefix, &found, version),
            parts: Vec::new(),
            lossy: false,
            cut: false,
            unfinished_before: false,
            unfinished_now: false,
            before: found.old.as_ref().map(|entry| side(entry, old.as_deref())),
            now: found.new.as_ref().map(|entry| side(entry, new.as_deref())),
        };
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let inner = change.before.iter().chain(&change.now).any(|side| side.commit.is_some());
        if found.unrecorded.is_some() || inner {
            change.file.content = found.unrecorded.map_or(Content::Repository, Content::from);
            return Ok(change);
        }
        let (content, counted) = crate::counts::compared(&found, &old, &new);
        change.file.content = content;
        change.file.added = counted.map(|(added, _)| added);
        change.file.removed = counted.map(|(_, removed)| removed);
        if matches!(content, Content::Text | Content::Link) {
            let shown = lines::shown(&old, &new);
            change.parts = shown.parts;
            (change.lossy, change.cut) = (shown.lossy, shown.cut);
            let unfinished = |content: &[u8]| content.last().is_some_and(|last| *last != b'\n');
            (change.unfinished_before, change.unfinished_now) = (unfinished(&old), unfinished(&new));
        }
        Ok(change)
    }

    /// Finds a file of the last listing with both of its recorded contents.
    pub(crate) fn recorded(&self, id: &str, version: &str) -> Result<Recorded, Unavailable> {
        let mut state = self.state();
        let Opened { place, .. } = self.opened(&mut state)?;
        let found = find(&state, &place, id, version)?.clone();
        drop(state);
        let [old, new] = sides(&place, &found)?;
        Ok(Recorded { place, found, old, new })
    }

    /// Records the folder as it is now.
    pub(crate) fn record_now(&self) -> Result<(RecordedFolder, Snapshot), Unavailable> {
        let mut state = self.state();
        let Opened { place, baseline, .. } = self.opened(&mut state)?;
        let now = self.record(&place, &baseline)?;
        Ok((place, now))
    }

    fn record(&self, place: &RecordedFolder, baseline: &Snapshot) -> Result<Snapshot, Unavailable> {
        if !place.top.join(to_path(&place.prefix)).is_dir() {
            return Err(Unavailable::FolderGone);
        }
        // What a crash of the app left behind would stop every later listing.
        let _ = fs::remove_file(self.store.join(GIT_DIR).join("index.lock"));
        place.record(Moment::Later(baseline))
    }

    pub(crate) fn place(&self) -> Result<RecordedFolder, Unavailable> {
        Ok(self.opened(&mut self.state())?.place)
    }

    pub(crate) fn store(&self) -> &Path {
        &self.store
    }

    /// Returns the trees whose contents are still needed.
    fn needed(&self, baseline: &Snapshot, now: &Snapshot) -> Vec<String> {
        let mut trees = self.marked_trees();
        trees.extend([baseline.tree.clone(), now.tree.clone()]);
        trees
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self, state: &mut State) -> Result<Opened, Unavailable> {
        if let Some(opened) = &state.opened {
            return Ok(opened.clone());
        }
        let stored = fs::read(self.store.join(BASELINE)).map_err(|_| Unavailable::NoBaseline)?;
        let stored: Baseline = serde_json::from_slice(&stored).map_err(|_| Unavailable::BaselineLost)?;
        if stored.format != FORMAT {
            return Err(Unavailable::BaselineLost);
        }
        let program = git::program().ok_or(Unavailable::NoGit)?;
        let top = to_path(&path_of(&stored.top));
        let git_dir = self.store.join(GIT_DIR);
        let git = git::private(&program, &git_dir, &top);
        let (prefix, in_repository) = (path_of(&stored.prefix), stored.in_repository);
        let opened = Opened {
            place: RecordedFolder { git, top, prefix, in_repository, git_dir },
            baseline: stored.snapshot,
            of_other: stored.of_other,
        };
        state.opened = Some(opened.clone());
        Ok(opened)
    }

    pub(crate) fn write(&self, name: &str, value: &impl Serialize) -> Result<(), Unavailable> {
        let path = self.store.join(name);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&self.store)?;
            serde_json::to_writer(&mut file, value)?;
            persist(file, &path)
        };
        write().map_err(|error: io::Error| failed(&path, &error))
    }
}

/// A changed file with both of its recorded contents; none where a side doesn't exist or is not a file's content.
pub(crate) struct Recorded {
    pub(crate) place: RecordedFolder,
    pub(crate) found: Difference,
    pub(crate) old: Option<Vec<u8>>,
    pub(crate) new: Option<Vec<u8>>,
}

fn find<'a>(
    state: &'a State,
    place: &RecordedFolder,
    id: &str,
    version: &str,
) -> Result<&'a Difference, Unavailable> {
    let mut path = place.prefix.clone();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend(path_of(id));
    let found = state.found.iter().find(|one| one.path == path).ok_or(Unavailable::Outdated)?;
    // The version of a file that is not recorded has no contents to compare.
    if found.unrecorded.is_some() || version_of(found) == version {
        Ok(found)
    } else {
        Err(Unavailable::Outdated)
    }
}

/// The contents of both sides; none where a side doesn't exist or is not a file.
pub(crate) type Contents = [Option<Vec<u8>>; 2];

pub(crate) fn sides(place: &RecordedFolder, found: &Difference) -> Result<Contents, Unavailable> {
    let is_file = |entry: &&Entry| entry.mode != crate::compare::REPOSITORY;
    let entries = [&found.old, &found.new].map(|entry| entry.as_ref().filter(is_file));
    let wanted = entries.iter().flatten().map(|entry| &*entry.object).collect::<Vec<_>>();
    let contents = objects::contents(&place.git, &wanted)?;
    if wanted.iter().any(|object| !contents.contains_key(*object)) {
        return Err(Unavailable::BaselineLost);
    }
    Ok(entries.map(|entry| entry.and_then(|entry| contents.get(&entry.object).cloned())))
}

fn side(entry: &Entry, content: Option<&[u8]>) -> Side {
    let inner = entry.mode == crate::compare::REPOSITORY;
    Side {
        bytes: content.map(|content| content.len() as u64),
        commit: inner.then(|| entry.object.chars().take(12).collect()),
    }
}

fn file(prefix: &[u8], one: &Difference, now: &Snapshot, counts: &Counts) -> ChangedFile {
    let version = match now.stamped.get(&path_to_id(&one.path)) {
        Some(stamp) if one.unrecorded.is_some() => format!("{}@{}", stamp.bytes, stamp.modified),
        _ => version_of(one),
    };
    let (content, counted) = counts.of(one);
    ChangedFile {
        content,
        added: counted.map(|(added, _)| added),
        removed: counted.map(|(_, removed)| removed),
        ..file_of(prefix, one, &version)
    }
}

/// The files of a folder whose contents are not recorded, by the reason.
fn unrecorded(prefix: &[u8], now: &Snapshot) -> Vec<Unrecorded> {
    let mut by_reason: BTreeMap<WhyUnrecorded, Unrecorded> = BTreeMap::new();
    for (id, Stamp { why, .. }) in &now.stamped {
        let path = path_of(id);
        if !is_below(prefix, &path) {
            continue;
        }
        let known =
            by_reason.entry(*why).or_insert_with(|| Unrecorded { why: *why, files: 0, paths: Vec::new() });
        known.files = known.files.saturating_add(1);
        if known.paths.len() < UNRECORDED_NAMED {
            known.paths.push(readable(&below(prefix, &path)));
        }
    }
    by_reason.into_values().collect()
}

/// A path as the folder has it.
pub(crate) fn below(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    let rest = path.strip_prefix(prefix).unwrap_or(path);
    rest.strip_prefix(b"/").unwrap_or(rest).to_vec()
}

fn file_of(prefix: &[u8], one: &Difference, version: &str) -> ChangedFile {
    let path = below(prefix, &one.path);
    ChangedFile {
        id: path_to_id(&path),
        path: readable(&path),
        old_path: one.old_path.as_ref().map(|path| readable(&below(prefix, path))),
        kind: one.kind,
        content: Content::Uncounted,
        added: None,
        removed: None,
        version: version.to_owned(),
    }
}

fn version_of(one: &Difference) -> String {
    let name = |entry: &Option<Entry>| {
        entry.as_ref().map(|entry| format!("{:o}-{}", entry.mode, entry.object)).unwrap_or_default()
    };
    format!("{}..{}", name(&one.old), name(&one.new))
}

/// A number for a recorded state. It is compared only with others of the same version of the app.
pub(crate) fn state_of(now: &Snapshot) -> u32 {
    let mut hasher = DefaultHasher::new();
    now.hash(&mut hasher);
    u32::try_from(hasher.finish() >> 32).unwrap_or_default()
}

/// Removes a folder, if it exists.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn failed(path: &Path, error: &io::Error) -> Unavailable {
    Unavailable::Failed { error: format!("{}: {error}", path.display()) }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
