//! The journal: what has happened, on disk before anybody hears of it.

mod drafts;
mod format_three;
mod history;
mod indexed_text;
mod read;
mod redaction;
mod schema;
mod search;

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_domain::{
    ApprovalEvent, ApprovalState, Delivery, Desk, Entry, Event, EventSubject, Outcome, QueueEvent,
    RequestEvent, RequestId, SessionEvent, SessionId, StorageError, Timestamp,
};
use rusqlite::{Connection, Transaction, params};

pub use drafts::KEPT_DRAFTS;
pub use history::{OutcomeKind, QuestionFilter, QuestionsFound};
pub use read::{Page, Reader};
pub use search::{EntryKind, Found, Hit, SEARCHED_BEST};

use crate::frame::StorageNotice;
use crate::{private, quarantine::quarantine};

/// Why the journal could not be read or written.
#[derive(Clone, Debug)]
pub enum JournalError {
    /// Another program holds the database or its folder.
    Busy { path: PathBuf },
    /// The disk, or the database's own limit, is full.
    Full {
        /// What cannot grow.
        path: PathBuf,
    },
    /// The file is not a database, or is damaged.
    Corrupt { path: PathBuf, detail: String },
    /// The file is damaged and cannot be kept under another name.
    NotQuarantined { path: PathBuf, detail: String },
    /// The database was written by a newer version of the app.
    SchemaTooNew {
        path: PathBuf,
        found: u32,
        /// The newest format this version knows.
        known: u32,
    },
    /// Anything else that reading or writing met.
    Io { path: PathBuf, detail: String },
}

impl std::error::Error for JournalError {}

impl Display for JournalError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        StorageError::from(self).fmt(f)
    }
}

impl From<&JournalError> for StorageError {
    fn from(error: &JournalError) -> Self {
        let named = |path: &Path| path.display().to_string();
        match error {
            JournalError::Busy { path } => Self::Busy { path: named(path) },
            JournalError::Full { path } => Self::Full { path: named(path) },
            JournalError::Corrupt { path, detail } => {
                Self::Damaged { path: named(path), error: detail.clone() }
            }
            JournalError::NotQuarantined { path, detail } => {
                Self::Stuck { path: named(path), error: detail.clone() }
            }
            JournalError::SchemaTooNew { path, found, known } => {
                Self::TooNew { path: named(path), found: *found, known: *known }
            }
            JournalError::Io { path, detail } => Self::Other { path: named(path), error: detail.clone() },
        }
    }
}

impl JournalError {
    fn of(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { path, detail },
            _ => Self::Io { path, detail },
        }
    }
}

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
                let used = folder.join(format!("desk-format-{}.db", schema::NEWEST));
                tracing::error!(found, known = schema::NEWEST, "the database belongs to a newer version");
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
                write_event(transaction, event, at)?;
            }
            write_entries(transaction, entries)
        })
    }

    /// Writes entries alone; they may be the last moments lost with the machine, never with the app.
    pub fn commit_entries(&mut self, entries: &[(SessionId, Entry)]) -> Result<(), JournalError> {
        self.transact(Durability::Normal, |transaction| write_entries(transaction, entries))
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

fn json<T: serde::Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn write_event(transaction: &Transaction<'_>, event: &Event, at: Timestamp) -> rusqlite::Result<()> {
    let (session, request, approval) = match event.subject() {
        EventSubject::Session(id) => (Some(id.to_string()), None, None),
        EventSubject::Request(id) => (None, Some(id.to_string()), None),
        EventSubject::Approval(id) => (None, None, Some(id.to_string())),
    };
    transaction
        .prepare_cached(
            "INSERT INTO events (at, body, session) VALUES (?1, ?2, COALESCE(
                ?3, (SELECT session FROM requests WHERE id = ?4), (SELECT session FROM approvals WHERE id = ?5)))",
        )?
        .execute(params![at.millis(), json(event)?, session, request, approval])?;
    match event {
        Event::Request(RequestEvent::Asked { request }) => {
            transaction
                .prepare_cached("INSERT INTO requests (id, session, asked_at, body) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![
                    request.id.to_string(),
                    request.session.to_string(),
                    request.asked_at.millis(),
                    json(request)?
                ])?;
        }
        Event::Request(RequestEvent::Ended { request, outcome, at }) => {
            let delivery = outcome.needs_delivery().then_some(Delivery::Pending);
            write_end(transaction, *request, outcome, *at, delivery.as_ref())?;
        }
        Event::Request(RequestEvent::DeliveryChanged { request, delivery, .. }) => {
            transaction
                .prepare_cached("UPDATE requests SET delivery = ?2 WHERE id = ?1")?
                .execute(params![request.to_string(), json(&Some(delivery))?])?;
        }
        // To one of several calls: to all of them it has travelled no further.
        Event::Request(RequestEvent::Sending { call: Some(_), .. }) => {}
        Event::Request(RequestEvent::Sending { request, call: None, .. }) => {
            transaction
                .prepare_cached("UPDATE requests SET delivery = ?2 WHERE id = ?1")?
                .execute(params![request.to_string(), json(&Some(Delivery::Pending))?])?;
        }
        Event::Request(RequestEvent::Reopened { request, native_ref, limit, .. }) => {
            transaction
                .prepare_cached(
                    "UPDATE requests SET outcome = NULL, ended_at = NULL, delivery = NULL,
                        body = json_set(body, '$.nativeRef', ?2, '$.limit', json(?3))
                     WHERE id = ?1",
                )?
                .execute(params![request.to_string(), native_ref.as_str(), json(limit)?])?;
            search::index_again(transaction, &request.to_string())?;
        }
        Event::Request(RequestEvent::AnsweredLate { request, outcome, at }) => {
            write_end(transaction, *request, outcome, *at, Some(&Delivery::Parked))?;
        }
        Event::Request(RequestEvent::Dismissed { request, outcome, at }) => {
            write_end(transaction, *request, outcome, *at, None)?;
        }
        Event::Approval(ApprovalEvent::Asked { approval }) => {
            transaction
                .prepare_cached("INSERT INTO approvals (id, session, body, state) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![
                    approval.id.to_string(),
                    approval.session.to_string(),
                    json(approval)?,
                    json(&approval.state)?
                ])?;
        }
        Event::Approval(ApprovalEvent::Decided { approval, decision, at }) => {
            let state = ApprovalState::Decided { decision: decision.clone(), at: *at, error: None };
            write_approval_state(transaction, &approval.to_string(), &state)?;
        }
        Event::Approval(ApprovalEvent::Withdrawn { approval, at }) => {
            write_approval_state(transaction, &approval.to_string(), &ApprovalState::Withdrawn { at: *at })?;
        }
        Event::Approval(ApprovalEvent::DeliveryFailed { approval, error }) => {
            transaction
                .prepare_cached(
                    "UPDATE approvals SET state = json_set(state, '$.error', json(?2))
                     WHERE id = ?1 AND state ->> '$.state' = 'decided'",
                )?
                .execute(params![approval.to_string(), json(error)?])?;
        }
        Event::Request(RequestEvent::AskedAgain { .. })
        | Event::Request(RequestEvent::CallLeft { .. })
        | Event::Session(SessionEvent::Started { .. })
        | Event::Session(SessionEvent::Introduced { .. })
        | Event::Session(SessionEvent::NativeSessionKnown { .. })
        | Event::Session(SessionEvent::ConfigChanged { .. })
        | Event::Session(SessionEvent::TurnBegan { .. })
        | Event::Session(SessionEvent::TurnFinished { .. })
        | Event::Session(SessionEvent::LinesUnusable { .. })
        | Event::Session(SessionEvent::Ended { .. })
        | Event::Session(SessionEvent::Renamed { .. })
        | Event::Session(SessionEvent::NotificationsSet { .. })
        | Event::Session(SessionEvent::Moved { .. })
        | Event::Session(SessionEvent::Closed { .. })
        | Event::Session(SessionEvent::Resumed { .. })
        | Event::Session(SessionEvent::AgentSpoke { .. })
        | Event::Session(SessionEvent::Forgotten { .. })
        | Event::Session(SessionEvent::ClientLeft { .. })
        | Event::Queue(QueueEvent::Added { .. })
        | Event::Queue(QueueEvent::Edited { .. })
        | Event::Queue(QueueEvent::Removed { .. })
        | Event::Queue(QueueEvent::Sent { .. }) => {}
        Event::Session(SessionEvent::Deleted { session }) => redaction::delete(transaction, *session)?,
    }
    drafts::after(transaction, event)
}

fn write_end(
    transaction: &Transaction<'_>,
    request: RequestId,
    outcome: &Outcome,
    at: Timestamp,
    delivery: Option<&Delivery>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE requests SET outcome = ?2, ended_at = ?3, delivery = ?4 WHERE id = ?1")?
        .execute(params![request.to_string(), json(outcome)?, at.millis(), json(&delivery)?])?;
    search::index_again(transaction, &request.to_string())
}

fn write_approval_state(
    transaction: &Transaction<'_>,
    id: &str,
    state: &ApprovalState,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE approvals SET state = ?2 WHERE id = ?1")?
        .execute(params![id, json(state)?])?;
    search::index_again(transaction, id)
}

fn write_entries(transaction: &Transaction<'_>, entries: &[(SessionId, Entry)]) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO entries (session, n, at, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (session, n) DO UPDATE SET body = excluded.body",
    )?;
    for (session, entry) in entries {
        let session = session.to_string();
        statement.execute(params![session, entry.n, entry.at.millis(), json(&entry.body)?])?;
        search::index(transaction, &session, entry)?;
    }
    Ok(())
}
