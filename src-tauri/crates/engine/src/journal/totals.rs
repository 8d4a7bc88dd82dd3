//! Totals of past questions: how long their answers took.

use askdesk_contract::{AnswerTimeCount, DayBounds, QuestionTotals};
use askdesk_domain::StorageError;
use rusqlite::{params_from_iter, types::Value};

use super::history::{QuestionFilter, TIME_TO_ANSWER, median};
use super::read::Reader;

/// The longest times to answer that are counted together, in milliseconds. One more group has all longer times.
pub const ANSWER_TIMES: [i64; 7] = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000, 900_000];

/// Counts times to answer, in milliseconds.
fn count(mut waits: Vec<i64>) -> QuestionTotals {
    let mut answer_times: Vec<_> =
        ANSWER_TIMES.iter().map(|up_to| AnswerTimeCount { up_to: Some(*up_to), count: 0 }).collect();
    answer_times.push(AnswerTimeCount { up_to: None, count: 0 });
    for waited in &waits {
        answer_times[ANSWER_TIMES.partition_point(|up_to| up_to < waited)].count += 1;
    }
    QuestionTotals { answer_times, median_millis: median(&mut waits) }
}

impl Reader {
    /// Counts the answered requests that match a filter and were asked on some days.
    pub fn question_totals(
        &self,
        filter: &QuestionFilter,
        days: &DayBounds,
    ) -> Result<QuestionTotals, StorageError> {
        let Some(mut condition) = filter.condition() else { return Ok(count(Vec::new())) };
        // No index on the time: the page of questions beside the totals reads every row anyway.
        let (first, end) = days.span();
        condition.and("asked_at >= ?", Value::Integer(first.millis()));
        condition.and("asked_at < ?", Value::Integer(end.millis()));
        self.query(|connection| {
            let mut statement = connection
                .prepare_cached(&format!("SELECT {TIME_TO_ANSWER} FROM requests WHERE {}", condition.sql))?;
            let rows = statement.query_map(params_from_iter(&condition.values), |row| row.get(0))?;
            let waits = rows.collect::<rusqlite::Result<Vec<Option<i64>>>>()?;
            Ok(count(waits.into_iter().flatten().collect()))
        })
    }
}

#[cfg(test)]
mod tests;
