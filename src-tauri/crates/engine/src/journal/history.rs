//! Past questions: how each ended and how long it was open. Uses a read-only connection.

use std::collections::BTreeMap;

use askdesk_contract::{OutcomeKind, QuestionsWanted};
use askdesk_domain::{Asker, EntryBody, Request, RequestId, SessionId, StorageError};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::read::{self, Reader};
use super::{record, search};

/// A filter for past requests; open ones never match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionFilter {
    /// Words or beginnings of words that the request must contain; blank matches all.
    pub words: String,
    /// The session; none matches every session.
    pub session: Option<SessionId>,
    /// The outcomes; empty matches all. A request that the user closed counts as declined if the agent is told.
    pub outcomes: Vec<OutcomeKind>,
}

impl From<QuestionsWanted> for QuestionFilter {
    fn from(QuestionsWanted { query, session, outcomes }: QuestionsWanted) -> Self {
        Self { words: query, session, outcomes }
    }
}

/// The result of a filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuestionsFound {
    /// One page of the matches, newest first.
    pub requests: Vec<Request>,
    /// Whether more matches follow the page.
    pub more: bool,
    pub count: u64,
    pub answered: u64,
    /// What agents said next after those requests of the page that they didn't wait for, before the end.
    pub went_on: BTreeMap<RequestId, String>,
    /// How many of the page can't be read.
    pub unreadable: u64,
    /// The median time from asked to answered, over all answered matches, in milliseconds; none if none was answered.
    pub median_millis: Option<i64>,
}

/// The SQL expression for the kind of an outcome: a request that the user closed is declined if the agent is told.
const KIND: &str = "CASE WHEN NOT json_valid(outcome) THEN NULL
    WHEN outcome ->> '$.why.why' = 'canceled' AND coalesce(delivery, 'null') <> 'null' THEN 'declined'
    ELSE outcome ->> '$.outcome' END";

/// The SQL expression for the time to answer, in milliseconds; null for what was not answered. The clock may have been set back
/// between the question and its answer.
pub(super) const TIME_TO_ANSWER: &str =
    "CASE WHEN json_valid(outcome) AND outcome ->> '$.outcome' = 'answered'
    THEN max(ended_at - asked_at, 0) END";

/// The SQL condition of a filter, with its parameters.
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl QuestionFilter {
    /// Returns the condition; none if no request can match.
    pub(super) fn condition(&self) -> Option<Condition> {
        let mut condition = Condition { sql: "outcome IS NOT NULL".to_owned(), values: Vec::new() };
        if let Some(session) = self.session {
            condition.and("session = ?", Value::Text(session.to_string()));
        }
        if !self.outcomes.is_empty() {
            let words: Vec<&str> = self.outcomes.iter().map(|outcome| outcome.word()).collect();
            // The names contain only letters and underscores, so they need no escaping.
            let list = format!("[\"{}\"]", words.join("\",\""));
            condition.and(&format!("{KIND} IN (SELECT value FROM json_each(?))"), Value::Text(list));
        }
        if !self.words.trim().is_empty() {
            let query = search::query_of(&self.words)?;
            // The plus has SQLite go through the few entries that show a request, not through everything that has the words.
            condition.and(
                "id IN (SELECT about FROM searched WHERE about IS NOT NULL
                    AND +id IN (SELECT rowid FROM words WHERE words MATCH ?))",
                Value::Text(query),
            );
        }
        Some(condition)
    }
}

impl Condition {
    pub(super) fn and(&mut self, sql: &str, value: Value) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.push(value);
    }
}

impl Reader {
    /// Reads a page of the past requests that match a filter, and counts all matches.
    pub fn questions(
        &self,
        filter: &QuestionFilter,
        limit: u32,
        offset: u32,
    ) -> Result<QuestionsFound, StorageError> {
        let Some(condition) = filter.condition() else { return Ok(QuestionsFound::default()) };
        self.query(|connection| {
            // The page and the counts come from one snapshot.
            let moment = connection.unchecked_transaction()?;
            let mut found = counts(&moment, &condition)?;
            let mut ids = stretch(&moment, &condition, limit, offset)?;
            found.more = ids.len() > limit as usize;
            ids.truncate(limit as usize);
            for id in ids {
                match read::readable(read::find_request(&moment, id))? {
                    Some(request) => {
                        if let Some(request) = &request
                            && let Some(words) = words_after(&moment, request)?
                        {
                            found.went_on.insert(id, words);
                        }
                        found.requests.extend(request);
                    }
                    None => found.unreadable += 1,
                }
            }
            Ok(found)
        })
    }
}

/// Finds the next words of an agent that didn't wait for a request, if they came before its end.
fn words_after(connection: &Connection, request: &Request) -> rusqlite::Result<Option<String>> {
    if request.asker == Asker::Waits {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached(
        "SELECT body FROM entries WHERE session = ?1 AND at <= ?3 AND substr(body, 1, 15) = '{\"kind\":\"agent\"'
            AND n > (SELECT n FROM entries WHERE session = ?1 AND body = ?2)
         ORDER BY n LIMIT 1",
    )?;
    let place = record::encode(&EntryBody::Request { request: request.id })?;
    let until = request.ended().map_or(i64::MAX, |ended| ended.at.millis());
    let body = |row: &Row<'_>| record::decode(row, 0);
    let next = statement.query_row(params![request.session.to_string(), place, until], body).optional();
    Ok(read::readable(next)?.flatten().and_then(|body| match body {
        EntryBody::Agent { text } => Some(text),
        _ => None,
    }))
}

fn counts(connection: &Connection, condition: &Condition) -> rusqlite::Result<QuestionsFound> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {TIME_TO_ANSWER} FROM requests WHERE {}", condition.sql))?;
    let rows = statement.query_map(params_from_iter(&condition.values), |row| row.get(0))?;
    let found = rows.collect::<rusqlite::Result<Vec<Option<i64>>>>()?;
    let mut waits: Vec<i64> = found.iter().copied().flatten().collect();
    Ok(QuestionsFound {
        count: found.len() as u64,
        answered: waits.len() as u64,
        median_millis: median(&mut waits),
        ..QuestionsFound::default()
    })
}

/// Returns the middle one; none if there is none.
pub(super) fn median(waits: &mut [i64]) -> Option<i64> {
    waits.sort_unstable();
    let upper = *waits.get(waits.len() / 2)?;
    let lower = waits[(waits.len() - 1) / 2];
    Some(lower.midpoint(upper))
}

/// Finds the ids of a page, and one more.
fn stretch(
    connection: &Connection,
    condition: &Condition,
    limit: u32,
    offset: u32,
) -> rusqlite::Result<Vec<RequestId>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id FROM requests WHERE {} ORDER BY asked_at DESC, id DESC LIMIT ? OFFSET ?",
        condition.sql
    ))?;
    let place = [Value::Integer(i64::from(limit) + 1), Value::Integer(i64::from(offset))];
    let values = condition.values.iter().chain(&place);
    let rows = statement.query_map(params_from_iter(values), |row| {
        let id = row.get_ref(0)?.as_str()?;
        id.parse().map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
        })
    })?;
    rows.filter_map(|id| read::readable(id).transpose()).collect()
}
