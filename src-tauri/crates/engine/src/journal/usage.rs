//! What turns used: read from the ends of turns in the transcripts, which are the only record of it. Deleting a session keeps
//! the numbers of its turns, because the money is spent all the same.

use askdesk_contract::DayBounds;
use askdesk_domain::{
    DailyBudget, EntryBody, SessionId, SessionUsage, StorageError, Timestamp, Usage, UsageSum, Usd,
};
use rusqlite::{Row, Transaction, params};

use super::read::{Reader, readable};
use super::{Durability, Journal, record};

/// Reads the ends of turns through their index.
const TURNS: &str = r#"SELECT body, at FROM entries WHERE substr(body, 1, 20) = '{"kind":"turn_ended"'"#;

/// A finished turn, reduced to what is added up.
struct Turn {
    at: Timestamp,
    usage: Usage,
}

impl Reader {
    /// Adds up the turns of a session.
    pub fn session_usage(&self, session: SessionId) -> Result<SessionUsage, StorageError> {
        self.query(|connection| {
            let mut statement = connection.prepare_cached(&format!("{TURNS} AND session = ?1 ORDER BY n"))?;
            let mut of_session = SessionUsage::default();
            for turn in statement.query_map([session.to_string()], turn)? {
                let Some(Turn { usage, .. }) = readable(turn)? else { continue };
                of_session.sum.add(&usage);
                of_session.context = usage.context;
            }
            Ok(of_session)
        })
    }

    /// Adds up the turns of each day, of one session or of all, including deleted ones.
    pub fn usage_of_days(
        &self,
        session: Option<SessionId>,
        days: &DayBounds,
    ) -> Result<Vec<UsageSum>, StorageError> {
        let mut sums = vec![UsageSum::default(); days.count()];
        let mut add = |turn: Turn| {
            if let Some(day) = days.day_of(turn.at) {
                sums[day].add(&turn.usage);
            }
        };
        let (from, to) = days.span();
        self.query(|connection| {
            // Both reads come from one snapshot: a deletion moves turns from one to the other.
            let moment = connection.unchecked_transaction()?;
            let mut statement = moment.prepare_cached(&format!(
                "{TURNS} AND at >= ?1 AND at < ?2 AND (?3 IS NULL OR session = ?3)"
            ))?;
            let session = session.map(|session| session.to_string());
            let span = params![from.millis(), to.millis(), session];
            for turn in statement.query_map(span, turn)? {
                if let Some(turn) = readable(turn)? {
                    add(turn);
                }
            }
            if session.is_none() {
                let mut statement = moment.prepare_cached(
                    "SELECT at, input_tokens, output_tokens, cached_tokens, cost_nanos FROM turns_of_deleted
                     WHERE at >= ?1 AND at < ?2",
                )?;
                let span = params![from.millis(), to.millis()];
                statement.query_map(span, turn_of_deleted)?.try_for_each(|turn| turn.map(&mut add))?;
            }
            Ok(())
        })?;
        Ok(sums)
    }
}

impl Journal {
    /// Notes that a day's cost has passed a budget; returns whether that is news.
    pub fn note_passed_budget(&mut self, day: &str, budget: DailyBudget) -> Result<bool, StorageError> {
        let mut is_news = false;
        self.transact(Durability::Full, |transaction| {
            let changed = transaction.execute(
                "INSERT OR IGNORE INTO passed_budgets (day, dollars) VALUES (?1, ?2)",
                params![day, u16::from(budget)],
            )?;
            is_news = changed > 0;
            Ok(())
        })?;
        Ok(is_news)
    }
}

/// Keeps the numbers of a session's turns, without its id and without any text, before its transcript is deleted.
pub(super) fn keep_turns(transaction: &Transaction<'_>, session: &str) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(&format!("{TURNS} AND session = ?1"))?;
    let turns = statement.query_map([session], turn)?;
    let turns = turns.filter_map(|turn| readable(turn).transpose()).collect::<rusqlite::Result<Vec<_>>>()?;
    let mut keep = transaction.prepare_cached(
        "INSERT INTO turns_of_deleted (at, input_tokens, output_tokens, cached_tokens, cost_nanos)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for Turn { at, usage } in turns {
        let stored = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let Usage { input_tokens, output_tokens, cached_tokens, cost, .. } = usage;
        keep.execute(params![
            at.millis(),
            stored(input_tokens),
            stored(output_tokens),
            stored(cached_tokens),
            cost.map(|cost| stored(cost.nanos())),
        ])?;
    }
    Ok(())
}

fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    let at = Timestamp::from_millis(row.get(1)?);
    let usage = match record::decode(row, 0)? {
        EntryBody::TurnEnded { input_tokens, output_tokens, cached_tokens, cost_usd, context, .. } => {
            Usage { input_tokens, output_tokens, cached_tokens, cost: cost_usd, context }
        }
        _ => Usage::default(),
    };
    Ok(Turn { at, usage })
}

fn turn_of_deleted(row: &Row<'_>) -> rusqlite::Result<Turn> {
    let cost: Option<u64> = row.get(4)?;
    let usage = Usage {
        input_tokens: row.get(1)?,
        output_tokens: row.get(2)?,
        cached_tokens: row.get(3)?,
        cost: cost.and_then(Usd::from_nanos),
        context: None,
    };
    Ok(Turn { at: Timestamp::from_millis(row.get(0)?), usage })
}

#[cfg(test)]
mod tests;
