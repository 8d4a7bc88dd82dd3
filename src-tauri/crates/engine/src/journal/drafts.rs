//! Drafts on disk. They are not history: each save replaces the previous one.

use askdesk_domain::{
    DraftKey, DraftOutcome, DraftTarget, Event, SavedDraft, StorageError, Timestamp, draft_rules,
};
use rusqlite::{Transaction, params};

use super::read::Reader;
use super::{Durability, Journal, record};

/// How many drafts are stored; beyond that, those with the oldest saves are deleted.
pub const KEPT_DRAFTS: u32 = 2_000;

fn about(key: DraftKey) -> String {
    match key {
        DraftKey::Request(id) => id.to_string(),
        DraftKey::Approval(id) => id.to_string(),
    }
}

/// Deletes a draft in the transaction of the event that ends it, so that a stale draft never returns.
pub(super) fn after(transaction: &Transaction<'_>, event: &Event) -> rusqlite::Result<()> {
    let Some((key, fate)) = draft_rules::after(event) else { return Ok(()) };
    let delete = match fate {
        DraftOutcome::Stays => return Ok(()),
        DraftOutcome::TextStays => "DELETE FROM drafts WHERE about = ?1 AND has_words = 0",
        DraftOutcome::Goes => "DELETE FROM drafts WHERE about = ?1",
    };
    transaction.prepare_cached(delete)?.execute([about(key)])?;
    Ok(())
}

fn write(transaction: &Transaction<'_>, kept: &SavedDraft, at: Timestamp) -> rusqlite::Result<()> {
    let about = about(kept.of.key());
    if kept.of.is_blank() {
        transaction.prepare_cached("DELETE FROM drafts WHERE about = ?1")?.execute([about])?;
        return Ok(());
    }
    let (body, has_words) = (record::encode(&kept.of)?, kept.of.has_words());
    let again = transaction
        .prepare_cached("UPDATE drafts SET saved_at = ?2, has_words = ?3, body = ?4 WHERE about = ?1")?
        .execute(params![about, at.millis(), has_words, body])?;
    if again > 0 {
        return Ok(());
    }
    transaction
        .prepare_cached(
            "INSERT INTO drafts (about, session, saved_at, has_words, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![about, kept.session.to_string(), at.millis(), has_words, body])?;
    transaction
        .prepare_cached(
            "DELETE FROM drafts WHERE about IN
                (SELECT about FROM drafts ORDER BY saved_at DESC, about DESC LIMIT -1 OFFSET ?1)",
        )?
        .execute([KEPT_DRAFTS])?;
    Ok(())
}

impl Journal {
    /// Writes drafts; each replaces the previous one, and a blank one deletes it.
    ///
    /// They survive a crash of the app at once, and a failure of the machine after the next event. This doesn't wait for the
    /// disk, because drafts are saved while the user types and just before an answer.
    pub fn save_drafts(&mut self, drafts: &[SavedDraft], at: Timestamp) -> Result<(), StorageError> {
        self.transact(Durability::Normal, |transaction| {
            drafts.iter().try_for_each(|kept| write(transaction, kept, at))
        })
    }
}

impl Reader {
    /// Reads all drafts, the latest save first, and skips unreadable ones.
    pub fn drafts(&self) -> Result<Vec<DraftTarget>, StorageError> {
        self.query(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT body FROM drafts ORDER BY saved_at DESC, about DESC")?;
            let mut rows = statement.query([])?;
            let mut drafts = Vec::new();
            while let Some(row) = rows.next()? {
                match record::decode(row, 0) {
                    Ok(draft) => drafts.push(draft),
                    Err(error) => tracing::error!(%error, "a draft cannot be read"),
                }
            }
            Ok(drafts)
        })
    }
}
