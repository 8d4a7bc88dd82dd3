//! Pins format 1: `format-1.sql` is a database with every kind of event, entry, and draft.

use std::collections::BTreeSet;
use std::path::PathBuf;

use askdesk_contract::DayBounds;
use askdesk_domain::{
    DailyBudget, Desk, DraftTarget, Entry, EntryBody, Event, SavedDraft, SessionId, Timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::{Journal, Opened, joined_scripts, record};
use super::*;

const FIXTURE: &str = include_str!("format-1.sql");
const EVENTS: &str = include_str!("../record/events.jsonl");
const ENTRIES: &str = include_str!("../record/entries.jsonl");
const DRAFTS: &str = include_str!("../record/drafts.jsonl");

/// Set to write the fixture anew. Once it has been released, it stays as it is.
const WRITE: &str = "UPDATE_FIXTURE";

const ONE: &str = "00000000-0000-0000-0000-000000000001";
const TWO: &str = "00000000-0000-0000-0000-000000000002";
const AT: Timestamp = Timestamp::from_millis(1_000);

fn session(id: &str) -> SessionId {
    id.parse().unwrap()
}

/// The first golden line of each word of a tag.
fn first_of_each<'a>(lines: &'a str, tag: &str) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let word = |line: &str| serde_json::from_str::<Value>(line).unwrap()[tag].as_str().unwrap().to_owned();
    lines.lines().filter(|line| seen.insert(word(line))).collect()
}

fn parsed<T: DeserializeOwned>(line: &str) -> T {
    serde_json::from_str(line).unwrap()
}

/// An event of each kind. The session that is deleted is not the one that has everything else.
fn events() -> Vec<Event> {
    let of_two = |line: &str| parsed(&line.replace(ONE, TWO));
    let lines = first_of_each(EVENTS, "event");
    let is_deletion = |line: &&str| line.contains("session_deleted");
    let mut events = vec![of_two(lines[0])];
    events.extend(lines.iter().filter(|line| !is_deletion(line)).map(|line| parsed(line)));
    events.extend(lines.iter().filter(|line| is_deletion(line)).map(|line| of_two(line)));
    events
}

fn entries() -> Vec<Entry> {
    (1..).zip(ENTRIES.lines()).map(|(n, line)| Entry { n, at: AT, body: parsed(line) }).collect()
}

fn drafts() -> Vec<DraftTarget> {
    first_of_each(DRAFTS, "of").into_iter().map(parsed).collect()
}

/// Writes a database as the app does, and returns it as SQL.
fn written() -> String {
    let folder = tempfile::tempdir().unwrap();
    let Opened { mut journal, .. } = Journal::open(folder.path(), AT).unwrap();
    let (mut events, entries) = (events(), entries());
    let deletion = events.split_off(events.len() - 1);
    let turn = entries.last().unwrap().clone();
    assert!(matches!(turn.body, EntryBody::TurnEnded { .. }));
    let of_one = entries.into_iter().map(|entry| (session(ONE), entry));
    let all: Vec<_> = of_one.chain([(session(TWO), turn)]).collect();
    journal.commit(&events, &all, AT).unwrap();
    journal.commit(&deletion, &[], AT).unwrap();
    let saved: Vec<_> = drafts().into_iter().map(|of| SavedDraft { session: session(ONE), of }).collect();
    journal.save_drafts(&saved, AT).unwrap();
    assert!(journal.note_passed_budget("2026-11-26", DailyBudget::try_from(5).unwrap()).unwrap());
    journal
        .transact(super::super::Durability::Full, |transaction| {
            let row = "INSERT INTO set_aside VALUES (999, 1, NULL, 'not JSON', 1)";
            transaction.execute(row, []).map(drop)
        })
        .unwrap();
    as_sql(&folder.path().join("desk.db"))
}

/// Writes a database as SQL: its format, its tables, and their rows.
fn as_sql(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    let lines = |select: &str| {
        let mut statement = connection.prepare(select).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>()
    };
    let mut all = lines("SELECT 'PRAGMA user_version = ' || user_version FROM pragma_user_version");
    // The index of words makes tables of its own.
    all.extend(lines(
        r"SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
            AND name NOT LIKE 'words\_%' ESCAPE '\' AND name NOT LIKE '%\_words\_%' ESCAPE '\'
            ORDER BY rowid",
    ));
    for (table, columns, order) in [
        ("events", "seq, at, body, session", "seq"),
        ("set_aside", "seq, at, session, body, told", "seq"),
        ("requests", "id, session, asked_at, body, outcome, ended_at, delivery", "id"),
        ("approvals", "id, session, body, state", "id"),
        ("drafts", "about, session, saved_at, has_words, body", "about"),
        ("entries", "session, n, at, body", "session, n"),
        ("turns_of_deleted", "at, input_tokens, output_tokens, cached_tokens, cost_nanos", "at"),
        ("passed_budgets", "day, dollars", "day"),
        ("searched", "id, session, n, at, kind, about", "id"),
    ] {
        let values: Vec<_> = columns.split(", ").map(|column| format!("quote({column})")).collect();
        let values = values.join(" || ', ' || ");
        let insert = format!("INSERT INTO {table} ({columns}) VALUES (");
        all.extend(lines(&format!("SELECT '{insert}' || {values} || ')' FROM {table} ORDER BY {order}")));
    }
    // The indexes of words have no copy of the texts.
    let mut entries = connection
        .prepare("SELECT id, body FROM searched JOIN entries USING (session, n) ORDER BY id")
        .unwrap();
    let texts = entries.query_map([], |row| {
        let text = search::text_of(&connection, &record::decode(row, 1)?)?;
        Ok((row.get::<_, i64>(0)?, joined_scripts::part(&text).replace('\'', "''")))
    });
    for text in texts.unwrap() {
        let (id, text) = text.unwrap();
        for index in ["words", "even_words"] {
            all.push(format!("INSERT INTO {index} (rowid, text) VALUES ({id}, '{text}')"));
        }
    }
    all.into_iter().map(|statement| statement + ";\n").collect()
}

#[test]
fn what_is_written_is_format_1() {
    let written = written();
    if std::env::var_os(WRITE).is_some() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/journal/schema/format-1.sql");
        return std::fs::write(path, written).unwrap();
    }
    let pairs = FIXTURE.lines().zip(written.lines());
    let differs = pairs.into_iter().find(|(known, new)| known != new);
    assert_eq!(differs, None, "the format differs; before the first release set {WRITE} to accept it");
    assert_eq!(written.lines().count(), FIXTURE.lines().count());
}

#[test]
fn a_database_of_format_1_is_read_whole_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    Connection::open(&path).unwrap().execute_batch(FIXTURE).unwrap();
    let Opened { journal, desk, notices, .. } = Journal::open(folder.path(), AT).unwrap();
    assert_eq!((desk, notices), (Desk::replay(&events()), Vec::new()));
    let reader = journal.reader().unwrap();
    let page = reader.page(session(ONE), None, u32::MAX).unwrap();
    assert_eq!(page.entries, entries());
    assert_eq!((page.requests.len(), page.approvals.len()), (1, 1));
    let found = reader.drafts().unwrap();
    assert_eq!(found.len(), 2);
    assert!(drafts().iter().all(|draft| found.contains(draft)));
    assert_eq!(reader.search("\"Low on quota\"", 10, 0).unwrap().hits.len(), 1);
    let days =
        DayBounds::try_from(vec![Timestamp::from_millis(0), Timestamp::from_millis(86_400_000)]).unwrap();
    let (of_all, of_one) = (
        reader.usage_of_days(None, &days).unwrap(),
        reader.usage_of_days(Some(session(ONE)), &days).unwrap(),
    );
    assert_eq!(of_all[0].cost.unwrap().dollars(), 2.0 * of_one[0].cost.unwrap().dollars());
    assert_eq!(as_sql(&path), FIXTURE);
}
