//! A snapshot of the desk beside the events, so that a start reads only the events behind it.
//!
//! It is a shortcut: whenever it is in doubt, it is dropped, and all events are read. Triggers of the database drop it, in the
//! same transaction, when anything changes the events that it contains, so that what is deleted or redacted is not left in
//! it, whoever deletes it. They don't depend on its version.

use askdesk_domain::{Desk, StorageError};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use sha2::{Digest as _, Sha256};

use super::{Durability, Journal};

/// The version of the stored desk. Raise it with every change to what a desk is stored as or to what an event does to it.
const VERSION: u32 = 4;

/// How many events may be behind it before it is written while the writer is idle. To read so many takes a few milliseconds.
const BEHIND: u64 = 1_000;
/// How many events are behind it at least when it is written as the app ends. To read fewer takes less time than to write it.
/// In tests, every start after an orderly end begins with one.
const BEHIND_AT_END: u64 = if cfg!(feature = "faults") { 1 } else { 100 };

/// Its table, and what drops it. A database that lacks them gets them.
pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS snapshot (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        version TEXT NOT NULL,
        seq INTEGER NOT NULL,
        checksum BLOB NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TRIGGER IF NOT EXISTS event_changed AFTER UPDATE ON events BEGIN
        DELETE FROM snapshot;
    END;
    CREATE TRIGGER IF NOT EXISTS event_removed AFTER DELETE ON events BEGIN
        DELETE FROM snapshot;
    END;
    CREATE TRIGGER IF NOT EXISTS event_inserted AFTER INSERT ON events
        WHEN NEW.seq <= (SELECT max(seq) FROM snapshot) BEGIN
        DELETE FROM snapshot;
    END;
";

/// How far a desk is ahead of its snapshot.
#[derive(Debug)]
pub(super) struct Progress {
    /// The position of the newest event that the desk contains.
    seq: i64,
    /// How many events the snapshot lacks.
    behind: u64,
}

impl Progress {
    pub(super) const fn new(seq: i64, behind: u64) -> Self {
        Self { seq, behind }
    }

    /// Notes that events were stored, and will be folded.
    pub(super) const fn stored(&mut self, events: usize) {
        self.seq = self.seq.saturating_add(events as i64);
        self.behind = self.behind.saturating_add(events as u64);
    }

    /// Notes that the snapshot was dropped.
    pub(super) const fn dropped(&mut self) {
        self.behind = self.behind.saturating_add(BEHIND);
    }
}

/// The version of this build. Each release replays all events once, in case somebody forgot to raise [`VERSION`].
fn version() -> String {
    format!("{VERSION} of {}", env!("CARGO_PKG_VERSION"))
}

fn checksum(version: &str, seq: i64, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(version.as_bytes());
    hash.update(seq.to_le_bytes());
    hash.update(body);
    hash.finalize().into()
}

/// Returns the position of the newest event that was ever stored.
pub(super) fn newest_event(connection: &Connection) -> rusqlite::Result<i64> {
    let newest = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
    connection.query_row(newest, [], |row| row.get(0)).optional().map(Option::unwrap_or_default)
}

/// Reads the snapshot, with the position of the newest event that it contains. None if there is none that can be trusted;
/// an error means that the database is damaged.
pub(super) fn read(connection: &Connection) -> rusqlite::Result<Option<(Desk, i64)>> {
    match read_trusted(connection) {
        Err(error)
            if !matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ) =>
        {
            tracing::warn!(%error, "the snapshot of the desk can't be read, so all events are");
            Ok(None)
        }
        read => read,
    }
}

fn read_trusted(connection: &Connection) -> rusqlite::Result<Option<(Desk, i64)>> {
    let read = read_lost(connection)?;
    if let Some((_, seq)) = &read
        && newest_event(connection)? < *seq
    {
        tracing::warn!(seq, "the snapshot of the desk is ahead of its events, so all events are read");
        return Ok(None);
    }
    Ok(read)
}

/// Reads the snapshot, whether or not there are the events that it contains.
pub(super) fn read_lost(connection: &Connection) -> rusqlite::Result<Option<(Desk, i64)>> {
    let mut statement =
        connection.prepare("SELECT seq, checksum, body FROM snapshot WHERE id = 1 AND version = ?1")?;
    let version = version();
    let mut rows = statement.query([&version])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let seq: i64 = row.get(0)?;
    let (known, body) = (row.get_ref(1)?.as_blob()?, row.get_ref(2)?.as_blob()?);
    if known != checksum(&version, seq, body) {
        tracing::warn!(seq, "the snapshot of the desk is wrong, so all events are read");
        return Ok(None);
    }
    match serde_json::from_slice(body) {
        Ok(desk) => Ok(Some((desk, seq))),
        Err(error) => {
            tracing::warn!(%error, "the snapshot of the desk can't be read, so all events are");
            Ok(None)
        }
    }
}

impl Journal {
    /// Returns whether so many events are behind the snapshot that it is worth writing once the writer is idle.
    pub(crate) const fn is_snapshot_due(&self) -> bool {
        self.progress.behind >= BEHIND
    }

    /// Writes a snapshot of the desk as the app ends, unless few events are behind the last one.
    pub(crate) fn write_last_snapshot(&mut self, desk: &Desk) {
        if self.progress.behind >= BEHIND_AT_END {
            self.write_snapshot(desk);
        }
    }

    /// Writes a snapshot of the desk, which contains every stored event. If the disk refuses it, the next start takes longer.
    pub(crate) fn write_snapshot(&mut self, desk: &Desk) {
        self.progress.behind = 0;
        if let Err(error) = self.try_to_write_snapshot(desk) {
            tracing::warn!(%error, "the snapshot of the desk could not be written");
        }
    }

    fn try_to_write_snapshot(&mut self, desk: &Desk) -> Result<(), StorageError> {
        let Ok(body) = serde_json::to_vec(desk) else { return Ok(()) };
        let (version, seq) = (version(), self.progress.seq);
        let checksum = checksum(&version, seq, &body);
        self.transact(Durability::Normal, |transaction| {
            if newest_event(transaction)? != seq {
                tracing::error!(seq, "the desk is not what the journal holds, so no snapshot is written");
                return Ok(());
            }
            transaction.execute(
                "INSERT OR REPLACE INTO snapshot (id, version, seq, checksum, body) VALUES (1, ?1, ?2, ?3, ?4)",
                params![version, seq, checksum, body],
            )?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
