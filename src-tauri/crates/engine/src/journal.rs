//! The journal stores events before they are published.

mod damage;
mod drafts;
mod history;
mod indexed_text;
mod joined_scripts;
mod lasting_permissions;
mod pages;
mod phrases;
mod read;
mod record;
mod redaction;
mod salvage;
mod schema;
mod search;
mod snapshot;
mod tables;
mod totals;
mod unreadable;
mod usage;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_contract::frame::StorageNotice;
use askdesk_domain::{Desk, Entry, Event, RequestEvent, SessionEvent, SessionId, StorageError, Timestamp};
use rusqlite::{Connection, Transaction};

pub(crate) use damage::DamageSearch;
pub use drafts::KEPT_DRAFTS;
pub use history::{QuestionFilter, QuestionsFound};
pub use read::Reader;
pub use salvage::Salvaged;
#[cfg(test)]
pub(crate) use search::text_of;
pub use search::{FoundEntries, Hit};
pub use totals::ANSWER_TIMES;

use redaction::Sweep;
use snapshot::Progress;
use unreadable::Events;

use crate::{private, quarantine::quarantine};

/// What an opened database holds.
struct Contents {
    connection: Connection,
    desk: Desk,
    progress: Progress,
    sweep: Option<Sweep>,
    /// The position of the newest entry of each session.
    entries: BTreeMap<SessionId, u64>,
    /// How many events can't be read.
    unreadable: u64,
}

/// The only connection that writes.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    path: PathBuf,
    progress: Progress,
    sweep: Option<Sweep>,
    // Locked as long as the journal exists: two writers on one folder would each assume that they are the only one.
    _lock: File,
}

/// An opened journal with its content.
#[derive(Debug)]
pub struct Opened {
    pub journal: Journal,
    pub desk: Desk,
    /// The position of the newest entry of each session.
    pub entries: BTreeMap<SessionId, u64>,
    /// Storage problems that the user should know about.
    pub notices: Vec<StorageNotice>,
}

/// How long to wait for a lock that is held: by an instance that is just ending, or by a process that it was starting,
/// which shares the lock until its own program runs.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_AGAIN: Duration = Duration::from_millis(20);

/// Takes more space than an ordinary write, and gives it back.
const PROBE: &str = "
    CREATE TABLE probe (bytes BLOB) STRICT;
    INSERT INTO probe VALUES (zeroblob(65536));
    DROP TABLE probe;
";

/// How durable a write is, and so how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// On disk when the call returns, even if the machine fails.
    Full,
    /// Survives a crash of the app; a failure of the machine may lose the most recent writes.
    Normal,
}

impl Journal {
    /// Opens the journal of a data folder and folds its events.
    ///
    /// A database that can't be read is renamed and a new one created, and so is one in which damage was found when it was last
    /// used; of an intact one, events that can't be read are set aside. A newer
    /// one is left in place and another file beside it is used. Nothing is ever overwritten, and [`Opened::notices`] reports
    /// it until the user has dealt with it.
    pub fn open(folder: &Path, now: Timestamp) -> Result<Opened, StorageError> {
        let io =
            |error: std::io::Error| StorageError::Other { path: named(folder), error: error.to_string() };
        private::create_folder(folder).map_err(io)?;
        // Another program may have left it readable by others.
        private::tighten(folder);
        let lock = private::open_file(&folder.join("desk.lock")).map_err(io)?;
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOCK_AGAIN),
                Err(TryLockError::WouldBlock) => return Err(StorageError::Busy { path: named(folder) }),
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
        }
        salvage::remove_copies(folder);
        let path = folder.join("desk.db");
        match Self::open_or_keep(&path, now) {
            Ok(opened) => Ok(Self::opened(path, lock, opened, None)),
            Err(StorageError::TooNew { found, .. }) => {
                let used = folder.join(format!("desk-format-{}.db", record::FORMAT));
                tracing::error!(found, known = record::FORMAT, "the database belongs to a newer version");
                let notice = StorageNotice::Newer { kept: named(&path), used: named(&used) };
                let opened = Self::open_or_keep(&used, now)?;
                Ok(Self::opened(used, lock, opened, Some(notice)))
            }
            Err(error) => Err(error),
        }
    }

    fn opened(path: PathBuf, lock: File, opened: Contents, newer: Option<StorageNotice>) -> Opened {
        let Contents { connection, desk, progress, sweep, entries, unreadable } = opened;
        let journal = Self { connection, path, progress, sweep, _lock: lock };
        let mut notices = journal.set_aside_databases();
        notices.extend((unreadable > 0).then_some(StorageNotice::Unreadable { count: unreadable }));
        notices.extend(newer);
        Opened { journal, desk, entries, notices }
    }

    /// Opens a database; a damaged one is renamed and replaced by a new one.
    fn open_or_keep(path: &Path, now: Timestamp) -> Result<Contents, StorageError> {
        match Self::open_file(path, now) {
            Err(StorageError::Damaged { error, .. }) => {
                tracing::error!(path = %path.display(), error, "the database is damaged and is quarantined");
                quarantine(path, now)
                    .map_err(|error| StorageError::Stuck { path: named(path), error: error.to_string() })?;
                damage::unmark(path);
                Self::open_file(path, now)
            }
            opened => opened,
        }
    }

    fn open_file(path: &Path, now: Timestamp) -> Result<Contents, StorageError> {
        let fail = |error: rusqlite::Error| storage_error(path, &error);
        let mut connection = schema::connect(path)?;
        let mut untold = unreadable::count_untold(&connection).map_err(fail)?;
        let known = snapshot::read(&connection).map_err(fail)?;
        let behind = match &known {
            Some((_, seq)) => Events::read(&connection, *seq).map_err(fail)?,
            None => Events::default(),
        };
        let (desk, behind) = match known {
            // What takes the place of an unreadable event depends on all events.
            Some((desk, _)) if behind.unreadable.is_empty() => (desk, behind),
            _ => {
                let mut events = Events::read(&connection, 0).map_err(fail)?;
                if !events.unreadable.is_empty() {
                    untold += events.unreadable.len() as u64;
                    let completed = events.complete(&connection).map_err(fail)?;
                    // If the disk doesn't accept it, the next start finds the same.
                    let set_aside =
                        unreadable::set_aside(&mut connection, &events.unreadable, &completed, now);
                    if let Err(error) = set_aside {
                        tracing::warn!(%error, "unreadable events could not be set aside");
                    }
                }
                (Desk::default(), events)
            }
        };
        let progress = Progress::new(snapshot::newest_event(&connection).map_err(fail)?, behind.count());
        let desk = behind.iter().fold(desk, |mut desk, event| {
            desk.fold(event);
            desk
        });
        let sessions = desk.sessions().chain(desk.closed_sessions()).map(|session| session.id);
        let entries = read::newest_entries(&connection, sessions).map_err(fail)?;
        // The app may have ended before all traces of a deletion were removed.
        let sweep = Self::owed_sweep(&connection).map_err(fail)?;
        Ok(Contents { connection, desk, progress, sweep, entries, unreadable: untold })
    }

    /// Returns a reader with its own connection to the same database.
    pub fn reader(&self) -> Result<Reader, StorageError> {
        Reader::open(&self.path)
    }

    /// Writes events and their entries in one transaction, which is on disk when this returns.
    pub fn commit(
        &mut self,
        events: &[Event],
        entries: &[(SessionId, Entry)],
        at: Timestamp,
    ) -> Result<(), StorageError> {
        // A call ends with its agent, so its delivery no longer matters; a message outlives both.
        let on_its_way = events
            .iter()
            .all(|event| matches!(event, Event::Request(RequestEvent::Sending { late: false, .. })));
        let durability = if on_its_way { Durability::Normal } else { Durability::Full };
        self.transact(durability, |transaction| {
            for event in events {
                tables::write_event(transaction, event, at)?;
            }
            tables::write_entries(transaction, entries)
        })?;
        self.progress.stored(events.len());
        if events.iter().any(|event| matches!(event, Event::Session(SessionEvent::Deleted { .. }))) {
            self.progress.dropped();
            self.sweep = Some(Sweep::BEGIN);
        }
        Ok(())
    }

    /// Writes entries without events. A failure of the machine may lose them, a crash of the app can't.
    pub fn commit_entries(&mut self, entries: &[(SessionId, Entry)]) -> Result<(), StorageError> {
        self.transact(Durability::Normal, |transaction| tables::write_entries(transaction, entries))
    }

    /// Writes something that changes nothing, to find out whether the disk accepts it.
    pub fn try_to_write(&mut self) -> Result<(), StorageError> {
        self.transact(Durability::Full, |transaction| transaction.execute_batch(PROBE))
    }

    /// Moves everything from the write-ahead log into the database when the app ends.
    pub fn checkpoint(&self) -> Result<(), StorageError> {
        let run = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        match run.map_err(|error| storage_error(&self.path, &error))? {
            // A reader is using the log.
            true => Err(StorageError::Busy { path: named(&self.path) }),
            false => Ok(()),
        }
    }

    fn transact(
        &mut self,
        durability: Durability,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), StorageError> {
        let level = if durability == Durability::Full { "FULL" } else { "NORMAL" };
        let run = || {
            self.connection.pragma_update(None, "synchronous", level)?;
            let transaction = self.connection.transaction()?;
            write(&transaction)?;
            transaction.commit()
        };
        run().map_err(|error| storage_error(&self.path, &error))
    }

    /// Keeps more pages in memory and overwrites nothing that is freed, for transactions that write far more than the app's.
    #[cfg(feature = "bench")]
    pub(crate) fn expect_much(&self) -> Result<(), StorageError> {
        let set = self.connection.execute_batch("PRAGMA cache_size = -262144; PRAGMA secure_delete = OFF");
        set.map_err(|error| storage_error(&self.path, &error))
    }

    /// Limits the number of pages of the database, so that tests can fill it.
    #[cfg(test)]
    pub(crate) fn limit_pages(&self, pages: u32) {
        self.connection.pragma_update(None, "max_page_count", pages).expect("the limit is set");
    }
}

fn named(path: &Path) -> String {
    path.display().to_string()
}

fn storage_error(path: &Path, error: &rusqlite::Error) -> StorageError {
    use rusqlite::ErrorCode;
    let (path, detail) = (named(path), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StorageError::Busy { path },
        Some(ErrorCode::DiskFull) => StorageError::Full { path },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StorageError::Damaged { path, error: detail }
        }
        _ => StorageError::Other { path, error: detail },
    }
}
