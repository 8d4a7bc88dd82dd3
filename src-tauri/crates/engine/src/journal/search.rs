//! Full-text search: the index is written in the same transaction as its content. It has no copy of the texts; excerpts are
//! taken from the transcripts. Matches come by age, newest first, so that a page doesn't cost more with every match that it
//! doesn't show.

use std::str::FromStr;

use askdesk_contract::EntryKind;
use askdesk_domain::{Entry, EntryBody, SessionId, StorageError, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::phrases::{self, Part};
use super::read::{self, Reader};
use super::{indexed_text, joined_scripts, record};

/// How many entries a stretch has. The newest one and the one before it are also in small indexes of their own. What is common
/// fills a page there, and the large index isn't asked: it has to go through all that begins with a word before it knows the newest.
const STRETCH: i64 = 8_192;

/// How the indexes part a text into words: a mark is a letter's, except what only chooses the look of a sign. Whoever changes
/// this, or what [`joined_scripts`] does to a text, changes these words, so that the indexes are made again.
macro_rules! tokenizer {
    () => {
        "tokenize = \"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc' separators '\u{fe0e}\u{fe0f}'\""
    };
}

/// The indexes. The large one makes no entries for the beginnings of words, because they would take as much space as the words.
pub(super) const WORDS: &str = concat!(
    "CREATE VIRTUAL TABLE words USING fts5 (
        text, ",
    tokenizer!(),
    ", content = '', contentless_delete = 1
    );"
);
/// The small ones, which stretches have in turns: to empty one costs less than to take out its entries one by one. A database that
/// lacks them gets empty ones.
pub(super) const RECENT_WORDS: &str = concat!(
    "CREATE VIRTUAL TABLE IF NOT EXISTS even_words USING fts5 (
        text, ",
    tokenizer!(),
    ", content = '', contentless_delete = 1
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS odd_words USING fts5 (
        text, ",
    tokenizer!(),
    ", content = '', contentless_delete = 1
    );"
);
/// The index of the texts of one page, from which the excerpts come.
const PAGE_WORDS: &str = concat!("CREATE VIRTUAL TABLE page USING fts5 (text, ", tokenizer!(), ")");

/// The longest query, in bytes; the rest is ignored.
pub const QUERY_BYTES: usize = 1_024;

/// How many words of a query are used.
const QUERY_WORDS: usize = 32;

/// How many words an excerpt has around a match, and how many letters where each is a word of its own: as many as SQLite gives.
const EXCERPT_WORDS: u32 = 24;
const EXCERPT_LETTERS: u32 = 64;

/// The markers that the index puts around a match.
const MATCH_BEGINS: char = '\u{2}';
const MATCH_ENDS: char = '\u{3}';

impl record::Record for EntryKind {}

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
pub struct FoundEntries {
    /// The newest first.
    pub hits: Vec<Hit>,
    /// Whether more matches follow.
    pub more: bool,
}

/// Adds an entry to the index, or updates it if it was replaced.
pub(super) fn index(transaction: &Transaction<'_>, session: &str, entry: &Entry) -> rusqlite::Result<()> {
    let about = match &entry.body {
        EntryBody::Request { request } => Some(request.to_string()),
        EntryBody::Approval { approval } => Some(approval.to_string()),
        _ => None,
    };
    let text = text_of(transaction, &entry.body)?;
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

/// Makes the indexes again if they were made in another way.
pub(super) fn index_anew_if_outdated(connection: &mut Connection) -> rusqlite::Result<()> {
    let made: Option<String> = connection
        .query_row("SELECT sql FROM sqlite_schema WHERE name = 'words'", [], |row| row.get(0))
        .optional()?;
    if made.is_none_or(|made| made.contains(tokenizer!())) {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "DROP TABLE words; DROP TABLE IF EXISTS even_words; DROP TABLE IF EXISTS odd_words;",
    )?;
    transaction.execute_batch(WORDS)?;
    transaction.execute_batch(RECENT_WORDS)?;
    let newest: i64 =
        transaction.query_row("SELECT ifnull(max(id), 0) FROM searched", [], |row| row.get(0))?;
    {
        let mut entries = transaction
            .prepare("SELECT id, body FROM searched JOIN entries USING (session, n) ORDER BY searched.id")?;
        let mut insert = transaction.prepare("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?;
        let mut rows = entries.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let Some(body) = read::readable(record::decode(row, 1))? else { continue };
            let text = text_of(&transaction, &body)?;
            let text = joined_scripts::part(&text);
            insert.execute(params![id, text])?;
            if id / STRETCH + 1 >= newest / STRETCH {
                let recent = recent_of(id);
                let insert = format!("INSERT INTO {recent} (rowid, text) VALUES (?1, ?2)");
                transaction.prepare_cached(&insert)?.execute(params![id, text])?;
            }
        }
    }
    transaction.commit()
}

/// Which of the small indexes an entry belongs to.
const fn recent_of(id: i64) -> &'static str {
    if (id / STRETCH) % 2 == 0 { "even_words" } else { "odd_words" }
}

/// Returns the searchable text of an entry; empty if what it shows can't be read.
pub(crate) fn text_of(connection: &Connection, body: &EntryBody) -> rusqlite::Result<String> {
    Ok(match body {
        EntryBody::Request { request } => {
            let known = read::readable(read::find_request(connection, *request))?.flatten();
            known.as_ref().map(indexed_text::of_request).unwrap_or_default()
        }
        EntryBody::Approval { approval } => {
            let known = read::readable(read::find_approval(connection, *approval))?.flatten();
            known.as_ref().map(indexed_text::of_approval).unwrap_or_default()
        }
        body => indexed_text::of_entry(body),
    })
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
    let text = joined_scripts::part(text);
    statement.execute(params![id, text])?;
    let recent = recent_of(id);
    let mut statement = transaction.prepare_cached("SELECT ?1 = max(id) FROM searched")?;
    let is_newest: bool = statement.query_row([id], |row| row.get(0))?;
    if is_newest && id % STRETCH == 0 {
        transaction.execute(&format!("INSERT INTO {recent} ({recent}) VALUES ('delete-all')"), [])?;
    }
    // An entry of which newer ones are in neither must not be there either.
    let mut statement = transaction.prepare_cached(&format!(
        "INSERT OR REPLACE INTO {recent} (rowid, text) SELECT ?1, ?2
         WHERE ?3 OR EXISTS (SELECT 1 FROM {recent} WHERE rowid = ?1)"
    ))?;
    statement.execute(params![id, text, is_newest])?;
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
    let term = |(word, star): (&str, _)| {
        format!("\"{}\"{star}", joined_scripts::part(word).replace(['\0', '"'], " "))
    };
    let terms: Vec<String> = says.map(term).collect();
    (!terms.is_empty()).then(|| terms.join(" "))
}

impl Reader {
    /// Finds entries that contain all the words; each matches words that begin with it, and quotes match phrases.
    pub fn search(&self, text: &str, limit: u32, offset: u32) -> Result<FoundEntries, StorageError> {
        let Some(query) = query_of(text) else { return Ok(FoundEntries::default()) };
        self.query(|connection| {
            // All of it comes from one moment.
            let moment = connection.unchecked_transaction()?;
            let mut hits = places(&moment, IN_RECENT_WORDS, &query, limit, offset)?;
            if hits.len() <= limit as usize {
                hits = places(&moment, IN_WORDS, &query, limit, offset)?;
            }
            let more = hits.len() > limit as usize;
            hits.truncate(limit as usize);
            add_excerpts(&moment, &query, &mut hits)?;
            Ok(FoundEntries { hits, more })
        })
    }
}

/// Find the matches in the large index, and in the small ones.
const IN_WORDS: &str = "SELECT rowid AS found FROM words WHERE words MATCH ?1";
const IN_RECENT_WORDS: &str = "SELECT rowid AS found FROM even_words WHERE even_words MATCH ?1
    UNION ALL SELECT rowid AS found FROM odd_words WHERE odd_words MATCH ?1";

/// Finds the positions of the newest matches, and one more.
fn places(
    connection: &Connection,
    matches: &str,
    query: &str,
    limit: u32,
    offset: u32,
) -> rusqlite::Result<Vec<Hit>> {
    let mut statement = connection.prepare_cached(&newest(matches))?;
    let places = statement.query_map(params![query, i64::from(limit) + 1, offset], hit)?;
    places.filter_map(|place| read::readable(place).transpose()).collect()
}

/// Reads the newest matches.
fn newest(matches: &str) -> String {
    format!(
        "SELECT session, n, at, kind FROM ({matches} ORDER BY found DESC LIMIT ?2 OFFSET ?3)
         JOIN searched ON id = found
         ORDER BY found DESC"
    )
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

/// Adds the excerpt around the first match to each hit. What can't be read has none.
fn add_excerpts(connection: &Connection, query: &str, hits: &mut [Hit]) -> rusqlite::Result<()> {
    let page = Connection::open_in_memory()?;
    page.execute_batch(PAGE_WORDS)?;
    let inserts = page.unchecked_transaction()?;
    let mut body = connection.prepare_cached("SELECT body FROM entries WHERE session = ?1 AND n = ?2")?;
    let mut insert = page.prepare("INSERT INTO page (rowid, text) VALUES (?1, ?2)")?;
    for (place, hit) in hits.iter().enumerate() {
        let body = body.query_row(params![hit.session.to_string(), hit.n], |row| record::decode(row, 0));
        if let Some(body) = read::readable(body.optional())?.flatten() {
            insert.execute(params![place, joined_scripts::part(&text_of(connection, &body)?)])?;
        }
    }
    inserts.commit()?;
    let mut excerpts = page
        .prepare("SELECT rowid, snippet(page, 0, char(2), char(3), '…', ?2) FROM page WHERE page MATCH ?1")?;
    let length = if joined_scripts::holds_joined(query) { EXCERPT_LETTERS } else { EXCERPT_WORDS };
    let mut rows = excerpts.query(params![query, length])?;
    while let Some(row) = rows.next()? {
        if let Some(hit) = hits.get_mut(row.get::<_, usize>(0)?) {
            let marked = row.get_ref(1)?.as_str()?;
            let (before, rest) = marked.split_once(MATCH_BEGINS).unwrap_or((marked, ""));
            let (matched, after) = rest.split_once(MATCH_ENDS).unwrap_or((rest, ""));
            let plain = |text: &str| joined_scripts::join(&text.replace([MATCH_BEGINS, MATCH_ENDS], ""));
            (hit.before, hit.matched, hit.after) = (plain(before), plain(matched), plain(after));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
