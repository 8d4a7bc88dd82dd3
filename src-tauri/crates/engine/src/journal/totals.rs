//! Totals of past questions: how long their answers took.

use askdesk_domain::{StorageError, Timestamp};
use rusqlite::{params_from_iter, types::Value};
use serde::{Deserialize, Serialize};

use super::history::{QuestionFilter, TIME_TO_ANSWER, median};
use super::read::Reader;

/// The most days of one count.
pub const DAYS_COUNTED: usize = 400;

/// The longest times to answer that are counted together, in milliseconds. One more group has all longer times.
pub const ANSWER_TIMES: [i64; 7] = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000, 900_000];

/// The start of each day, followed by the end of the last one. The caller knows the time zone; a day can have 23 or 25 hours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Timestamp>", into = "Vec<Timestamp>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "Array<number>"))]
pub struct DayBounds(Vec<Timestamp>);

/// Why times are not the bounds of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDayBounds {
    #[error("{0} days are counted; the limit is 1 to {DAYS_COUNTED}")]
    Number(usize),
    #[error("a day ends before it starts")]
    Order,
}

impl TryFrom<Vec<Timestamp>> for DayBounds {
    type Error = NotDayBounds;

    fn try_from(bounds: Vec<Timestamp>) -> Result<Self, Self::Error> {
        let days = bounds.len().saturating_sub(1);
        if days == 0 || days > DAYS_COUNTED {
            return Err(NotDayBounds::Number(days));
        }
        // A time zone that crosses the date line skips a day, which then has no length.
        if !bounds.is_sorted() {
            return Err(NotDayBounds::Order);
        }
        Ok(Self(bounds))
    }
}

impl From<DayBounds> for Vec<Timestamp> {
    fn from(bounds: DayBounds) -> Self {
        bounds.0
    }
}

impl DayBounds {
    /// Returns how many days there are; at least one.
    pub(super) fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// Returns the start of the first day and the end of the last one.
    pub(super) fn span(&self) -> (Timestamp, Timestamp) {
        (self.0[0], self.0[self.count()])
    }

    /// Returns the position of the day of a moment.
    pub(super) fn day_of(&self, at: Timestamp) -> Option<usize> {
        let day = self.0.partition_point(|start| *start <= at).checked_sub(1)?;
        (day + 1 < self.0.len()).then_some(day)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AnswerTimeCount {
    /// The longest time of the group, in milliseconds; none for the group of all longer times.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub up_to: Option<i64>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// The times to answer the requests that were asked on some days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionTotals {
    /// The answered ones by their time to answer, shortest first; every group has an entry.
    pub answer_times: Vec<AnswerTimeCount>,
    /// The median time to answer, in milliseconds; none if none was answered.
    pub median_millis: Option<i64>,
}

impl QuestionTotals {
    /// Counts times to answer, in milliseconds.
    fn count(mut waits: Vec<i64>) -> Self {
        let mut answer_times: Vec<_> =
            ANSWER_TIMES.iter().map(|up_to| AnswerTimeCount { up_to: Some(*up_to), count: 0 }).collect();
        answer_times.push(AnswerTimeCount { up_to: None, count: 0 });
        for waited in &waits {
            answer_times[ANSWER_TIMES.partition_point(|up_to| up_to < waited)].count += 1;
        }
        Self { answer_times, median_millis: median(&mut waits) }
    }
}

impl Reader {
    /// Counts the answered requests that match a filter and were asked on some days.
    pub fn question_totals(
        &self,
        filter: &QuestionFilter,
        days: &DayBounds,
    ) -> Result<QuestionTotals, StorageError> {
        let Some(mut condition) = filter.condition() else { return Ok(QuestionTotals::count(Vec::new())) };
        // No index on the time: the page of questions beside the totals reads every row anyway.
        let (first, end) = days.span();
        condition.and("asked_at >= ?", Value::Integer(first.millis()));
        condition.and("asked_at < ?", Value::Integer(end.millis()));
        self.query(|connection| {
            let mut statement = connection
                .prepare_cached(&format!("SELECT {TIME_TO_ANSWER} FROM requests WHERE {}", condition.sql))?;
            let rows = statement.query_map(params_from_iter(&condition.values), |row| row.get(0))?;
            let waits = rows.collect::<rusqlite::Result<Vec<Option<i64>>>>()?;
            Ok(QuestionTotals::count(waits.into_iter().flatten().collect()))
        })
    }
}

#[cfg(test)]
mod tests;
