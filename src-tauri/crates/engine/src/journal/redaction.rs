//! Deletes a session permanently: from the tables, the search index and the file.

use askdesk_domain::{Event, SessionId, StorageError};
use rusqlite::{Transaction, params};

use super::read::readable;
use super::{Journal, record, storage_error, usage};

/// The largest database that is rewritten at once, in bytes. Rewriting a larger one would block the writer, so it waits until
/// the app ends.
pub const SWEPT_AT_ONCE_BYTES: u64 = 256 * 1024 * 1024;

/// Deletes a session from every table. Its events keep their positions, without their texts, and the numbers of its turns
/// stay in the sums of the days.
pub(super) fn delete(transaction: &Transaction<'_>, session: SessionId) -> rusqlite::Result<()> {
    let session = session.to_string();
    let mut events = transaction.prepare_cached("SELECT seq, body FROM events WHERE session = ?1")?;
    let rows = events.query_map([&session], |row| Ok((row.get(0)?, readable(record::decode(row, 1))?)))?;
    let events: Vec<(i64, Option<Event>)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut silence = transaction.prepare_cached("UPDATE events SET body = ?2 WHERE seq = ?1")?;
    for (seq, event) in events {
        match event {
            Some(event) => silence.execute(params![seq, record::encode(&event.without_words())?])?,
            None => transaction.execute("DELETE FROM events WHERE seq = ?1", [seq])?,
        };
    }
    usage::keep_turns(transaction, &session)?;
    for delete in [
        "DELETE FROM words WHERE rowid IN (SELECT id FROM searched WHERE session = ?1)",
        "DELETE FROM even_words WHERE rowid IN (SELECT id FROM searched WHERE session = ?1)",
        "DELETE FROM odd_words WHERE rowid IN (SELECT id FROM searched WHERE session = ?1)",
        "DELETE FROM searched WHERE session = ?1",
        "DELETE FROM entries WHERE session = ?1",
        "DELETE FROM requests WHERE session = ?1",
        "DELETE FROM approvals WHERE session = ?1",
        "DELETE FROM drafts WHERE session = ?1",
        "DELETE FROM set_aside WHERE session = ?1",
        "INSERT INTO unswept (session) VALUES (?1)",
    ] {
        transaction.execute(delete, [&session])?;
    }
    Ok(())
}

impl Journal {
    /// Removes the traces of a deletion, unless that would take long.
    pub(crate) fn sweep_soon(&self) {
        let size = std::fs::metadata(&self.path).map(|metadata| metadata.len()).unwrap_or_default();
        if size > SWEPT_AT_ONCE_BYTES {
            return;
        }
        self.sweep_or_later();
    }

    /// Removes the traces of a deletion. After a failure, this is retried when the app ends and when it starts.
    pub(crate) fn sweep_or_later(&self) {
        if let Err(error) = self.sweep() {
            tracing::warn!(%error, "traces of a deleted session are still to be swept out of the file");
        }
    }

    /// Rewrites the database if something was deleted. SQLite overwrites deleted content, but the index keeps deleted words
    /// until it is merged, and the unused part of a page that was once split may hold a copy of them.
    fn sweep(&self) -> Result<(), StorageError> {
        let fail = |error: rusqlite::Error| storage_error(&self.path, &error);
        let owed = self.connection.query_row("SELECT EXISTS (SELECT 1 FROM unswept)", [], |row| row.get(0));
        if !owed.map_err(fail)? {
            return Ok(());
        }
        let optimize = "
            INSERT INTO words (words) VALUES ('optimize');
            INSERT INTO even_words (even_words) VALUES ('optimize');
            INSERT INTO odd_words (odd_words) VALUES ('optimize');
        ";
        self.connection.execute_batch(optimize).map_err(fail)?;
        self.connection.execute_batch("VACUUM").map_err(fail)?;
        self.checkpoint()?;
        self.connection.execute_batch("DELETE FROM unswept").map_err(fail)
    }
}
