//! Records that can't be read: each is lost alone, and it is said. Databases that can't be read, and what is recovered of them.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_contract::frame::StorageNotice;
use askdesk_domain::{Entry, EntryBody, Notice, Outcome, RequestState, SessionEnd, SessionId, Timestamp};
use askdesk_engine::clock::ManualClock;
use askdesk_engine::journal::Opened;
use askdesk_engine::{Catalog, EngineError, EngineHandle, Journal, QuestionFilter};
use rstest::rstest;
use rusqlite::{Connection, params};

use crate::support::desk::{
    TestDesk, answer, ask, asks, choose, commit, end, find_damage, heard, request, session, start,
};

const NOW: Timestamp = Timestamp::from_millis(777);

fn database(folder: &Path) -> PathBuf {
    folder.join("desk.db")
}

fn open(folder: &Path) -> Opened {
    Journal::open(folder, NOW).unwrap()
}

fn said(session: SessionId, n: u64) -> (SessionId, Entry) {
    let text = format!("{n} {}", "words ".repeat(200));
    (session, Entry { n, at: NOW, body: EntryBody::Agent { text } })
}

/// A folder with three ended sessions of 40 entries and an answered question each.
fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path()).journal;
    for n in 1..=3 {
        let answered = answer(n, vec![choose(0, &[1])]);
        commit(&mut journal, &[start(n), asks(ask(n, n)), answered, end(n, SessionEnd::Stopped)]);
        let mut entries: Vec<_> = (1..=40).map(|at| said(session(n), at)).collect();
        entries[0].1.body = EntryBody::User { text: format!("begin {n}"), attachments: Vec::new() };
        entries[1].1.body = EntryBody::Request { request: request(n) };
        journal.commit_entries(&entries).unwrap();
    }
    journal.checkpoint().unwrap();
    folder
}

/// Changes the database while nobody has it open.
fn change(folder: &Path, sql: &str, text: &str) {
    let connection = Connection::open(database(folder)).unwrap();
    assert!(connection.execute(sql, params![text]).unwrap() > 0, "{sql}");
}

const UNREADABLE: [&str; 3] = [r#"{"nonsense":1}"#, "not JSON", r#"{"event":"of a later version"}"#];

async fn engine(folder: &Path) -> EngineHandle {
    EngineHandle::open(folder, Arc::new(ManualClock::at(1)), Catalog::default()).unwrap()
}

#[rstest]
fn case_131_an_event_that_cannot_be_read_is_lost_alone(
    #[values(UNREADABLE[0], UNREADABLE[1], UNREADABLE[2])] text: &str,
    #[values("session_started", "asked", "ended", "session_ended")] kind: &str,
) {
    let folder = filled();
    let before = open(folder.path()).desk;
    let sql = format!(
        "UPDATE events SET body = ?1 WHERE seq = (SELECT min(seq) FROM events WHERE body ->> '$.event' = '{kind}')"
    );
    change(folder.path(), &sql, text);
    let check = |opened: &Opened| {
        assert_eq!(opened.notices, [StorageNotice::Unreadable { count: 1 }]);
        let ids: Vec<_> = opened.desk.sessions().map(|session| session.id).collect();
        assert_eq!(ids, [session(1), session(2), session(3)]);
        for n in 2..=3 {
            assert_eq!(opened.desk.session(session(n)), before.session(session(n)));
            assert_eq!(opened.desk.request(request(n)), before.request(request(n)));
        }
        assert_eq!(opened.entries.len(), 3);
        let name = &opened.desk.session(session(1)).unwrap().name;
        assert_eq!(*name == "begin 1", kind == "session_started", "{name}");
        // What the tables know is not undone.
        let known = opened.journal.reader().unwrap().request(request(1)).unwrap().unwrap();
        assert!(matches!(known.ended().unwrap().outcome, Outcome::Answered { .. }), "{known:?}");
        let on_desk = opened.desk.request(request(1));
        assert!(on_desk.is_none_or(|request| request.state == known.state), "{on_desk:?}");
    };
    let opened = open(folder.path());
    check(&opened);
    drop(opened);
    // It is said at every start until the user has dealt with it.
    check(&open(folder.path()));
    assert!(
        !fs::read_dir(folder.path())
            .unwrap()
            .any(|file| { file.unwrap().file_name().to_string_lossy().contains("damaged") })
    );
}

#[tokio::test]
async fn case_131_unreadable_records_are_said_until_the_user_has_dealt_with_them() {
    let folder = filled();
    change(folder.path(), "UPDATE events SET body = ?1 WHERE seq = 3", UNREADABLE[0]);
    let desk = engine(folder.path()).await;
    let notice = StorageNotice::Unreadable { count: 1 };
    desk.settle_storage(notice.clone()).await.unwrap();
    assert!(matches!(desk.settle_storage(notice).await, Ok(())), "it may be said twice");
    desk.close().await.unwrap();
    drop(desk);
    assert_eq!(open(folder.path()).notices, []);
}

#[tokio::test]
async fn case_131_a_bad_row_hides_no_other_row() {
    let folder = filled();
    for (sql, text) in [
        ("UPDATE requests SET body = ?1 WHERE id = (SELECT min(id) FROM requests)", UNREADABLE[0]),
        ("UPDATE requests SET outcome = ?1 WHERE id = (SELECT max(id) FROM requests)", UNREADABLE[1]),
        ("UPDATE entries SET body = ?1 WHERE n = 7", UNREADABLE[1]),
        ("UPDATE entries SET body = '{\"kind\":\"turn_ended\"' || ?1 WHERE n = 9", UNREADABLE[0]),
    ] {
        change(folder.path(), sql, text);
    }
    let desk = engine(folder.path()).await;
    let page = desk.page(session(2), None, 100).await.unwrap();
    let unreadable = EntryBody::Notice { notice: Notice::Unreadable };
    let marks: Vec<_> = page.entries.iter().filter(|it| it.body == unreadable).map(|it| it.n).collect();
    assert_eq!((page.entries.len(), marks, page.requests.len()), (40, vec![7, 9], 1));
    // The row of a question that can't be read is marked, too.
    let page = desk.page(session(1), None, 100).await.unwrap();
    assert_eq!((page.entries[1].body.clone(), page.requests.len()), (unreadable, 0));

    let found = desk.questions(QuestionFilter::default(), 10, 0).await.unwrap();
    assert_eq!((found.requests.len(), found.unreadable, found.count), (1, 2, 3));
    assert_eq!(found.requests[0].id, request(2));
    let days = vec![Timestamp::from_millis(0), Timestamp::from_millis(86_400_000)].try_into().unwrap();
    let totals = desk.question_totals(QuestionFilter::default(), days).await.unwrap();
    assert_eq!(totals.answer_times.iter().map(|group| group.count).sum::<u64>(), 2);
    let days = vec![Timestamp::from_millis(0), Timestamp::from_millis(86_400_000)].try_into().unwrap();
    desk.usage_of_days(None, days).await.unwrap();
    desk.session_usage(session(1)).await.unwrap();
    desk.lasting_permissions().await.unwrap();
    assert!(!desk.search("words".to_owned(), 100, 0).await.unwrap().hits.is_empty());

    let error = desk.request(request(1)).await;
    assert!(error.is_ok(), "the desk has it: {error:?}");
    for n in 1..=3 {
        desk.act(askdesk_domain::SessionCommand::Delete { session: session(n) }).await.unwrap();
    }
}

#[tokio::test]
async fn case_131_a_row_that_cannot_be_read_keeps_no_event_from_being_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    let (other, _waiter) = desk.ask(1, 2).await;
    change(folder.path(), "UPDATE requests SET body = ?1", UNREADABLE[1]);
    desk.clock.set(86_400_000);
    desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    assert!(matches!(heard(outcome).await, Outcome::Answered { .. }));
    desk.engine.record(end(1, SessionEnd::Stopped)).await.unwrap();
    desk.until("the end", |known| known.sessions.get(&session(1)).is_some_and(|it| !it.is_running())).await;
    assert!(!desk.mirror.requests[&other].is_open());
    assert_eq!(desk.mirror.outage, None);
    desk.check_mirror().await;
}

#[test]
fn case_131_a_copy_that_a_crash_left_behind_is_removed_at_the_next_start() {
    let folder = filled();
    let copy = folder.path().join("recover-x1y2z3");
    fs::create_dir(&copy).unwrap();
    fs::copy(database(folder.path()), copy.join("desk.db")).unwrap();
    assert_eq!(open(folder.path()).desk.sessions().count(), 3);
    assert!(!copy.exists());
}

/// Overwrites the pages of a table that hold a text, as a failing disk might.
fn tear(folder: &Path, text: &str) -> usize {
    const PAGE: usize = 4096;
    let mut file = fs::OpenOptions::new().read(true).write(true).open(database(folder)).unwrap();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    let mut torn = 0;
    for (n, page) in bytes.chunks(PAGE).enumerate().skip(1) {
        if page.windows(text.len()).any(|part| part == text.as_bytes()) {
            file.seek(SeekFrom::Start((n * PAGE) as u64)).unwrap();
            file.write_all(&[0x5a; PAGE]).unwrap();
            torn += 1;
        }
    }
    torn
}

#[tokio::test]
async fn case_131_what_is_readable_of_a_set_aside_database_is_recovered() {
    let folder = filled();
    assert!(tear(folder.path(), &format!("{} words", 20)) > 0, "the entries are in the file");
    find_damage(folder.path()).await;
    let desk = engine(folder.path()).await;
    let mut known = desk.subscribe().await.unwrap();
    let Some(askdesk_contract::frame::Frame::Snapshot(snapshot)) = known.next().await else { panic!() };
    let [StorageNotice::SetAside { kept }] = &snapshot.storage[..] else { panic!("{:?}", snapshot.storage) };
    assert_eq!(snapshot.sessions, []);
    let damaged = fs::read(kept).unwrap();

    let elsewhere = folder.path().join("other.db").display().to_string();
    assert!(matches!(desk.recover(elsewhere).await, Err(EngineError::Reject(_))), "only what was set aside");
    let recovered = desk.recover(kept.clone()).await.unwrap();
    assert_eq!((recovered.sessions, recovered.complete), (3, false));
    let sessions =
        desk.inspect(|desk| desk.sessions().map(|it| (it.id, it.is_running())).collect::<Vec<_>>());
    assert_eq!(sessions.await.unwrap(), [1, 2, 3].map(|n| (session(n), false)));
    for n in 1..=3 {
        let page = desk.page(session(n), None, 100).await.unwrap();
        assert!((2..40).contains(&page.entries.len()), "{}", page.entries.len());
        assert_eq!(page.requests.len(), 1);
        assert!(matches!(page.requests[0].state, RequestState::Ended(_)));
        assert_eq!(page.entries.first().unwrap().n, 1);
        assert_eq!(page.entries.last().unwrap().n, 40);
    }
    let found = desk.questions(QuestionFilter::default(), 10, 0).await.unwrap();
    assert_eq!((found.requests.len(), found.answered), (3, 3));
    assert!(!desk.search("words".to_owned(), 100, 0).await.unwrap().hits.is_empty());
    // It is not named again, and stays as it was.
    assert!(matches!(desk.recover(kept.clone()).await, Err(EngineError::Reject(_))));
    assert_eq!(fs::read(kept.replace(".damaged-", ".settled-")).unwrap(), damaged);
    desk.close().await.unwrap();
    drop((desk, known));
    let again = open(folder.path());
    assert_eq!((again.notices, again.desk.sessions().count()), (Vec::new(), 3));
}

#[tokio::test]
async fn recovering_adds_to_the_sessions_that_were_begun_since() {
    let folder = filled();
    tear(folder.path(), "20 words");
    find_damage(folder.path()).await;
    let mut desk = TestDesk::open_at(folder.path()).await;
    desk.engine.act(start(9)).await.unwrap();
    let kept = match &desk.mirror.storage[..] {
        [StorageNotice::SetAside { kept }] => kept.clone(),
        other => panic!("{other:?}"),
    };
    desk.engine.recover(kept).await.unwrap();
    desk.until("the notice goes", |known| known.storage.is_empty()).await;
    desk.check_mirror().await;
    let sessions: Vec<_> = desk.mirror.sessions.values().map(|it| (it.id, it.is_running())).collect();
    assert_eq!(sessions, [(session(1), false), (session(2), false), (session(3), false), (session(9), true)]);
}

#[tokio::test]
async fn a_file_that_is_no_database_stays_named_and_the_reason_is_said() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(database(folder.path()), "these are my holiday notes\n".repeat(500)).unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    let notices = desk.mirror.storage.clone();
    let [StorageNotice::SetAside { kept }] = &notices[..] else { panic!("{notices:?}") };
    let error = desk.engine.recover(kept.clone()).await.unwrap_err();
    assert!(matches!(error, EngineError::Unread(_)), "{error}");
    assert!(Path::new(kept).exists());
    desk.engine.settle_storage(notices[0].clone()).await.unwrap();
    assert!(!Path::new(kept).exists());
}
