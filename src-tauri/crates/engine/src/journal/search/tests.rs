use askdesk_domain::{AgentId, Event, Origin, Session, SessionEnd, SessionEvent};
use uuid::Uuid;

use super::super::{Journal, Opened};
use super::*;

const NOW: Timestamp = Timestamp::from_millis(86_400_000_000);

fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

fn said(of: u128, n: u64, text: &str) -> (SessionId, Entry) {
    (session(of), Entry { n, at: NOW, body: EntryBody::Agent { text: text.to_owned() } })
}

fn open(folder: &tempfile::TempDir) -> (Journal, Reader) {
    let Opened { journal, .. } = Journal::open(folder.path(), NOW).unwrap();
    let reader = journal.reader().unwrap();
    (journal, reader)
}

/// The positions of all that is found.
fn found(reader: &Reader, text: &str) -> Vec<u64> {
    reader.search(text, u32::MAX - 1, 0, NOW).unwrap().hits.iter().map(|hit| hit.n).collect()
}

/// The entries in an index.
fn held(journal: &Journal, index: &str) -> Vec<i64> {
    let mut statement =
        journal.connection.prepare(&format!("SELECT rowid FROM {index} WHERE {index} MATCH 'hay'")).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Writes so many entries with the same word.
fn fill(journal: &mut Journal, count: u64) {
    let entries: Vec<_> = (1..=count).map(|n| said(1, n, "hay")).collect();
    journal.commit_entries(&entries).unwrap();
}

#[test]
fn the_small_index_has_the_newest_entries_only() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let all = RECENT + 10;
    fill(&mut journal, all as u64);
    assert_eq!(held(&journal, "words").len() as i64, all);
    assert_eq!(held(&journal, "recent_words"), (11..=all).collect::<Vec<_>>());
    // What has left it doesn't come back when it changes.
    journal.commit_entries(&[said(1, 3, "hay needle"), said(1, 20, "hay needle")]).unwrap();
    assert_eq!(held(&journal, "recent_words"), (11..=all).collect::<Vec<_>>());
    assert_eq!(found(&reader, "needle"), [20, 3]);
}

#[test]
fn the_newest_matches_of_a_common_word_are_sorted_and_found_in_the_small_index() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let all = u64::from(SORTED_MATCHES) + 5;
    fill(&mut journal, all);
    journal.connection.execute_batch("DELETE FROM words").unwrap();
    let newest: Vec<u64> = (6..=all).rev().collect();
    assert_eq!(found(&reader, "ha"), newest);
    // Pages follow each other to the end.
    let pages = [0, 400, 800].map(|offset| reader.search("hay", 400, offset, NOW).unwrap());
    assert_eq!(pages.each_ref().map(|page| page.more), [true, true, false]);
    let paged: Vec<u64> = pages.iter().flat_map(|page| &page.hits).map(|hit| hit.n).collect();
    assert_eq!(paged, newest);
    assert!(pages.iter().flat_map(|page| &page.hits).all(|hit| hit.matched == "hay"));
}

#[test]
fn a_word_that_is_rare_among_the_newest_entries_is_found_in_all() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, u64::from(SORTED_MATCHES) - 1);
    journal.connection.execute_batch("DELETE FROM recent_words").unwrap();
    assert_eq!(found(&reader, "hay").len(), SORTED_MATCHES as usize - 1);
}

#[test]
fn a_database_without_the_small_index_gets_it_and_what_it_had_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 3);
    // The indexes as they were before.
    journal
        .connection
        .execute_batch(
            "DROP TABLE recent_words;
             DROP TABLE words;
             CREATE VIRTUAL TABLE words USING fts5 (
                 text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
             );
             INSERT INTO words (rowid, text) SELECT id, 'hay' FROM searched;",
        )
        .unwrap();
    drop((journal, reader));
    let (mut journal, reader) = open(&folder);
    assert_eq!(found(&reader, "hay"), [3, 2, 1]);
    journal.commit_entries(&[said(1, 2, "straw"), said(1, 4, "hay")]).unwrap();
    assert_eq!((found(&reader, "hay"), found(&reader, "straw")), (vec![4, 3, 1], vec![2]));
    assert_eq!(held(&journal, "recent_words"), [4]);
}

#[test]
fn a_deleted_session_is_in_neither_index_nor_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let origin = Origin::started(AgentId::literal("demo"));
    let of = session(1);
    let events: [Event; 3] = [
        SessionEvent::Started { session: Session::new(of, origin, NOW) }.into(),
        SessionEvent::Ended { session: of, end: SessionEnd::Finished, at: NOW }.into(),
        SessionEvent::Deleted { session: of }.into(),
    ];
    journal.commit(&events[..2], &[said(1, 1, "hay lighthouse"), said(2, 1, "hay")], NOW).unwrap();
    journal.commit(&events[2..], &[], NOW).unwrap();
    assert_eq!((held(&journal, "words"), held(&journal, "recent_words")), (vec![2], vec![2]));
    assert_eq!(found(&reader, "lighthouse"), [0; 0]);
    drop(reader);
    journal.sweep_or_later();
    drop(journal);
    let file = std::fs::read(folder.path().join("desk.db")).unwrap();
    assert!(!file.windows(10).any(|bytes| bytes == b"lighthouse"));
}
