//! Recovers what can be read of a database that was set aside as damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use askdesk_domain::{ApprovalEvent, ApprovalId, RequestId};
use askdesk_domain::{
    Desk, Entry, Event, EventSubject, RequestEvent, SessionCommand, SessionEvent, SessionId, StorageError,
    Timestamp, decide,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row, Transaction, params_from_iter};

use super::unreadable::{Events, Placed};
use super::{Durability, Journal, named, read, record, storage_error, tables};
use crate::frame::StorageNotice;
use crate::private;

/// The part of the name of a database that was set aside, and what takes its place once the user has dealt with it.
const SET_ASIDE: &str = ".damaged-";
const DEALT_WITH: &str = ".settled-";

/// The beginning of the name of a folder with a copy.
const COPIES: &str = "recover-";

/// How many positions of the events are read at a time, so that a damaged page hides only its neighbors.
const STRETCH: i64 = 64;

/// Tables whose rows are copied as they are, with their columns and their key.
const COPIED: [(&str, &str, &str); 3] = [
    ("requests", "id, session, asked_at, body, outcome, ended_at, delivery", "id"),
    ("approvals", "id, session, body, state", "id"),
    ("drafts", "about, session, saved_at, has_words, body", "about"),
];

/// What can be read of a damaged database.
#[derive(Debug, Default)]
pub struct Salvaged {
    events: Vec<Placed>,
    entries: Vec<(SessionId, Entry)>,
    copied: [Vec<Vec<Value>>; COPIED.len()],
    /// Whether all of it can be read.
    complete: bool,
}

/// What was taken over from a damaged database.
#[derive(Debug, Default)]
pub struct Recovered {
    pub events: Vec<Event>,
    pub sessions: BTreeSet<SessionId>,
    /// The position of the newest entry of each session.
    pub entries: BTreeMap<SessionId, u64>,
    pub complete: bool,
}

impl Salvaged {
    /// Reads a copy of a database, so that the database itself stays as it is.
    pub fn read(database: &Path) -> Result<Self, StorageError> {
        let io =
            |error: std::io::Error| StorageError::Other { path: named(database), error: error.to_string() };
        let folder = database.parent().unwrap_or(Path::new("."));
        let copies = tempfile::Builder::new().prefix(COPIES).tempdir_in(folder).map_err(io)?;
        let copy = copies.path().join("desk.db");
        for suffix in ["", "-wal"] {
            let from = with_suffix(database, suffix);
            if from.exists() {
                std::fs::copy(from, with_suffix(&copy, suffix)).map_err(io)?;
            }
        }
        private::tighten(copies.path());
        let fail = |error: rusqlite::Error| storage_error(database, &error);
        let connection = Connection::open(&copy).map_err(fail)?;
        let found: u32 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fail)?;
        if found > record::FORMAT {
            return Err(StorageError::TooNew { path: named(database), found, known: record::FORMAT });
        }
        Self::read_from(&connection).map_err(fail)
    }

    fn read_from(connection: &Connection) -> rusqlite::Result<Self> {
        let mut salvaged = Self { complete: true, ..Self::default() };
        let mut events = salvaged.read_events(connection);
        salvaged.complete &= events.unreadable.is_empty();
        events.complete(connection)?;
        salvaged.events = events.readable;
        salvaged.read_entries(connection);
        for (n, (table, columns, key)) in COPIED.into_iter().enumerate() {
            let select = format!("SELECT {columns} FROM {table} ORDER BY {key}");
            let mut known = BTreeSet::new();
            let complete = both_ways(connection, &select, &(), |row| {
                let of_row = (0..row.as_ref().column_count()).map(|column| row.get(column));
                let values = of_row.collect::<rusqlite::Result<Vec<Value>>>()?;
                let is_new = known.insert(row.get::<_, String>(0)?);
                if is_new {
                    salvaged.copied[n].push(values);
                }
                Ok(is_new)
            });
            salvaged.complete &= complete;
        }
        Ok(salvaged)
    }

    fn read_events(&mut self, connection: &Connection) -> Events {
        let mut events = Events::default();
        let mut known = BTreeSet::new();
        let newest = connection.query_row("SELECT max(seq) FROM events", [], |row| row.get(0));
        let newest: Option<i64> = newest
            .or_else(|_| {
                connection
                    .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'events'", [], |row| row.get(0))
            })
            .unwrap_or_default();
        let select = "SELECT seq, at, body, session FROM events WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq";
        for from in (0..=newest.unwrap_or_default()).step_by(STRETCH as usize) {
            let stretch = [from, from + STRETCH - 1];
            self.complete &= both_ways(connection, select, &stretch, |row| {
                let is_new = known.insert(row.get::<_, i64>(0)?);
                if is_new {
                    events.add(row)?;
                }
                Ok(is_new)
            });
        }
        events.readable.sort_by_key(|placed| placed.seq);
        events
    }

    fn read_entries(&mut self, connection: &Connection) {
        let sessions: BTreeSet<SessionId> = self.events.iter().filter_map(|it| started(&it.event)).collect();
        let select = "SELECT n, at, body FROM entries WHERE session = ?1 ORDER BY n";
        for session in sessions {
            let mut entries = BTreeMap::new();
            let complete = both_ways(connection, select, &[session.to_string()], |row| {
                let entry = read::entry(row)?;
                Ok(entries.insert(entry.n, entry).is_none())
            });
            self.complete &= complete;
            self.entries.extend(entries.into_values().map(|entry| (session, entry)));
        }
    }

    /// Leaves out the sessions that a desk knows, and those that were deleted.
    fn without(&mut self, desk: &Desk) {
        let mut left: BTreeSet<SessionId> = BTreeSet::new();
        let (mut requests, mut approvals) = (BTreeMap::new(), BTreeMap::new());
        for placed in &self.events {
            match &placed.event {
                Event::Session(SessionEvent::Started { session }) if desk.session(session.id).is_some() => {
                    left.insert(session.id);
                }
                Event::Session(SessionEvent::Deleted { session }) => drop(left.insert(*session)),
                Event::Request(RequestEvent::Asked { request }) => {
                    requests.insert(request.id, request.session);
                }
                Event::Approval(ApprovalEvent::Asked { approval }) => {
                    approvals.insert(approval.id, approval.session);
                }
                _ => {}
            }
        }
        let session_of = |event: &Event| match event.subject() {
            EventSubject::Session(session) => Some(session),
            EventSubject::Request(request) => requests.get::<RequestId>(&request).copied(),
            EventSubject::Approval(approval) => approvals.get::<ApprovalId>(&approval).copied(),
        };
        self.events.retain(|placed| session_of(&placed.event).is_none_or(|session| !left.contains(&session)));
        self.entries.retain(|(session, _)| !left.contains(session));
        let left: BTreeSet<String> = left.iter().map(SessionId::to_string).collect();
        for rows in &mut self.copied {
            rows.retain(|row| !matches!(row.get(1), Some(Value::Text(session)) if left.contains(session)));
        }
    }
}

impl Journal {
    /// Lists the databases that were set aside as damaged and that the user has not dealt with, oldest first.
    pub(crate) fn set_aside_databases(&self) -> Vec<StorageNotice> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> =
            files.map(|file| file.path()).filter(|path| is_set_aside(path)).collect();
        paths.sort();
        paths.into_iter().map(|path| StorageNotice::SetAside { kept: named(&path) }).collect()
    }

    /// Takes over what was read of a damaged database: the sessions that a desk does not know. They have ended.
    pub(crate) fn take_over(
        &mut self,
        mut salvaged: Salvaged,
        desk: &Desk,
        now: Timestamp,
    ) -> Result<Recovered, StorageError> {
        salvaged.without(desk);
        // The search sorts by when an entry was stored.
        salvaged.entries.sort_by_key(|(_, entry)| entry.at);
        let theirs = Desk::replay(salvaged.events.iter().map(|placed| &placed.event));
        let close = decide(&theirs, &SessionCommand::CloseEarlierRun { at: now }.into());
        let closing = close.map(|decision| decision.events).unwrap_or_default();
        self.transact(Durability::Full, |transaction| {
            for Placed { at, event, .. } in &salvaged.events {
                tables::write_event(transaction, event, *at)?;
            }
            for ((table, columns, _), rows) in COPIED.iter().zip(&salvaged.copied) {
                copy(transaction, table, columns, rows)?;
            }
            for event in &closing {
                tables::write_event(transaction, event, now)?;
            }
            tables::write_entries(transaction, &salvaged.entries)
        })?;
        self.progress.stored(salvaged.events.len() + closing.len());
        let mut entries = BTreeMap::new();
        for (session, entry) in &salvaged.entries {
            let last = entries.entry(*session).or_insert(entry.n);
            *last = entry.n.max(*last);
        }
        let events: Vec<Event> = salvaged.events.into_iter().map(|it| it.event).chain(closing).collect();
        let sessions = events.iter().filter_map(started).collect();
        Ok(Recovered { events, sessions, entries, complete: salvaged.complete })
    }

    /// Notes that the user has dealt with a storage problem; returns whether it was known.
    pub(crate) fn settle(&mut self, notice: &StorageNotice) -> Result<bool, StorageError> {
        match notice {
            StorageNotice::SetAside { kept } if self.set_aside_databases().contains(notice) => {
                let path = PathBuf::from(kept);
                let settled = PathBuf::from(kept.replace(SET_ASIDE, DEALT_WITH));
                for suffix in ["-wal", "-shm", ""] {
                    let from = with_suffix(&path, suffix);
                    if from.exists() {
                        let io = |error: std::io::Error| StorageError::Other {
                            path: named(&from),
                            error: error.to_string(),
                        };
                        std::fs::rename(&from, with_suffix(&settled, suffix)).map_err(io)?;
                    }
                }
                Ok(true)
            }
            StorageNotice::Unreadable { .. } => {
                self.transact(Durability::Full, |transaction| {
                    transaction.execute("UPDATE set_aside SET told = 1", []).map(drop)
                })?;
                Ok(true)
            }
            // The next start sets it aside.
            StorageNotice::Damaged { .. } => Ok(true),
            StorageNotice::SetAside { .. } | StorageNotice::Newer { .. } => Ok(false),
        }
    }
}

/// Removes copies that a crash left behind.
pub(super) fn remove_copies(folder: &Path) {
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if file.file_name().to_str().is_some_and(|name| name.starts_with(COPIES)) {
            let _ = std::fs::remove_dir_all(file.path());
        }
    }
}

fn is_set_aside(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_log = name.ends_with("-wal") || name.ends_with("-shm");
    name.contains(&format!(".db{SET_ASIDE}")) && !is_log
}

fn started(event: &Event) -> Option<SessionId> {
    match event {
        Event::Session(SessionEvent::Started { session }) => Some(session.id),
        _ => None,
    }
}

/// Takes rows from the first on, then from the last backwards, until a damaged page or a row that `take` knows. Returns
/// whether every row was read.
fn both_ways(
    connection: &Connection,
    select: &str,
    params: &(impl Params + Clone),
    mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<bool>,
) -> bool {
    let mut run = |select: &str| -> rusqlite::Result<()> {
        let mut statement = connection.prepare(select)?;
        let mut rows = statement.query(params.clone())?;
        while let Some(row) = rows.next()? {
            if !take(row)? {
                break;
            }
        }
        Ok(())
    };
    let complete = run(select).is_ok();
    if !complete {
        let _ = run(&format!("{select} DESC"));
    }
    complete
}

fn copy(
    transaction: &Transaction<'_>,
    table: &str,
    columns: &str,
    rows: &[Vec<Value>],
) -> rusqlite::Result<()> {
    let places: Vec<String> = (1..=columns.split(", ").count()).map(|n| format!("?{n}")).collect();
    let insert = format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({})", places.join(", "));
    let mut statement = transaction.prepare_cached(&insert)?;
    rows.iter().try_for_each(|row| statement.execute(params_from_iter(row)).map(drop))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
