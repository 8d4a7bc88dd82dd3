//! A desk is the same with and without its snapshot, and nothing in doubt is used.

use std::path::{Path, PathBuf};

use askdesk_contract::frame::StorageNotice;
use askdesk_domain::{Command, Event, SessionEnd, SessionEvent, Timestamp};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::super::Opened;
use super::*;
use crate::desks::{ask, decline, delete, end, rename, resume, session, start, take, working};
use crate::questions::which;

const AT: Timestamp = Timestamp::from_millis(1_000);
const EVENTS: &str = include_str!("../record/events.jsonl");
const GOLDEN: &str = include_str!("../record/desks.json");

/// Set to write the golden desks anew, after [`VERSION`] was raised.
const WRITE: &str = "UPDATE_FIXTURE";

fn events_of(commands: &[Command]) -> Vec<Event> {
    let (mut desk, mut events) = (Desk::default(), Vec::new());
    for command in commands {
        events.extend(take(&mut desk, command).map(|decision| decision.events).unwrap_or_default());
    }
    events
}

fn some_events() -> Vec<Event> {
    let stop = end(1, SessionEnd::Stopped);
    events_of(&[start(1), ask(1, 1, which()), start(2), stop, ask(2, 2, which())])
}

fn open(folder: &Path) -> Opened {
    Journal::open(folder, AT).unwrap()
}

/// A folder with events, and a snapshot of another desk: whether it is used shows in what is opened.
fn with_empty_snapshot(events: &[Event]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path()).journal;
    journal.commit(events, &[], AT).unwrap();
    journal.write_snapshot(&Desk::default());
    folder
}

fn connection(folder: &Path) -> Connection {
    Connection::open(folder.join("desk.db")).unwrap()
}

fn count_snapshots(folder: &Path) -> u64 {
    connection(folder).query_row("SELECT count(*) FROM snapshot", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_trusted_snapshot_stands_for_the_events_before_it() {
    let folder = with_empty_snapshot(&some_events());
    let Opened { mut journal, desk, .. } = open(folder.path());
    assert_eq!(desk, Desk::default());
    let third = events_of(&[start(3)]);
    journal.commit(&third, &[], AT).unwrap();
    drop(journal);
    assert_eq!(open(folder.path()).desk, Desk::replay(&third));
}

#[rstest]
#[case::its_checksum("UPDATE snapshot SET checksum = zeroblob(32)")]
#[case::torn("UPDATE snapshot SET body = substr(body, 1, length(body) / 2)")]
#[case::its_position("UPDATE snapshot SET seq = seq - 1")]
#[case::of_a_newer_version("UPDATE snapshot SET version = '9' || version")]
#[case::of_another_release("UPDATE snapshot SET version = version || '.1'")]
#[case::an_event_before_it_was_changed("UPDATE events SET at = at WHERE seq = 2")]
#[case::an_event_before_it_was_removed_and_put_back(
    "CREATE TEMP TABLE kept AS SELECT * FROM events WHERE seq = 2; DELETE FROM events WHERE seq = 2;
     INSERT INTO events SELECT * FROM kept"
)]
#[case::an_event_was_inserted_before_it(
    "INSERT INTO events (seq, at, body, session)
     SELECT -1, at, replace(body, 'x', 'y'), session FROM events WHERE seq = 5"
)]
#[case::newer_than_the_events("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'events'")]
#[case::not_there("DROP TABLE snapshot")]
fn a_snapshot_in_doubt_is_not_used(#[case] sql: &str) {
    let events = some_events();
    let folder = with_empty_snapshot(&events);
    connection(folder.path()).execute_batch(sql).unwrap();
    let Opened { desk, notices, .. } = open(folder.path());
    assert_eq!((desk, notices), (Desk::replay(&events), Vec::new()));
}

#[rstest]
#[case::not_json(&b"not JSON"[..])]
#[case::another_shape(br#"{"sessions":{}}"#)]
#[case::unknown_fields(br#"{"sessions":{},"requests":{},"approvals":{},"lives":{},"closed_calls":[],"sending":[],"calls":{},"guests":[],"asked_again":{},"settled_requests":[],"missed_requests":[],"settled_approvals":[],"more":1}"#)]
fn a_snapshot_of_another_shape_is_not_used(#[case] body: &[u8]) {
    let events = some_events();
    let folder = with_empty_snapshot(&events);
    let connection = connection(folder.path());
    let seq = newest_event(&connection).unwrap();
    let update = "UPDATE snapshot SET body = ?1, checksum = ?2";
    connection.execute(update, params![body, checksum(&version(), seq, body)]).unwrap();
    assert_eq!(open(folder.path()).desk, Desk::replay(&events));
}

#[test]
fn an_unreadable_event_behind_a_snapshot_is_set_aside_as_without_one() {
    let events = some_events();
    let folder = with_empty_snapshot(&events);
    connection(folder.path()).execute("INSERT INTO events (at, body) VALUES (1, 'not JSON')", []).unwrap();
    for _ in 0..2 {
        let Opened { desk, notices, .. } = open(folder.path());
        assert_eq!(desk, Desk::replay(&events));
        assert_eq!(notices, [StorageNotice::Unreadable { count: 1 }]);
    }
}

#[test]
fn a_database_from_before_snapshots_is_opened_and_gets_one() {
    let events = some_events();
    let folder = with_empty_snapshot(&events);
    connection(folder.path())
        .execute_batch(
            "DROP TABLE snapshot; DROP TRIGGER event_changed; DROP TRIGGER event_removed;
             DROP TRIGGER event_inserted",
        )
        .unwrap();
    let Opened { mut journal, desk, .. } = open(folder.path());
    assert_eq!(desk, Desk::replay(&events));
    journal.write_snapshot(&desk);
    assert_eq!(count_snapshots(folder.path()), 1);
    connection(folder.path()).execute("DELETE FROM events WHERE seq = 1", []).unwrap();
    assert_eq!(count_snapshots(folder.path()), 0);
}

#[test]
fn a_snapshot_is_written_only_of_what_the_journal_holds() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path()).journal;
    let events = some_events();
    journal.commit(&events, &[], AT).unwrap();
    connection(folder.path()).execute("INSERT INTO events (at, body) VALUES (1, 'not JSON')", []).unwrap();
    journal.write_snapshot(&Desk::replay(&events));
    assert_eq!(count_snapshots(folder.path()), 0);
}

/// Returns how often a word is in the files of a folder.
fn count_in_files(folder: &Path, word: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    files.map(|bytes| bytes.windows(word.len()).filter(|part| *part == word.as_bytes()).count()).sum()
}

#[test]
fn what_is_deleted_is_left_in_no_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let Opened { mut journal, mut desk, .. } = open(folder.path());
    let mut commands = vec![start(1), rename(1, "hippogriff"), start(2)];
    for n in 0..3 {
        // Several snapshots of different lengths, so that the later ones lie elsewhere in the file.
        commands.push(rename(2, &format!("quetzalcoatl {}", "x".repeat(n * 40))));
        let events = events_of(&commands);
        let new = events.len() - (newest_event(&journal.connection).unwrap() as usize);
        journal.commit(&events[events.len() - new..], &[], AT).unwrap();
        events[events.len() - new..].iter().for_each(|event| desk.fold(event));
        journal.write_snapshot(&desk);
    }
    assert!(count_in_files(folder.path(), "quetzalcoatl") > 5);
    let deleted: Event = SessionEvent::Deleted { session: session(2) }.into();
    journal.commit(std::slice::from_ref(&deleted), &[], AT).unwrap();
    desk.fold(&deleted);
    assert_eq!(count_snapshots(folder.path()), 0);
    assert!(journal.is_snapshot_due());
    journal.sweep_at_end();
    assert_eq!(count_in_files(folder.path(), "quetzalcoatl"), 0);
    journal.write_snapshot(&desk);
    assert_eq!(count_in_files(folder.path(), "quetzalcoatl"), 0);
    assert!(count_in_files(folder.path(), "hippogriff") > 1);
    drop(journal);
    assert_eq!(open(folder.path()).desk, desk);
}

fn some_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        2 => (0..3_u128).prop_map(start),
        4 => (0..3_u128, 0..4_u128).prop_map(|(of, n)| ask(of, n, which())),
        2 => (0..4_u128).prop_map(|n| decline(n, Some("no"))),
        1 => (0..3_u128).prop_map(|n| end(n, SessionEnd::Stopped)),
        1 => (0..3_u128).prop_map(resume),
        1 => (0..3_u128).prop_map(delete),
        1 => (0..3_u128, any::<bool>()).prop_map(|(n, is_working)| working(n, is_working)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_and_the_events_behind_it_are_all_events(
        commands in prop::collection::vec(some_command(), 0..30),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let events = events_of(&commands);
        let folder = tempfile::tempdir().unwrap();
        let Opened { mut journal, mut desk, .. } = open(folder.path());
        let places: Vec<_> = places.iter().map(|place| place.index(events.len() + 1)).collect();
        for (n, event) in events.iter().enumerate() {
            if places.contains(&n) {
                journal.write_snapshot(&desk);
            }
            journal.commit(std::slice::from_ref(event), &[], AT).unwrap();
            desk.fold(event);
        }
        // What a crash leaves.
        let kept = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            std::fs::copy(file.path(), kept.path().join(file.file_name())).unwrap();
        }
        prop_assert_eq!(&open(kept.path()).desk, &desk);
        journal.write_snapshot(&desk);
        drop(journal);
        prop_assert_eq!(&open(folder.path()).desk, &desk);
        connection(folder.path()).execute("DELETE FROM snapshot", []).unwrap();
        prop_assert_eq!(open(folder.path()).desk, desk);
    }
}

/// Desks after some of the golden events: between them, each of their fields has something.
fn golden_desks() -> Vec<Desk> {
    let (mut desk, mut desks) = (Desk::default(), Vec::new());
    let lines = || EVENTS.lines().filter(|line| !line.contains("session_deleted"));
    for line in lines() {
        desk.fold(&serde_json::from_str(line).unwrap());
        if line.contains(r#""event":"asked_again""#) {
            desks.push(desk.clone());
        }
    }
    for part in [
        r#""event":"ended""#,
        r#""event":"sending""#,
        r#"0101","delivery":{"delivery":"delivered""#,
        r#""event":"dismissed""#,
    ] {
        desks.push(desk.clone());
        let line = lines().find(|line| line.contains(part)).unwrap();
        // To all of its calls.
        desk.fold(&serde_json::from_str(&line.replace(r#","call":"call-2""#, "")).unwrap());
    }
    desks.push(desk);
    desks
}

#[test]
fn the_stored_desk_changes_only_with_its_version() {
    let desks = golden_desks();
    let mut written = serde_json::to_string_pretty(&json!({ "version": VERSION, "desks": desks })).unwrap();
    written.push('\n');
    let known: Value = serde_json::from_str(GOLDEN).unwrap();
    if written != GOLDEN {
        assert_ne!(
            known["version"],
            json!(VERSION),
            "a desk is stored in another way, or an event does something else to it: raise `VERSION`"
        );
        assert!(std::env::var_os(WRITE).is_some(), "set {WRITE} to accept the desks of the new version");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/journal/record/desks.json");
        return std::fs::write(path, written).unwrap();
    }
    for (desk, known) in desks.iter().zip(known["desks"].as_array().unwrap()) {
        assert_eq!(&serde_json::from_value::<Desk>(known.clone()).unwrap(), desk);
    }
}

#[test]
fn every_field_of_a_desk_is_in_a_golden_desk() {
    let desks = golden_desks().into_iter().map(|desk| serde_json::to_value(desk).unwrap());
    let desks: Vec<_> = desks.collect();
    let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
    for name in desks[0].as_object().unwrap().keys() {
        assert!(desks.iter().any(|desk| !is_empty(&desk[name])), "no golden desk has any {name}");
    }
}
