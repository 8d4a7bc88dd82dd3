//! The tables, which are created whole. No release has written another format, so there is nothing to convert.

use std::path::Path;
use std::time::Duration;

use askdesk_domain::StorageError;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::record::FORMAT;
use super::{damage, named, search, snapshot, storage_error};
use crate::private;

/// How long to wait for another connection's write.
pub(super) const BUSY_WAIT: Duration = Duration::from_secs(2);

/// All tables and indexes but those of the [`snapshot`] and the [`search`]. A change needs a new format.
///
/// The index `turns` holds only the ends of turns. Their records begin with these words: a tag comes first (the golden lines
/// pin that), and a comparison of text can't fail on a damaged record.
pub(super) const SCHEMA: &str = r#"
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        body TEXT NOT NULL,
        session TEXT
    ) STRICT;
    CREATE INDEX events_by_session ON events (session);
    CREATE TABLE set_aside (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        session TEXT,
        body TEXT NOT NULL,
        told INTEGER NOT NULL DEFAULT 0
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
    CREATE TABLE drafts (
        about TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        saved_at INTEGER NOT NULL,
        has_words INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX drafts_by_age ON drafts (saved_at, about);
    CREATE TABLE entries (
        session TEXT NOT NULL,
        n INTEGER NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (session, n)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX turns ON entries (at) WHERE substr(body, 1, 20) = '{"kind":"turn_ended"';
    CREATE TABLE turns_of_deleted (
        at INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cost_nanos INTEGER
    ) STRICT;
    CREATE INDEX turns_of_deleted_by_time ON turns_of_deleted (at);
    CREATE TABLE passed_budgets (
        day TEXT NOT NULL,
        dollars INTEGER NOT NULL,
        PRIMARY KEY (day, dollars)
    ) STRICT, WITHOUT ROWID;
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
    CREATE TABLE unswept (session TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"#;

/// Opens a database, and creates its tables if it is empty. One that is damaged or of another format is left unchanged.
pub(super) fn connect(path: &Path) -> Result<Connection, StorageError> {
    let fail = |error: rusqlite::Error| storage_error(path, &error);
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
    if found == 0 && holds_tables(&connection).map_err(fail)? {
        let error = "it isn't a database of Askdesk; move it elsewhere".to_owned();
        return Err(StorageError::Other { path: named(path), error });
    }
    if damage::is_marked(path) {
        if let Some(error) = damage::check(&connection).map_err(fail)? {
            return Err(StorageError::Damaged { path: named(path), error });
        }
        damage::unmark(path);
    }
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fail)?;
    // SQLite overwrites deleted content.
    connection.pragma_update(None, "secure_delete", true).map_err(fail)?;
    if found == 0 {
        create(&mut connection).map_err(fail)?;
    } else {
        if let Err(error) = search::index_anew_if_outdated(&mut connection) {
            // A full disk, for example. The indexes that there are still find what they found.
            tracing::warn!(%error, "the indexes of words could not be made again");
        }
        connection.execute_batch(search::RECENT_WORDS).map_err(fail)?;
        if let Err(error) = connection.execute_batch(snapshot::SCHEMA) {
            // A full disk, for example. Without it, every start reads all events.
            tracing::warn!(%error, "the database has no place for a snapshot");
        }
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(fail)?;
    Ok(connection)
}

fn holds_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    transaction.execute_batch(search::WORDS)?;
    transaction.execute_batch(search::RECENT_WORDS)?;
    transaction.execute_batch(snapshot::SCHEMA)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

#[cfg(test)]
mod tests;
