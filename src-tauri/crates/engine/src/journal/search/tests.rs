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
    reader.search(text, u32::MAX - 1, 0).unwrap().hits.iter().map(|hit| hit.n).collect()
}

/// The entries in an index.
fn held(journal: &Journal, matches: &str) -> Vec<i64> {
    let mut statement = journal.connection.prepare(&format!("{matches} ORDER BY found")).unwrap();
    let rows = statement.query_map(["hay"], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Writes so many entries with the same word.
fn fill(journal: &mut Journal, count: u64) {
    let entries: Vec<_> = (1..=count).map(|n| said(1, n, "hay")).collect();
    journal.commit_entries(&entries).unwrap();
}

#[test]
fn the_small_indexes_have_the_newest_entries_only() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let all = 3 * STRETCH + 10;
    fill(&mut journal, all as u64);
    assert_eq!(held(&journal, IN_WORDS).len() as i64, all);
    assert_eq!(held(&journal, IN_RECENT_WORDS), (2 * STRETCH..=all).collect::<Vec<_>>());
    // What has left it doesn't come back when it changes.
    journal.commit_entries(&[said(1, 3, "hay needle"), said(1, all as u64 - 20, "hay needle")]).unwrap();
    assert_eq!(held(&journal, IN_RECENT_WORDS), (2 * STRETCH..=all).collect::<Vec<_>>());
    assert_eq!(found(&reader, "needle"), [all as u64 - 20, 3]);
}

#[test]
fn a_page_that_the_small_indexes_fill_does_not_ask_the_large_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 60);
    journal.connection.execute_batch("DELETE FROM words").unwrap();
    let page = |offset| reader.search("ha", 20, offset).unwrap();
    let ns = |found: &Found| found.hits.iter().map(|hit| hit.n).collect::<Vec<_>>();
    assert_eq!((ns(&page(0)), page(0).more), ((41..=60).rev().collect(), true));
    assert_eq!((ns(&page(20)), page(20).more), ((21..=40).rev().collect(), true));
    assert!(page(0).hits.iter().all(|hit| hit.matched == "hay"));
    // Nothing shows that it has all.
    assert_eq!(page(40), Found::default());
}

#[test]
fn pages_go_on_to_the_oldest_match_where_the_small_indexes_end() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 60);
    journal.connection.execute_batch("DELETE FROM even_words WHERE rowid <= 33").unwrap();
    let pages: Vec<_> = (0..3).map(|page| reader.search("hay", 20, page * 20).unwrap()).collect();
    assert_eq!(pages.iter().map(|page| page.more).collect::<Vec<_>>(), [true, true, false]);
    let paged: Vec<u64> = pages.iter().flat_map(|page| &page.hits).map(|hit| hit.n).collect();
    assert_eq!(paged, (1..=60).rev().collect::<Vec<_>>());
}

#[test]
fn the_newest_matches_are_read_in_the_order_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let (_journal, reader) = open(&folder);
    for matches in [IN_WORDS, IN_RECENT_WORDS] {
        let plan: Vec<String> = reader
            .query(|connection| {
                let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", newest(matches)))?;
                let rows = statement.query_map(params!["hay", 51, 0], |row| row.get(3))?;
                rows.collect()
            })
            .unwrap();
        assert!(
            plan.iter().any(|step| step.contains("_words VIRTUAL") || step.contains("SCAN words VIRTUAL"))
        );
        assert!(
            plan.iter().any(|step| step.contains("SEARCH searched USING INTEGER PRIMARY KEY")),
            "{plan:?}"
        );
        // To sort the matches, SQLite would read all of them.
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:?}");
    }
}

#[test]
fn a_database_without_the_small_indexes_gets_them_and_what_it_had_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 3);
    // The indexes as they were before.
    journal
        .connection
        .execute_batch(
            "DROP TABLE even_words;
             DROP TABLE odd_words;
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
    assert_eq!(held(&journal, IN_RECENT_WORDS), [4]);
}

#[test]
fn a_deleted_session_is_in_no_index_nor_in_the_file() {
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
    assert_eq!((held(&journal, IN_WORDS), held(&journal, IN_RECENT_WORDS)), (vec![2], vec![2]));
    assert_eq!(found(&reader, "lighthouse"), [0; 0]);
    drop(reader);
    journal.sweep_or_later();
    drop(journal);
    let file = std::fs::read(folder.path().join("desk.db")).unwrap();
    assert!(!file.windows(10).any(|bytes| bytes == b"lighthouse"));
}
