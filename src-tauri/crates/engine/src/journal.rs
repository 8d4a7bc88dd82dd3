//! The journal stores events before they are published.

mod drafts;
mod format_three;
mod history;
mod indexed_text;
mod lasting_permissions;
mod phrases;
mod read;
mod record;
mod redaction;
mod schema;
mod search;
mod tables;
mod totals;
mod usage;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_domain::{Desk, Entry, Event, RequestEvent, SessionId, StorageError, Timestamp};
use rusqlite::{Connection, Transaction};

pub use drafts::KEPT_DRAFTS;
pub use history::{OutcomeKind, QuestionFilter, QuestionsFound};
pub use read::{Page, Reader};
pub use search::{EntryKind, Found, Hit, SEARCHED_BEST};
pub use totals::{
    ANSWER_TIMES, AnswerTimeCount, CountedEnd, DAYS_COUNTED, DayBounds, NotDayBounds, OutcomeCount,
    QuestionTotals,
};

use crate::frame::StorageNotice;
use crate::{private, quarantine::quarantine};

/// A connection, the folded events, and the position of the newest entry of each session.
type Contents = (Connection, Desk, BTreeMap<SessionId, u64>);

/// The only connection that writes.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    path: PathBuf,
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
    /// A storage problem that the user should know about.
    pub notice: Option<StorageNotice>,
}

/// How long to wait for a lock that is held: by an instance that is just ending, or by a process that it was starting,
/// which shares the lock until its own program runs.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_AGAIN: Duration = Duration::from_millis(20);

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
    /// A damaged database is renamed and a new one created. A newer one is left in place and another file beside it is
    /// used. Neither is ever overwritten, and [`Opened::notice`] reports it.
    pub fn open(folder: &Path, now: Timestamp) -> Result<Opened, StorageError> {
        let io =
            |error: std::io::Error| StorageError::Other { path: named(folder), error: error.to_string() };
        private::create_folder(folder).map_err(io)?;
        // An earlier version, or another program, may have left it readable by others.
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
        let path = folder.join("desk.db");
        match Self::open_or_keep(&path, now) {
            Ok((opened, kept)) => Ok(Self::opened(path, lock, opened, kept)),
            Err(StorageError::TooNew { found, .. }) => {
                let used = folder.join(format!("desk-format-{}.db", record::FORMAT));
                tracing::error!(found, known = record::FORMAT, "the database belongs to a newer version");
                let notice = StorageNotice::Newer { kept: named(&path), used: named(&used) };
                let (opened, damaged) = Self::open_or_keep(&used, now)?;
                Ok(Self::opened(used, lock, opened, damaged.or(Some(notice))))
            }
            Err(error) => Err(error),
        }
    }

    fn opened(path: PathBuf, lock: File, opened: Contents, notice: Option<StorageNotice>) -> Opened {
        let (connection, desk, entries) = opened;
        let journal = Self { connection, path, _lock: lock };
        // If the app ended during a deletion, traces may remain.
        journal.sweep_soon();
        Opened { journal, desk, entries, notice }
    }

    /// Opens a database; a damaged one is renamed and replaced by a new one.
    fn open_or_keep(path: &Path, now: Timestamp) -> Result<(Contents, Option<StorageNotice>), StorageError> {
        match Self::open_file(path) {
            Err(StorageError::Damaged { error, .. }) => {
                tracing::error!(path = %path.display(), error, "the database is damaged and is quarantined");
                let kept = quarantine(path, now)
                    .map_err(|error| StorageError::Stuck { path: named(path), error: error.to_string() })?;
                let notice = StorageNotice::Corrupt { kept: named(&kept) };
                Ok((Self::open_file(path)?, Some(notice)))
            }
            opened => opened.map(|opened| (opened, None)),
        }
    }

    fn open_file(path: &Path) -> Result<Contents, StorageError> {
        let connection = schema::connect(path)?;
        let events = read::events(&connection, path)?;
        let entries = read::newest_entries(&connection, path)?;
        Ok((connection, Desk::replay(&events), entries))
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
        })
    }

    /// Writes entries without events. A failure of the machine may lose them, a crash of the app can't.
    pub fn commit_entries(&mut self, entries: &[(SessionId, Entry)]) -> Result<(), StorageError> {
        self.transact(Durability::Normal, |transaction| tables::write_entries(transaction, entries))
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
