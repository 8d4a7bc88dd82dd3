//! Deletes a session permanently: from the tables, the search index and the file.

use std::time::{Duration, Instant};

use askdesk_domain::{Event, SessionId, StorageError};
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::read::readable;
use super::{Durability, Journal, pages, record, schema, storage_error, usage};

/// How many pages a step of a sweep goes through, and how many an index merges in one: a few milliseconds of work.
const STEP: u32 = if cfg!(feature = "faults") { 16 } else { 256 };

/// How long the end of the app goes on with a sweep. Where that isn't enough, the next start sweeps.
const AT_END: Duration = Duration::from_millis(if cfg!(feature = "faults") { 60_000 } else { 1_500 });

/// The indexes of words.
const INDEXES: [&str; 3] = ["words", "even_words", "odd_words"];

/// What the next step of a sweep does. After an interruption, it begins again: it finds what it did.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sweep {
    /// Begins to merge an index, or goes on with it.
    Merge { index: usize, begun: bool },
    /// Overwrites what is unused in the pages from one on.
    Overwrite { from: u32 },
    /// Empties the log.
    EmptyLog,
}

impl Sweep {
    pub(super) const BEGIN: Self = Self::Merge { index: 0, begun: false };
}

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
    /// Returns whether traces of a deletion are left.
    pub(crate) const fn is_sweep_due(&self) -> bool {
        self.sweep.is_some()
    }

    /// Removes some traces of deletions. SQLite overwrites deleted content, but an index keeps deleted words until it is merged,
    /// and the unused part of a page that was once split may hold a copy of them. If somebody else uses the database, this can be
    /// tried again. What fails in another way is left to the next start.
    pub(crate) fn sweep(&mut self) -> Result<(), StorageError> {
        let swept = self.take_step();
        if matches!(&swept, Err(error) if !matches!(error, StorageError::Busy { .. })) {
            self.sweep = None;
        }
        swept
    }

    fn take_step(&mut self) -> Result<(), StorageError> {
        self.sweep = match self.sweep {
            None => None,
            Some(Sweep::Merge { index, .. }) if index == INDEXES.len() => Some(Sweep::Overwrite { from: 1 }),
            Some(Sweep::Merge { index, begun }) => {
                let before = self.connection.total_changes();
                // A negative number begins to merge all of it.
                let pages = if begun { i64::from(STEP) } else { -i64::from(STEP) };
                let name = INDEXES[index];
                self.transact(Durability::Normal, |transaction| {
                    let merge = format!("INSERT INTO {name} ({name}, rank) VALUES ('merge', ?1)");
                    transaction.execute(&merge, [pages]).map(drop)
                })?;
                // The statement itself is one change.
                let is_merged = self.connection.total_changes() - before < 2;
                Some(Sweep::Merge { index: index + usize::from(is_merged), begun: !is_merged })
            }
            Some(Sweep::Overwrite { from }) => {
                let mut is_last = false;
                self.transact(Durability::Normal, |transaction| {
                    is_last = overwrite_unused(transaction, from)?;
                    Ok(())
                })?;
                Some(if is_last { Sweep::EmptyLog } else { Sweep::Overwrite { from: from + STEP } })
            }
            Some(Sweep::EmptyLog) => {
                let fail = |error: rusqlite::Error| storage_error(&self.path, &error);
                // A reader is not waited for.
                self.connection.busy_timeout(Duration::ZERO).map_err(fail)?;
                let emptied = self.checkpoint();
                self.connection.busy_timeout(schema::BUSY_WAIT).map_err(fail)?;
                emptied?;
                self.transact(Durability::Full, |transaction| {
                    transaction.execute("DELETE FROM unswept", []).map(drop)
                })?;
                None
            }
        };
        Ok(())
    }

    /// Removes what traces of deletions are left when the app ends, as long as there is time.
    pub(crate) fn sweep_at_end(&mut self) {
        let until = Instant::now() + AT_END;
        while self.is_sweep_due() && Instant::now() < until {
            if let Err(error) = self.sweep() {
                tracing::warn!(%error, "the next start removes the traces of a deleted session");
                return;
            }
        }
    }

    /// Finds out whether traces of a deletion are left.
    pub(super) fn owed_sweep(connection: &Connection) -> rusqlite::Result<Option<Sweep>> {
        let owed = connection.query_row("SELECT EXISTS (SELECT 1 FROM unswept)", [], |row| row.get(0))?;
        Ok(Some(Sweep::BEGIN).filter(|_| owed))
    }
}

/// Overwrites what is unused in a stretch of pages; returns whether it is the last one.
fn overwrite_unused(transaction: &Transaction<'_>, from: u32) -> rusqlite::Result<bool> {
    let count: u32 = transaction.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    let mut read = transaction.prepare_cached("SELECT data FROM sqlite_dbpage WHERE pgno = ?1")?;
    let mut page = |n: u32| read.query_row([n], |row| row.get::<_, Vec<u8>>(0)).optional();
    let mut write = transaction.prepare_cached("INSERT INTO sqlite_dbpage (pgno, data) VALUES (?1, ?2)")?;
    let header = page(1)?.unwrap_or_default();
    let stretch = from..count.min(from + STEP - 1) + 1;
    let free = pages::free(&header, &stretch, &mut page)?;
    for n in stretch {
        let Some(mut content) = page(n)? else { continue };
        if pages::overwrite_unused(&mut content, n == 1, free.get(&n).copied()) {
            write.execute(params![n, content])?;
        }
    }
    Ok(from + STEP > count)
}

#[cfg(test)]
mod tests;
