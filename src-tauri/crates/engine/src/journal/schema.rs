//! The tables, and how an older database is upgraded.

use std::path::Path;
use std::time::Duration;

use askdesk_domain::StorageError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction};
use rusqlite_migration::{M, Migrations};

use super::record::FORMAT;
use super::{format_three, named, search, storage_error, unreadable, usage};
use crate::private;

/// How long to wait for another connection's write.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// The largest database that is checked completely at the start, in bytes; checking a larger one would take too long.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;

const FIRST: &str = "
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        asked_at INTEGER NOT NULL,
        body TEXT NOT NULL,
        outcome TEXT,
        ended_at INTEGER,
        delivery TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX requests_by_session ON requests (session, asked_at);
    CREATE TABLE approvals (
        id TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        body TEXT NOT NULL,
        state TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE entries (
        session TEXT NOT NULL,
        n INTEGER NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (session, n)
    ) STRICT, WITHOUT ROWID;
";

/// The search index, and the session of each event, so that a session's events can be deleted.
const SECOND: &str = "
    ALTER TABLE events ADD COLUMN session TEXT;
    CREATE TABLE searched (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        n INTEGER NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        about TEXT,
        UNIQUE (session, n)
    ) STRICT;
    CREATE INDEX searched_by_about ON searched (about) WHERE about IS NOT NULL;
    CREATE VIRTUAL TABLE words USING fts5 (
        text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
    );
    CREATE TABLE unswept (session TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    UPDATE events SET session = COALESCE(
        CASE json_type(body, '$.session') WHEN 'object' THEN body ->> '$.session.id' ELSE body ->> '$.session' END,
        body ->> '$.request.session',
        body ->> '$.approval.session',
        (SELECT session FROM requests WHERE id = events.body ->> '$.request'),
        (SELECT session FROM approvals WHERE id = events.body ->> '$.approval')
    );
    CREATE INDEX events_by_session ON events (session);
";

const THIRD: &str = "
    CREATE TABLE drafts (
        about TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        saved_at INTEGER NOT NULL,
        has_words INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX drafts_by_age ON drafts (saved_at, about);
";

/// Opens a database, checks that it is intact and not too new, and upgrades it to the newest format.
pub(super) fn connect(path: &Path) -> Result<Connection, StorageError> {
    let fail = |error: rusqlite::Error| storage_error(path, &error);
    let size = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    // SQLite gives the log the mode of its database. If the file can't be created, SQLite reports the reason.
    let _ = private::open_file(path);
    let mut connection = Connection::open(path).map_err(fail)?;
    connection.busy_timeout(BUSY_WAIT).map_err(fail)?;
    // A database that is rejected below stays unchanged, including a write-ahead log that a crash left behind.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(fail)?;
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fail)?;
    if found > FORMAT {
        return Err(StorageError::TooNew { path: named(path), found, known: FORMAT });
    }
    if size <= CHECKED_BYTES {
        let verdict: String =
            connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(fail)?;
        if verdict != "ok" {
            return Err(StorageError::Damaged { path: named(path), error: verdict });
        }
    }
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fail)?;
    // SQLite overwrites deleted content.
    connection.pragma_update(None, "secure_delete", true).map_err(fail)?;
    let fourth = M::up_with_hook("", |transaction: &Transaction<'_>| {
        format_three::rewrite(transaction)?;
        // A database of the first format has no index, and its records can be read only after the conversion.
        Ok(search::index_if_empty(transaction)?)
    });
    Migrations::new(vec![M::up(FIRST), M::up(SECOND), M::up(THIRD), fourth])
        .to_latest(&mut connection)
        .map_err(|error| match error {
            rusqlite_migration::Error::RusqliteError { err, .. } => storage_error(path, &err),
            other => StorageError::Other { path: named(path), error: other.to_string() },
        })?;
    usage::add(&connection).map_err(fail)?;
    connection.execute_batch(unreadable::ADDED).map_err(fail)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(fail)?;
    Ok(connection)
}
