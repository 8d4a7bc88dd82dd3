//! Recovers what can be read of a database that was set aside as damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use askdesk_contract::frame::StorageNotice;
use askdesk_domain::{ApprovalEvent, ApprovalId, RequestId};
use askdesk_domain::{
    Desk, Entry, Event, EventSubject, RequestEvent, SessionCommand, SessionEvent, SessionId, StorageError,
    Timestamp, decide,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params_from_iter};

use super::pages::{MAGIC, Pages, Record};
use super::unreadable::{Events, Placed, Unreadable};
use super::{Durability, Journal, named, read, record, schema, snapshot, storage_error, tables};
use crate::private;

/// The part of the name of a database that was set aside, and what takes its place once the user has dealt with it.
const SET_ASIDE: &str = ".damaged-";
const DEALT_WITH: &str = ".settled-";

/// The beginning of the name of a folder with a copy.
const COPIES: &str = "recover-";

/// A table whose records are recovered, known by what a record is made of: of the records that are found, no others are alike.
struct Table {
    name: &'static str,
    columns: &'static str,
    has_rowid: bool,
    /// The types of the columns: `i` an integer, `t` a text, `b` a blob, and in capitals what may also be NULL.
    types: &'static [u8],
}

const EVENTS: Table =
    Table { name: "events", columns: "seq, at, body, session", has_rowid: true, types: b"iitT" };
const ENTRIES: Table =
    Table { name: "entries", columns: "session, n, at, body", has_rowid: false, types: b"tiit" };
const SNAPSHOT: Table =
    Table { name: "snapshot", columns: "id, version, seq, checksum, body", has_rowid: true, types: b"itibb" };
/// Tables whose rows are copied as they are.
const COPIED: [Table; 4] = [
    Table {
        name: "requests",
        columns: "id, session, asked_at, body, outcome, ended_at, delivery",
        has_rowid: false,
        types: b"ttitTIT",
    },
    Table { name: "approvals", columns: "id, session, body, state", has_rowid: false, types: b"tttt" },
    Table {
        name: "drafts",
        columns: "about, session, saved_at, has_words, body",
        has_rowid: true,
        types: b"ttiit",
    },
    Table {
        name: "turns_of_deleted",
        columns: "at, input_tokens, output_tokens, cached_tokens, cost_nanos",
        has_rowid: true,
        types: b"iiiiI",
    },
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
        fold_log(&copy).map_err(io)?;
        let mut pages = Pages::open(&copy).map_err(io)?;
        if pages.format > record::FORMAT {
            let found = pages.format;
            return Err(StorageError::TooNew { path: named(database), found, known: record::FORMAT });
        }
        let mut connection = Connection::open(copies.path().join("read.db")).map_err(fail)?;
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").map_err(fail)?;
        let transaction = connection.transaction().map_err(fail)?;
        // A snapshot is read whether or not its events are found after it.
        let tables = [schema::SCHEMA, snapshot::SCHEMA, "DROP TRIGGER event_inserted"];
        tables.into_iter().try_for_each(|sql| transaction.execute_batch(sql)).map_err(fail)?;
        let mut found = false;
        for n in 1..=pages.count {
            for record in pages.records(n).map_err(io)? {
                found |= insert(&transaction, &record).map_err(fail)?;
            }
        }
        if !found && !pages.are_sound() {
            let error = "no record of it can be read".to_owned();
            return Err(StorageError::Damaged { path: named(database), error });
        }
        let salvaged = Self::read_from(&transaction).map_err(fail)?;
        Ok(Self { complete: salvaged.complete && pages.are_sound(), ..salvaged })
    }

    /// Reads a sound database that holds the records that were found.
    fn read_from(connection: &Connection) -> rusqlite::Result<Self> {
        let mut events = Events::read(connection, 0)?;
        let complete = events.unreadable.is_empty();
        add_lost_sessions(connection, &mut events)?;
        events.complete(connection)?;
        let mut salvaged = Self { events: events.readable, complete, ..Self::default() };
        let mut entries =
            connection.prepare("SELECT n, at, body, session FROM entries ORDER BY session, n")?;
        let mut rows = entries.query([])?;
        while let Some(row) = rows.next()? {
            if let Ok(session) = row.get_ref(3)?.as_str()?.parse() {
                salvaged.entries.push((session, read::entry(row)?));
            }
        }
        for (Table { name, columns, .. }, copied) in COPIED.iter().zip(&mut salvaged.copied) {
            let mut statement = connection.prepare(&format!("SELECT {columns} FROM {name}"))?;
            let count = statement.column_count();
            let values = statement.query_map([], |row| (0..count).map(|column| row.get(column)).collect())?;
            *copied = values.collect::<rusqlite::Result<_>>()?;
        }
        Ok(salvaged)
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
            for (table, rows) in COPIED.iter().zip(&salvaged.copied) {
                rows.iter().try_for_each(|row| copy(transaction, table, row))?;
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

/// Moves the log of a copy into it. If its first page isn't one, another takes its place, because SQLite needs it for that.
fn fold_log(copy: &Path) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(copy)?;
    let mut magic = [0; MAGIC.len()];
    if file.read_exact(&mut magic).is_err() || magic != MAGIC {
        let empty = with_suffix(copy, "-empty");
        let made = Connection::open(&empty).and_then(|it| it.pragma_update(None, "journal_mode", "WAL"));
        made.map_err(std::io::Error::other)?;
        file.rewind()?;
        file.write_all(&std::fs::read(&empty)?)?;
    }
    drop(file);
    let fold = |connection: Connection| {
        // It may be shorter than it says, and its schema may be damaged.
        connection.pragma_update(None, "writable_schema", true)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    if let Err(error) = Connection::open(copy).and_then(fold) {
        tracing::warn!(%error, "the log of a damaged database could not be read");
    }
    Ok(())
}

/// Adds a record to its table; returns whether it has one.
fn insert(transaction: &Transaction<'_>, record: &Record) -> rusqlite::Result<bool> {
    let fits = |table: &&Table| {
        let types = table.types.iter().zip(&record.values).all(|(kind, value)| match value {
            Value::Null => kind.is_ascii_uppercase(),
            Value::Integer(_) => kind.eq_ignore_ascii_case(&b'i'),
            Value::Text(_) => kind.eq_ignore_ascii_case(&b't'),
            Value::Blob(_) => kind.eq_ignore_ascii_case(&b'b'),
            Value::Real(_) => false,
        });
        types && (table.has_rowid, table.types.len()) == (record.has_rowid, record.values.len())
    };
    let table = [&EVENTS, &ENTRIES, &SNAPSHOT].into_iter().chain(&COPIED).find(fits);
    table.map_or(Ok(false), |table| copy(transaction, table, &record.values).map(|()| true))
}

fn copy(transaction: &Transaction<'_>, table: &Table, row: &[Value]) -> rusqlite::Result<()> {
    let Table { name, columns, .. } = table;
    let places = vec!["?"; row.len()].join(", ");
    let insert = format!("INSERT OR IGNORE INTO {name} ({columns}) VALUES ({places})");
    transaction.prepare_cached(&insert)?.execute(params_from_iter(row)).map(drop)
}

/// Adds the sessions whose beginning was lost: as the snapshot has them, or those that left records.
fn add_lost_sessions(connection: &Connection, events: &mut Events) -> rusqlite::Result<()> {
    let (mut begun, mut wordless) = (BTreeSet::new(), BTreeSet::new());
    for event in events.iter() {
        match event {
            Event::Session(SessionEvent::Started { session }) => {
                begun.insert(session.id);
                wordless.extend((*event == event.without_words()).then_some(session.id));
            }
            Event::Session(SessionEvent::Deleted { session }) => drop(begun.insert(*session)),
            _ => {}
        }
    }
    if let Some((desk, seq)) = snapshot::read_lost(connection)? {
        let sessions = desk.sessions().chain(desk.closed_sessions());
        let lost: Vec<_> = sessions.filter(|session| begun.insert(session.id)).cloned().collect();
        let subjects: BTreeSet<_> = lost.iter().map(|session| session.id).collect();
        // They have what these events did.
        let is_in_snapshot = |placed: &Placed| match placed.event.subject() {
            EventSubject::Session(session) => placed.seq <= seq && subjects.contains(&session),
            EventSubject::Request(_) | EventSubject::Approval(_) => false,
        };
        events.readable.retain(|placed| !is_in_snapshot(placed));
        events.readable.extend(lost.into_iter().map(|session| {
            let at = session.started_at;
            Placed { seq: 0, at, event: SessionEvent::Started { session }.into() }
        }));
    }
    let mut left = connection.prepare(
        "SELECT session, min(at) FROM (
            SELECT session, at FROM entries UNION ALL SELECT session, asked_at FROM requests
            UNION ALL SELECT session, NULL FROM approvals
         ) GROUP BY session",
    )?;
    let mut rows = left.query([])?;
    while let Some(row) = rows.next()? {
        let Ok(session) = row.get_ref(0)?.as_str()?.parse() else { continue };
        wordless.remove(&session);
        if begun.insert(session) {
            let at = Timestamp::from_millis(row.get::<_, Option<i64>>(1)?.unwrap_or_default());
            events.unreadable.push(Unreadable { seq: 0, at, session: Some(session) });
        }
    }
    // What is left of these is what a deletion leaves.
    let at = Timestamp::from_millis(0);
    let deleted = wordless.into_iter().map(|session| SessionEvent::Deleted { session }.into());
    events.readable.extend(deleted.map(|event| Placed { seq: i64::MAX, at, event }));
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
