//! The journal: what has happened, on disk before anybody hears of it.

mod drafts;
mod error;
mod format_three;
mod history;
mod indexed_text;
mod read;
mod record;
mod redaction;
mod schema;
mod search;
mod tables;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_domain::{Desk, Entry, Event, RequestEvent, SessionId, Timestamp};
use rusqlite::{Connection, Transaction};

pub use drafts::KEPT_DRAFTS;
pub use error::JournalError;
pub use history::{OutcomeKind, QuestionFilter, QuestionsFound};
pub use read::{Page, Reader};
pub use search::{EntryKind, Found, Hit, SEARCHED_BEST};

use crate::frame::StorageNotice;
use crate::{private, quarantine::quarantine};

/// A connection, the events folded, and the place of the newest entry of each session.
type Contents = (Connection, Desk, BTreeMap<SessionId, u64>);

/// The one connection that writes.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    path: PathBuf,
    // Held for as long as the journal lives: two writers on one folder would each believe to be the only one.
    _lock: File,
}

/// A journal with what it holds.
#[derive(Debug)]
pub struct Opened {
    pub journal: Journal,
    /// The events, folded.
    pub desk: Desk,
    /// The place of the newest entry of each session.
    pub entries: BTreeMap<SessionId, u64>,
    /// What the person should know about the storage.
    pub notice: Option<StorageNotice>,
}

/// How long a lock that somebody holds is waited for: a desk that is just ending, or a process it was starting as it
/// ended, which shares the lock until its own program runs.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
/// How long between two looks at it.
const LOCK_AGAIN: Duration = Duration::from_millis(20);

/// Which kind of write it is, and so how long it may take to be safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    /// On disk when the call returns, whatever happens to the machine.
    Full,
    /// Safe against a crash of the app; the last moments may go with the machine.
    Normal,
}

impl Journal {
    /// Opens the journal of a data folder and folds what it holds.
    ///
    /// A damaged database is kept under another name and an empty one begun; a newer one is left where it is and a
    /// file beside it is used. Neither is ever overwritten, and [`Opened::notice`] says so.
    pub fn open(folder: &Path, now: Timestamp) -> Result<Opened, JournalError> {
        let io =
            |error: std::io::Error| JournalError::Io { path: folder.to_owned(), detail: error.to_string() };
        private::create_folder(folder).map_err(io)?;
        // An earlier version, or somebody else, may have left it open to others.
        private::tighten(folder);
        let lock = private::open_file(&folder.join("desk.lock")).map_err(io)?;
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOCK_AGAIN),
                Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { path: folder.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
        }
        let path = folder.join("desk.db");
        match Self::open_or_keep(&path, now) {
            Ok((opened, kept)) => Ok(Self::opened(path, lock, opened, kept)),
            Err(JournalError::SchemaTooNew { found, .. }) => {
                let used = folder.join(format!("desk-format-{}.db", record::FORMAT));
                tracing::error!(found, known = record::FORMAT, "the database belongs to a newer version");
                let notice = StorageNotice::Newer {
                    kept: path.display().to_string(),
                    used: used.display().to_string(),
                };
                let (opened, damaged) = Self::open_or_keep(&used, now)?;
                Ok(Self::opened(used, lock, opened, damaged.or(Some(notice))))
            }
            Err(error) => Err(error),
        }
    }

    fn opened(path: PathBuf, lock: File, opened: Contents, notice: Option<StorageNotice>) -> Opened {
        let (connection, desk, entries) = opened;
        let journal = Self { connection, path, _lock: lock };
        // An end in the middle of a deletion may have left traces of it.
        journal.sweep_soon();
        Opened { journal, desk, entries, notice }
    }

    /// Opens a database; a damaged one is kept under another name and an empty one begun in its place.
    fn open_or_keep(path: &Path, now: Timestamp) -> Result<(Contents, Option<StorageNotice>), JournalError> {
        match Self::open_file(path) {
            Err(JournalError::Corrupt { detail, .. }) => {
                tracing::error!(path = %path.display(), detail, "the database is damaged and is quarantined");
                let kept = quarantine(path, now).map_err(|error| JournalError::NotQuarantined {
                    path: path.to_owned(),
                    detail: error.to_string(),
                })?;
                let notice = StorageNotice::Corrupt { kept: kept.display().to_string() };
                Ok((Self::open_file(path)?, Some(notice)))
            }
            opened => opened.map(|opened| (opened, None)),
        }
    }

    fn open_file(path: &Path) -> Result<Contents, JournalError> {
        let connection = schema::connect(path)?;
        let events = read::events(&connection, path)?;
        let entries = read::newest_entries(&connection, path)?;
        Ok((connection, Desk::replay(&events), entries))
    }

    /// Returns a reader on the same database, with a connection of its own.
    pub fn reader(&self) -> Result<Reader, JournalError> {
        Reader::open(&self.path)
    }

    /// Writes events, and entries that belong to them, in one transaction that is on disk when this returns.
    pub fn commit(
        &mut self,
        events: &[Event],
        entries: &[(SessionId, Entry)],
        at: Timestamp,
    ) -> Result<(), JournalError> {
        // A call ends with its agent, and so does the question whether its end has arrived; a message outlives both.
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

    /// Writes entries alone; they may be the last moments lost with the machine, never with the app.
    pub fn commit_entries(&mut self, entries: &[(SessionId, Entry)]) -> Result<(), JournalError> {
        self.transact(Durability::Normal, |transaction| tables::write_entries(transaction, entries))
    }

    /// Moves everything from the write-ahead log into the database, at the end of the app.
    pub fn checkpoint(&self) -> Result<(), JournalError> {
        let run = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        match run.map_err(|error| JournalError::of(&self.path, &error))? {
            // Somebody reads what is in the log at this moment.
            true => Err(JournalError::Busy { path: self.path.clone() }),
            false => Ok(()),
        }
    }

    fn transact(
        &mut self,
        durability: Durability,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), JournalError> {
        let level = if durability == Durability::Full { "FULL" } else { "NORMAL" };
        let run = || {
            self.connection.pragma_update(None, "synchronous", level)?;
            let transaction = self.connection.transaction()?;
            write(&transaction)?;
            transaction.commit()
        };
        run().map_err(|error| JournalError::of(&self.path, &error))
    }

    /// Sets the most pages the database may have, so that tests can fill it.
    #[cfg(test)]
    pub(crate) fn limit_pages(&self, pages: u32) {
        self.connection.pragma_update(None, "max_page_count", pages).expect("the limit is set");
    }
}
