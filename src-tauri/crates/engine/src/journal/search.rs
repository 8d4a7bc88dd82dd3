//! Full-text search: the index is written in the same transaction as its content.

use std::str::FromStr;

use askdesk_domain::{Entry, EntryBody, SessionId, StorageError, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::phrases::{self, Part};
use super::read::{self, Reader};
use super::{indexed_text, record};

/// How many of the best matches are sorted and can be paged through.
pub const SEARCHED_BEST: u32 = 1_000;

/// The longest query, in bytes; the rest is ignored.
pub const QUERY_BYTES: usize = 1_024;

/// How many words of a query are used.
const QUERY_WORDS: usize = 32;

/// How many words an excerpt has around a match.
const EXCERPT_WORDS: u32 = 24;

/// After how many days a match has three quarters of its initial weight; very old ones have half.
const HALF_NEWS_DAYS: f64 = 30.0;

/// The markers that the index puts around a match.
const MATCH_BEGINS: char = '\u{2}';
const MATCH_ENDS: char = '\u{3}';

/// The kind of an entry, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EntryKind {
    User,
    Agent,
    /// The agent's reasoning.
    Thinking,
    /// A tool the agent used.
    Tool,
    Request,
    Approval,
    Plan,
    Notice,
    TurnEnded,
}

impl record::Record for EntryKind {}

impl EntryKind {
    pub const fn of(body: &EntryBody) -> Self {
        match body {
            EntryBody::User { .. } => Self::User,
            EntryBody::Agent { .. } => Self::Agent,
            EntryBody::Thinking { .. } => Self::Thinking,
            EntryBody::Tool { .. } => Self::Tool,
            EntryBody::Request { .. } => Self::Request,
            EntryBody::Approval { .. } => Self::Approval,
            EntryBody::Plan { .. } => Self::Plan,
            EntryBody::Notice { .. } => Self::Notice,
            EntryBody::TurnEnded { .. } => Self::TurnEnded,
        }
    }
}

/// An entry that was found, with an excerpt around the first match. Everything is text, never markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub session: SessionId,
    /// The entry's position in the session.
    pub n: u64,
    /// When the entry was first written.
    pub at: Timestamp,
    pub kind: EntryKind,
    pub before: String,
    pub matched: String,
    pub after: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The best matches first; equal ones by age, newest first.
    pub hits: Vec<Hit>,
    /// Whether more matches follow.
    pub more: bool,
}

/// Adds an entry to the index, or updates it if it was replaced.
pub(super) fn index(transaction: &Transaction<'_>, session: &str, entry: &Entry) -> rusqlite::Result<()> {
    let (about, text) = match &entry.body {
        EntryBody::Request { request } => {
            let known = read::readable(read::find_request(transaction, *request))?.flatten();
            (Some(request.to_string()), known.as_ref().map(indexed_text::of_request).unwrap_or_default())
        }
        EntryBody::Approval { approval } => {
            let known = read::readable(read::find_approval(transaction, *approval))?.flatten();
            (Some(approval.to_string()), known.as_ref().map(indexed_text::of_approval).unwrap_or_default())
        }
        body => (None, indexed_text::of_entry(body)),
    };
    if text.is_empty() {
        return Ok(());
    }
    let mut statement = transaction.prepare_cached(
        "INSERT INTO searched (session, n, at, kind, about) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (session, n) DO UPDATE SET kind = excluded.kind RETURNING id",
    )?;
    let kind = record::encode(&EntryKind::of(&entry.body))?;
    let place = params![session, entry.n, entry.at.millis(), kind, about];
    let id: i64 = statement.query_row(place, |row| row.get(0))?;
    write(transaction, id, &text)
}

/// Updates the index of a request or an approval whose state has changed.
pub(super) fn index_again(transaction: &Transaction<'_>, about: &str) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached("SELECT id FROM searched WHERE about = ?1")?;
    let Some(id) = statement.query_row([about], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(());
    };
    let text = match (about.parse(), about.parse()) {
        (Ok(request), Ok(approval)) => match read::readable(read::find_request(transaction, request))? {
            Some(Some(request)) => Some(indexed_text::of_request(&request)),
            Some(None) => read::readable(read::find_approval(transaction, approval))?
                .map(|it| it.as_ref().map(indexed_text::of_approval).unwrap_or_default()),
            None => None,
        },
        _ => None,
    };
    // What can't be read keeps the words that it had.
    text.map_or(Ok(()), |text| write(transaction, id, &text))
}

fn write(transaction: &Transaction<'_>, id: i64, text: &str) -> rusqlite::Result<()> {
    let mut statement =
        transaction.prepare_cached("INSERT OR REPLACE INTO words (rowid, text) VALUES (?1, ?2)")?;
    statement.execute(params![id, text])?;
    Ok(())
}

/// Builds the index query: each word matches words that begin with it, and quoted text matches exactly. None if the text
/// contains no word.
pub(super) fn query_of(text: &str) -> Option<String> {
    let mut end = text.len().min(QUERY_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let parts = phrases::split(&text[..end]).into_iter().flat_map(|part| match part {
        Part::Phrase(phrase) => vec![(phrase, "")],
        Part::Words(words) => words.split_whitespace().map(|word| (word, "*")).collect(),
    });
    let says = parts.filter(|(word, _)| word.chars().any(char::is_alphanumeric)).take(QUERY_WORDS);
    let terms: Vec<String> =
        says.map(|(word, star)| format!("\"{}\"{star}", word.replace(['\0', '"'], " "))).collect();
    (!terms.is_empty()).then(|| terms.join(" "))
}

impl Reader {
    /// Finds entries that contain all the words; each matches words that begin with it, and quotes match phrases.
    pub fn search(&self, text: &str, limit: u32, offset: u32, now: Timestamp) -> Result<Found, StorageError> {
        let Some(query) = query_of(text) else { return Ok(Found::default()) };
        self.query(|connection| {
            let mut best = places(connection, &query, limit, offset, now)?;
            let more = best.len() > limit as usize;
            best.truncate(limit as usize);
            let mut hits = Vec::with_capacity(best.len());
            for (id, mut hit) in best {
                excerpt(connection, &query, id, &mut hit)?;
                hits.push(hit);
            }
            Ok(Found { hits, more })
        })
    }
}

/// Finds the positions of the best matches, and one more.
fn places(
    connection: &Connection,
    query: &str,
    limit: u32,
    offset: u32,
    now: Timestamp,
) -> rusqlite::Result<Vec<(i64, Hit)>> {
    // A rank is negative; lower is better.
    let mut statement = connection.prepare_cached(
        "SELECT session, n, at, kind, id
         FROM (SELECT rowid AS found, rank AS score FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT ?2)
         JOIN searched ON id = found
         ORDER BY score * (1.0 + 1.0 / (1.0 + max(?3 - at, 0) / ?4)) ASC, at DESC, n DESC
         LIMIT ?5 OFFSET ?6",
    )?;
    let half_news = HALF_NEWS_DAYS * 24.0 * 3_600_000.0;
    let wanted = params![query, SEARCHED_BEST, now.millis(), half_news, i64::from(limit) + 1, offset];
    let places = statement.query_map(wanted, |row| Ok((row.get(4)?, hit(row)?)))?;
    places.filter_map(|place| read::readable(place).transpose()).collect()
}

fn hit(row: &Row<'_>) -> rusqlite::Result<Hit> {
    let session = row.get_ref(0)?.as_str()?;
    let not_an_id =
        |error| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error));
    Ok(Hit {
        session: SessionId::from_str(session).map_err(not_an_id)?,
        n: row.get(1)?,
        at: Timestamp::from_millis(row.get(2)?),
        kind: record::decode(row, 3)?,
        before: String::new(),
        matched: String::new(),
        after: String::new(),
    })
}

/// Adds the excerpt around the first match to a hit.
fn excerpt(connection: &Connection, query: &str, id: i64, hit: &mut Hit) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT snippet(words, 0, char(2), char(3), '…', ?3) FROM words WHERE words MATCH ?1 AND rowid = ?2",
    )?;
    let marked: String = statement.query_row(params![query, id, EXCERPT_WORDS], |row| row.get(0))?;
    let (before, rest) = marked.split_once(MATCH_BEGINS).unwrap_or((&marked, ""));
    let (matched, after) = rest.split_once(MATCH_ENDS).unwrap_or((rest, ""));
    let plain = |text: &str| text.replace([MATCH_BEGINS, MATCH_ENDS], "");
    (hit.before, hit.matched, hit.after) = (plain(before), plain(matched), plain(after));
    Ok(())
}
