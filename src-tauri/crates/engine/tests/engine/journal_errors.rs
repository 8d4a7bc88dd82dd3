//! The journal on disk: damaged, newer, locked by others, and read again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::support::desk::{
    TestDesk, allow, answer, approval, ask, ask_approval, asks, choose, commit, decide_approval, end,
    find_damage, heard, locked, request, session, start,
};
use askdesk_contract::frame::{Snapshot, StorageNotice};
use askdesk_domain::{
    Approval, ApprovalCommand, ApprovalState, Command, Desk, Entry, EntryBody, Event, Outcome, RequestEvent,
    SessionEnd, SessionEvent, StorageError, Timestamp,
};
use askdesk_engine::clock::ManualClock;
use askdesk_engine::journal::Opened;
use askdesk_engine::{Catalog, EngineError, EngineHandle, Journal};
use rstest::rstest;
use rusqlite::Connection;

const NOW: Timestamp = Timestamp::from_millis(777);

fn open(folder: &Path) -> Opened {
    Journal::open(folder, NOW).unwrap()
}

fn entry(n: u64, text: &str) -> (askdesk_domain::SessionId, Entry) {
    (session(1), Entry { n, at: NOW, body: EntryBody::Agent { text: text.to_owned() } })
}

fn some_commands() -> Vec<Command> {
    let answered = answer(1, vec![choose(0, &[1])]);
    vec![start(1), asks(ask(1, 1)), asks(ask(1, 2)), answered, end(1, SessionEnd::Stopped)]
}

/// A folder whose database holds a desk and 200 entries, closed in good order.
fn filled() -> (tempfile::TempDir, Desk) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path()).journal;
    let desk = commit(&mut journal, &some_commands());
    let entries: Vec<_> = (1..=200).map(|n| entry(n, &format!("{n} ").repeat(400))).collect();
    journal.commit_entries(&entries).unwrap();
    journal.checkpoint().unwrap();
    (folder, desk)
}

fn database(folder: &Path) -> PathBuf {
    folder.join("desk.db")
}

/// Everything in a folder but the lock, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap())
        .map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap()))
        .filter(|(name, _)| name != "desk.lock")
        .collect();
    files.sort();
    files
}

#[test]
fn a_transaction_that_fails_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path()).journal;
    let desk = commit(&mut journal, &some_commands());
    let asked = Event::Request(RequestEvent::Asked { request: desk.requests().next().unwrap().clone() });
    let began = Event::Session(SessionEvent::TurnBegan { session: session(1) });
    // The request is known already, so its row cannot be written a second time.
    journal.commit(&[began, asked], &[entry(1, "never")], NOW).unwrap_err();
    drop(journal);
    let again = open(folder.path());
    assert_eq!(again.desk, desk);
    assert!(again.entries.is_empty());
}

#[test]
fn an_entry_at_the_same_position_replaces_the_earlier_one_and_pages_go_backwards() {
    let (folder, _) = filled();
    let mut journal = open(folder.path()).journal;
    journal.commit_entries(&[entry(200, "the last one")]).unwrap();
    let reader = journal.reader().unwrap();
    let places = |before, limit| {
        let page = reader.page(session(1), before, limit).unwrap();
        (page.entries.iter().map(|entry| entry.n).collect::<Vec<_>>(), page.more)
    };
    assert_eq!(places(None, 3), (vec![198, 199, 200], true));
    assert_eq!(places(Some(198), 2), (vec![196, 197], true));
    assert_eq!(places(Some(3), 2), (vec![1, 2], false));
    assert_eq!(places(Some(1), 2), (vec![], false));
    let last = reader.page(session(1), None, 1).unwrap().entries.remove(0);
    assert_eq!(last.body, EntryBody::Agent { text: "the last one".to_owned() });
    assert_eq!(reader.page(session(2), None, 5).unwrap().entries, []);
}

#[test]
fn a_page_includes_the_current_requests_and_approvals_of_its_entries() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path()).journal;
    let undelivered =
        ApprovalCommand::NoteNotDelivered { approval: approval(1), error: "it's \"gone\"".into() };
    let mut commands = some_commands();
    commands.splice(1..1, [ask_approval(1, 1), decide_approval(1, allow()), undelivered.into()]);
    let desk = commit(&mut journal, &commands);
    let placed = |n, body| (session(1), Entry { n, at: NOW, body });
    let entries = [
        placed(1, EntryBody::Request { request: request(1) }),
        placed(2, EntryBody::Request { request: request(2) }),
        placed(3, EntryBody::Approval { approval: approval(1) }),
    ];
    journal.commit_entries(&entries).unwrap();
    let page = journal.reader().unwrap().page(session(1), None, 10).unwrap();
    assert_eq!(page.requests, desk.requests().cloned().collect::<Vec<_>>());
    assert_eq!(page.approvals, desk.approvals().cloned().collect::<Vec<Approval>>());
    let error = match &page.approvals[0].state {
        ApprovalState::Decided { error, .. } => error.as_ref().map(ToString::to_string),
        other => panic!("{other:?}"),
    };
    assert_eq!(error.as_deref(), Some("it's \"gone\""));
}

/// Opens a damaged folder: an empty desk, a notice, and the quarantined file byte by byte.
#[track_caller]
fn check_quarantined(folder: &Path) {
    let damaged = fs::read(database(folder)).unwrap();
    let opened = open(folder);
    let [StorageNotice::SetAside { kept }] = &opened.notices[..] else { panic!("{:?}", opened.notices) };
    assert_eq!(fs::read(kept).unwrap(), damaged);
    assert_eq!(Path::new(kept).parent(), Some(folder));
    assert_eq!(opened.desk, Desk::default());
    let mut journal = opened.journal;
    let desk = commit(&mut journal, &some_commands());
    drop(journal);
    let again = open(folder);
    // It is named until the user has dealt with it.
    assert_eq!((again.desk, &again.notices), (desk, &opened.notices));
    assert_eq!(fs::read(kept).unwrap(), damaged);
}

#[test]
fn a_file_that_is_no_database_is_quarantined() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(database(folder.path()), "these are my holiday notes\n".repeat(500)).unwrap();
    check_quarantined(folder.path());
}

#[rstest]
#[case::inside_the_header(60)]
#[case::after_the_first_page(4_096)]
#[case::within_a_page(30_001)]
#[case::all_but_the_last_page(usize::MAX)]
fn a_truncated_database_is_quarantined(#[case] at: usize) {
    let (folder, _) = filled();
    let bytes = fs::read(database(folder.path())).unwrap();
    fs::write(database(folder.path()), &bytes[..at.min(bytes.len() - 4_096)]).unwrap();
    check_quarantined(folder.path());
}

#[tokio::test]
async fn a_database_with_a_page_of_noise_is_quarantined_once_that_was_found() {
    let (folder, _) = filled();
    let mut bytes = fs::read(database(folder.path())).unwrap();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xa5);
    fs::write(database(folder.path()), bytes).unwrap();
    find_damage(folder.path()).await;
    check_quarantined(folder.path());
}

#[test]
fn quarantined_databases_of_one_moment_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut kept = Vec::new();
    for text in ["first ", "second ", "third "] {
        fs::write(database(folder.path()), text.repeat(1_000)).unwrap();
        let Some(StorageNotice::SetAside { kept: path }) = open(folder.path()).notices.pop() else {
            panic!()
        };
        kept.push(fs::read_to_string(path).unwrap());
        for beside in ["desk.db", "desk.db-wal", "desk.db-shm"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
    }
    assert_eq!(kept, ["first ", "second ", "third "].map(|text| text.repeat(1_000)));
    let on_disk = files(folder.path()).len();
    assert_eq!(on_disk, 3);
}

#[rstest]
#[case::closed_in_good_order(2, false)]
#[case::left_by_a_crash(2, true)]
#[case::of_the_time_before_the_first_release(4, false)]
fn a_newer_database_is_left_byte_for_byte_and_a_file_beside_it_is_used(
    #[case] format: u32,
    #[case] crashed: bool,
) {
    let (folder, _) = filled();
    let elsewhere = tempfile::tempdir().unwrap();
    let connection = Connection::open(database(folder.path())).unwrap();
    connection.pragma_update(None, "user_version", format).unwrap();
    connection.execute("INSERT INTO events (at, body) VALUES (1, 'of next year')", []).unwrap();
    if !crashed {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    }
    for (name, bytes) in files(folder.path()) {
        // The shared memory is of no use to anybody else, and is made anew.
        if !name.ends_with("-shm") {
            fs::write(elsewhere.path().join(name), bytes).unwrap();
        }
    }
    let newer = |folder: &Path| -> Vec<_> {
        let all = files(folder).into_iter();
        all.filter(|(name, bytes)| {
            name.starts_with("desk.db") && !name.ends_with("-shm") && !bytes.is_empty()
        })
        .collect()
    };
    let before = newer(elsewhere.path());
    assert_eq!(before.len(), if crashed { 2 } else { 1 });

    let Opened { mut journal, desk, notices, .. } = open(elsewhere.path());
    let used = elsewhere.path().join("desk-format-1.db");
    let notice_of = |path: &Path| StorageNotice::Newer {
        kept: database(path).display().to_string(),
        used: path.join("desk-format-1.db").display().to_string(),
    };
    assert_eq!((desk, notices), (Desk::default(), vec![notice_of(elsewhere.path())]));
    let desk = commit(&mut journal, &some_commands());
    drop(journal);
    assert!(used.is_file());
    assert_eq!(newer(elsewhere.path()), before);

    let again = open(elsewhere.path());
    assert_eq!((again.desk, again.notices), (desk, vec![notice_of(elsewhere.path())]));
    drop(again.journal);
    assert_eq!(newer(elsewhere.path()), before);
}

#[test]
fn a_database_of_another_program_is_refused_and_left_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = Connection::open(database(folder.path())).unwrap();
    theirs.execute_batch("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('holidays')").unwrap();
    drop(theirs);
    let before = files(folder.path());
    let error = Journal::open(folder.path(), NOW).unwrap_err();
    assert!(matches!(error, StorageError::Other { .. }), "{error:?}");
    assert!(error.to_string().contains("isn't a database of Askdesk"), "{error}");
    assert_eq!(files(folder.path()), before);
}

#[tokio::test]
async fn a_second_engine_on_one_folder_is_refused_in_words_until_the_first_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let source = || Arc::new(ManualClock::at(1)) as Arc<dyn askdesk_engine::clock::Clock>;
    let first = EngineHandle::open(folder.path(), source(), Catalog::default()).unwrap();
    let Err(error) = EngineHandle::open(folder.path(), source(), Catalog::default()) else {
        panic!("two writers on one folder")
    };
    assert!(matches!(error, EngineError::Journal(StorageError::Busy { .. })), "{error}");
    let words = format!(
        "another program, or another Askdesk, is using {}; close it and try again",
        folder.path().display()
    );
    assert_eq!(error.to_string(), words);
    first.close().await.unwrap();
    EngineHandle::open(folder.path(), source(), Catalog::default()).unwrap().close().await.unwrap();
}

#[test]
fn a_desk_that_is_just_ending_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let lock = fs::File::create(folder.path().join("desk.lock")).unwrap();
    lock.try_lock().unwrap();
    let ending = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        drop(lock);
    });
    open(folder.path());
    ending.join().unwrap();
}

#[test]
fn a_folder_that_cannot_be_created_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Journal::open(&file.join("data"), NOW).unwrap_err();
    assert!(matches!(error, StorageError::Other { .. }));
    let named = format!("can't use {}: ", file.join("data").display());
    assert!(error.to_string().starts_with(&named), "{error}");
}

#[test]
fn a_damaged_file_beside_a_newer_database_is_quarantined_too() {
    let folder = tempfile::tempdir().unwrap();
    let newer = Connection::open(database(folder.path())).unwrap();
    newer.pragma_update(None, "user_version", 7).unwrap();
    drop(newer);
    let used = folder.path().join("desk-format-1.db");
    let rubbish = "rubbish ".repeat(1_000);
    fs::write(&used, &rubbish).unwrap();

    let opened = open(folder.path());
    let [StorageNotice::SetAside { kept }, StorageNotice::Newer { .. }] = &opened.notices[..] else {
        panic!("{:?}", opened.notices)
    };
    assert!(kept.contains("desk-format-1.db"), "{kept}");
    assert_eq!(fs::read_to_string(kept).unwrap(), rubbish);
    assert_eq!(opened.desk, Desk::default());
}

#[tokio::test]
async fn a_locked_database_refuses_an_answer_unchanged_until_it_is_unlocked() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, mut outcome) = desk.ask(1, 1).await;
    desk.catch_up();
    let before = desk.snapshot().await;
    let lock = locked(&desk.folder);
    let error = desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err();
    assert!(matches!(error, EngineError::Journal(StorageError::Busy { .. })), "{error}");
    assert!(outcome.try_recv().is_err());
    let during = desk.snapshot().await;
    assert!(during.outage.is_some(), "it is said");
    assert_eq!(Snapshot { seq: before.seq, outage: None, ..during }, before);

    drop(lock);
    desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    assert!(matches!(heard(outcome).await, Outcome::Answered { .. }));
    desk.check_mirror().await;
}
