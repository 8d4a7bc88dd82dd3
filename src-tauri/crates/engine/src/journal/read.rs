//! Reads the journal. While the app runs, this never uses the writer's connection.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use askdesk_contract::TranscriptPage;
use askdesk_domain::{
    AnswerId, Approval, ApprovalId, Ended, Entry, EntryBody, ImageId, Notice, Request, RequestId,
    RequestState, SessionId, StorageError, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::record::Record;
use super::{record, storage_error};

/// A read-only connection.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    path: PathBuf,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self, StorageError> {
        let fail = |error: rusqlite::Error| storage_error(path, &error);
        let connection = Connection::open(path).map_err(fail)?;
        connection.busy_timeout(std::time::Duration::from_secs(2)).map_err(fail)?;
        connection.pragma_update(None, "query_only", true).map_err(fail)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    pub(super) fn query<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StorageError> {
        query(&self.connection).map_err(|error| storage_error(&self.path, &error))
    }

    /// Reads the newest `limit` entries of a session that come before a position.
    pub fn page(
        &self,
        session: SessionId,
        before: Option<u64>,
        limit: u32,
    ) -> Result<TranscriptPage, StorageError> {
        self.query(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT n, at, body FROM entries WHERE session = ?1 AND n < ?2 ORDER BY n DESC LIMIT ?3",
            )?;
            let before = before.map_or(i64::MAX, |n| i64::try_from(n).unwrap_or(i64::MAX));
            let rows =
                statement.query_map(params![session.to_string(), before, i64::from(limit) + 1], entry)?;
            let mut entries = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            let more = entries.len() > limit as usize;
            entries.truncate(limit as usize);
            entries.reverse();
            let mut page = TranscriptPage { more, ..TranscriptPage::default() };
            for entry in &mut entries {
                let found = match &entry.body {
                    EntryBody::Request { request } => {
                        find_request(connection, *request).map(|it| page.requests.extend(it))
                    }
                    EntryBody::Approval { approval } => {
                        find_approval(connection, *approval).map(|it| page.approvals.extend(it))
                    }
                    _ => Ok(()),
                };
                if readable(found)?.is_none() {
                    entry.body = UNREADABLE;
                }
            }
            page.entries = entries;
            Ok(page)
        })
    }

    /// Reads the entries of a session that may be tool calls without an end, of any age.
    pub fn unfinished_calls(&self, session: SessionId) -> Result<Vec<Entry>, StorageError> {
        self.query(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT n, at, body FROM entries WHERE session = ?1 AND (instr(body, '\"status\":\"pending\"')
                 OR instr(body, '\"status\":\"awaiting_permission\"') OR instr(body, '\"status\":\"running\"'))",
            )?;
            statement.query_map([session.to_string()], entry)?.collect()
        })
    }

    /// Reads what the user said in a session, oldest first.
    pub fn user_messages(&self, session: SessionId) -> Result<Vec<Entry>, StorageError> {
        self.query(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT n, at, body FROM entries WHERE session = ?1 AND instr(body, '{\"kind\":\"user\"') = 1 ORDER BY n",
            )?;
            statement.query_map([session.to_string()], entry)?.collect()
        })
    }

    /// Returns whether a message of a session includes an image.
    pub fn has_sent(&self, session: SessionId, image: ImageId) -> Result<bool, StorageError> {
        self.query(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM entries WHERE session = ?1 AND instr(body, ?2))",
            )?;
            statement.query_row([session.to_string(), format!("\"image\":\"{image}\"")], |row| row.get(0))
        })
    }

    /// Finds a request of any age.
    pub fn request(&self, id: RequestId) -> Result<Option<Request>, StorageError> {
        self.query(|connection| find_request(connection, id))
    }
}

pub(super) fn find_request(connection: &Connection, id: RequestId) -> rusqlite::Result<Option<Request>> {
    let mut statement =
        connection.prepare_cached("SELECT body, outcome, ended_at, delivery FROM requests WHERE id = ?1")?;
    statement.query_row([id.to_string()], request).optional()
}

pub(super) fn find_approval(connection: &Connection, id: ApprovalId) -> rusqlite::Result<Option<Approval>> {
    let mut statement = connection.prepare_cached("SELECT body, state FROM approvals WHERE id = ?1")?;
    let read = |row: &Row<'_>| {
        Ok(Approval { state: record::decode(row, 1)?, ..record::decode::<Approval>(row, 0)? })
    };
    statement.query_row([id.to_string()], read).optional()
}

/// Finds the position of the newest entry of each of these sessions. Each is one look into the table's key: to group all
/// rows would read the whole table.
pub(super) fn newest_entries(
    connection: &Connection,
    sessions: impl Iterator<Item = SessionId>,
) -> rusqlite::Result<BTreeMap<SessionId, u64>> {
    let mut statement = connection.prepare("SELECT MAX(n) FROM entries WHERE session = ?1")?;
    let mut newest = BTreeMap::new();
    for session in sessions {
        let n: Option<u64> = statement.query_row([session.to_string()], |row| row.get(0))?;
        newest.extend(n.map(|n| (session, n)));
    }
    Ok(newest)
}

/// What stands in the place of an entry that can't be read.
const UNREADABLE: EntryBody = EntryBody::Notice { notice: Notice::Unreadable };

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let body = readable(record::decode(row, 2))?.unwrap_or(UNREADABLE);
    Ok(Entry { n: row.get(0)?, at: Timestamp::from_millis(row.get(1)?), body })
}

/// Returns none if a single record can't be read; the others can. Any other error stays.
pub(super) fn readable<T>(read: rusqlite::Result<T>) -> rusqlite::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(
            error @ (rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)),
        ) => {
            tracing::error!(%error, "a record cannot be read");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What the body of an ended request has besides the request.
#[derive(Serialize, Deserialize)]
struct Answered {
    answer: Option<AnswerId>,
}

impl Record for Answered {}

fn request(row: &Row<'_>) -> rusqlite::Result<Request> {
    let asked: Request = record::decode(row, 0)?;
    let state = match row.get::<_, Option<i64>>(2)? {
        None => RequestState::Open,
        Some(at) => RequestState::Ended(Ended {
            outcome: record::decode(row, 1)?,
            at: Timestamp::from_millis(at),
            delivery: record::decode(row, 3)?,
            answer: record::decode::<Answered>(row, 0)?.answer,
        }),
    };
    Ok(Request { state, ..asked })
}
