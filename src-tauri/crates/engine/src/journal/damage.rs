//! Looks for damage while the app runs: the whole database at any size, slowly, and on its own connection.
//!
//! What is found is told to the user and marked beside the database. The next start checks a marked database before it opens
//! it, and sets it aside if it is damaged.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use askdesk_domain::StorageError;
use rusqlite::Connection;

use super::{Journal, Reader};
use crate::private;

/// How long a start gets the disk for itself.
const DELAY: Duration = Duration::from_millis(if cfg!(feature = "faults") { 50 } else { 5_000 });
/// How long it reads, and how long it then leaves the disk and the processor to others.
const WORK: Duration = Duration::from_millis(5);
const REST: Duration = Duration::from_millis(15);
/// After how many of SQLite's steps it looks up.
const STEPS: i32 = 1_000;
/// How long it waits before it reports again what nobody has taken.
const AGAIN: Duration = Duration::from_millis(100);

/// The search in one database. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct DamageSearch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Holds the search back until it is dropped.
#[must_use]
pub(crate) struct HeldBack<'a>(&'a Shared);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether a search that is reading must stop reading.
    interrupt: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    is_ended: bool,
    is_held: bool,
    is_reading: bool,
}

/// What a search found.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Sound,
    Damaged(String),
    Interrupted,
}

impl Journal {
    /// Looks for damage on a thread of its own. `report` is called, if there is any, until it returns true.
    pub(crate) fn search_damage(
        &self,
        report: impl Fn(&Path) -> bool + Send + 'static,
    ) -> std::io::Result<DamageSearch> {
        let (shared, path) = (Arc::<Shared>::default(), self.path.clone());
        let theirs = Arc::clone(&shared);
        let search = move || {
            if theirs.rest(DELAY) && theirs.finds_damage(&path) {
                while !report(&path) && theirs.rest(AGAIN) {}
            }
        };
        let thread = std::thread::Builder::new().name("damage".to_owned()).spawn(search)?;
        Ok(DamageSearch { shared, thread: Some(thread) })
    }
}

impl DamageSearch {
    /// Lets go of the database: while it is read, its log can't be emptied.
    pub(crate) fn hold_back(&self) -> HeldBack<'_> {
        let mut state = self.shared.state();
        state.is_held = true;
        self.shared.interrupt.store(true, Ordering::Release);
        self.shared.changed.notify_all();
        while state.is_reading {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        HeldBack(&self.shared)
    }
}

impl Drop for DamageSearch {
    fn drop(&mut self) {
        self.shared.state().is_ended = true;
        self.shared.interrupt.store(true, Ordering::Release);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for HeldBack<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_held = false;
        self.0.interrupt.store(state.is_ended, Ordering::Release);
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; returns false if the search has ended.
    fn rest(&self, time: Duration) -> bool {
        let ended = self.changed.wait_timeout_while(self.state(), time, |state| !state.is_ended);
        !ended.unwrap_or_else(PoisonError::into_inner).0.is_ended
    }

    /// Notes that the database is going to be read, once the search isn't held back; returns false if the search has ended.
    fn begin_reading(&self) -> bool {
        let held = self.changed.wait_while(self.state(), |state| state.is_held && !state.is_ended);
        let mut state = held.unwrap_or_else(PoisonError::into_inner);
        state.is_reading = !state.is_ended;
        state.is_reading
    }

    fn end_reading(&self) {
        self.state().is_reading = false;
        self.changed.notify_all();
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }

    /// Searches all of a database, from the beginning after each time it was held back.
    fn finds_damage(self: &Arc<Self>, path: &Path) -> bool {
        while self.begin_reading() {
            let verdict = self.read(path);
            self.end_reading();
            match verdict {
                Ok(Verdict::Interrupted) => {}
                Ok(Verdict::Sound) => return false,
                Ok(Verdict::Damaged(error)) => {
                    tracing::error!(path = %path.display(), error, "the database is damaged");
                    mark(path, &error);
                    return true;
                }
                Err(error) => {
                    tracing::warn!(%error, "the database could not be searched for damage");
                    return false;
                }
            }
        }
        false
    }

    fn read(self: &Arc<Self>, path: &Path) -> Result<Verdict, StorageError> {
        let reader = Reader::open(path)?;
        let (shared, mut began) = (Arc::clone(self), Instant::now());
        let pace = move || {
            if began.elapsed() >= WORK && !shared.is_interrupted() {
                shared.pause();
                began = Instant::now();
            }
            shared.is_interrupted()
        };
        let verdict = reader.query(|connection| {
            connection.progress_handler(STEPS, Some(pace))?;
            check(connection)
        });
        match verdict {
            _ if self.is_interrupted() => Ok(Verdict::Interrupted),
            Ok(None) => Ok(Verdict::Sound),
            Ok(Some(error)) | Err(StorageError::Damaged { error, .. }) => Ok(Verdict::Damaged(error)),
            Err(error) => Err(error),
        }
    }

    /// Leaves the disk to others, unless somebody waits for the search to let go.
    fn pause(&self) {
        let goes_on = |state: &mut State| !state.is_ended && !state.is_held;
        let _ = self.changed.wait_timeout_while(self.state(), REST, goes_on);
    }
}

/// Checks a whole database; returns what is wrong with it.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

fn mark_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".found-damaged");
    PathBuf::from(name)
}

fn mark(path: &Path, error: &str) {
    use std::io::Write as _;
    let written = private::open_file(&mark_of(path)).and_then(|mut file| file.write_all(error.as_bytes()));
    if let Err(error) = written {
        tracing::error!(%error, "the next start will not know that the database is damaged");
    }
}

/// Returns whether damage was found in a database when it was last used.
pub(super) fn is_marked(path: &Path) -> bool {
    mark_of(path).exists()
}

pub(super) fn unmark(path: &Path) {
    if let Err(error) = std::fs::remove_file(mark_of(path))
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "the database will be checked again at the next start");
    }
}

#[cfg(test)]
mod tests;
