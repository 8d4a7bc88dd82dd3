//! Deleting a session permanently: nothing of it is left in memory, in the tables, in the index or in the file.

use std::path::Path;

use crate::support::agents::denies;
use crate::support::desk::{
    STAGED, TestDesk, approval, choose, commit, count_in_files, end, heard, new_ask_approval, poll, request,
    say, session, start,
};
use askdesk_domain::{
    AgentFailure, ApprovalCommand, AskApproval, Command, Entry, EntryBody, Event, NativeRef, NativeSession,
    NextStep, Origin, QueueCommand, SessionCommand, SessionEnd, SessionEvent, SessionId, SessionOptions,
    Timestamp, ToolDetail,
};
use askdesk_engine::Journal;

const GONE: &str = "quetzalcoatl";
const STAYS: &str = "hippogriff";

/// Starts a session that has a word in every text.
async fn fill(desk: &TestDesk, of: u128, word: &str) {
    let act = async |command: Command| drop(desk.engine.act(command).await.unwrap());
    let start = SessionCommand::Start {
        id: session(of),
        origin: Origin::started(STAGED),
        name: format!("{word} name"),
        named_by: askdesk_domain::NamedBy::User,
        folder: format!("/home/{word}"),
        options: SessionOptions::default(),
        config: Vec::new(),
        worktree: None,
        continues: None,
        at: Timestamp::from_millis(5),
    };
    act(start.into()).await;
    let (version, model) = (Some(format!("{word} 1")), Some(format!("{word}-large")));
    let native_session = NativeSession::new(format!("{word}-native"));
    act(SessionCommand::Introduce { session: session(of), version, model, native_session }.into()).await;
    let (id, _waiter) = desk.ask(of, of * 10).await;
    desk.engine.answer(id, vec![choose(0, &[1]), say(2, &format!("call it {word}"))]).await.unwrap();
    let (_, _waiter) = desk.ask(of, of * 10 + 1).await;
    desk.engine.decline(request(of * 10 + 1), Some(format!("{word} no"))).await.unwrap();
    let asked = AskApproval {
        native_ref: NativeRef::new(format!("{word}-call")).unwrap(),
        title: format!("{word}-tool"),
        description: Some(format!("{word} it")),
        subject: ToolDetail::Other { input: format!("run {word}") },
        ..new_ask_approval(of, of)
    };
    act(ApprovalCommand::Ask(Box::new(asked)).into()).await;
    desk.engine.decide_approval(approval(of), denies(&format!("not {word}"))).await.unwrap();
    let id = desk.queue(session(of), &format!("{word} later"), Vec::new()).await;
    act(QueueCommand::Edit { session: session(of), id, text: format!("{word} sooner") }.into()).await;
}

async fn end_as_gone(desk: &TestDesk, of: u128, word: &str) {
    let why = AgentFailure::Exited {
        code: Some(1),
        signal: None,
        said: format!("{word} is gone"),
        next: NextStep::Resume,
    };
    desk.engine.act(end(of, SessionEnd::Failed { why })).await.unwrap();
}

/// Deletes a session, and waits until its traces are removed.
async fn delete(desk: &TestDesk, session: SessionId) {
    desk.engine.act(SessionCommand::Delete { session }).await.unwrap();
    poll("the traces are removed", || count_unswept(&desk.folder) == 0).await;
}

/// How many deletions have left traces.
fn count_unswept(folder: &Path) -> u32 {
    let connection = rusqlite::Connection::open(folder.join("desk.db")).unwrap();
    connection.query_row("SELECT count(*) FROM unswept", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_deleted_session_leaves_no_word_in_any_file_and_the_others_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    fill(&desk, 1, STAYS).await;
    fill(&desk, 2, GONE).await;
    fill(&desk, 3, STAYS).await;
    end_as_gone(&desk, 2, GONE).await;
    let before_deletion = count_in_files(folder.path(), STAYS);
    assert!(count_in_files(folder.path(), GONE) > 20 && before_deletion > 20);
    assert_eq!(desk.engine.search(GONE.to_owned(), 50, 0).await.unwrap().hits.len(), 3);

    delete(&desk, session(2)).await;
    assert_eq!(count_in_files(folder.path(), GONE), 0);
    assert!(count_in_files(folder.path(), STAYS) > 20);
    assert_eq!(desk.engine.search(GONE.to_owned(), 50, 0).await.unwrap().hits, []);
    assert_eq!(desk.engine.search(STAYS.to_owned(), 50, 0).await.unwrap().hits.len(), 6);
    assert_eq!(desk.engine.page(session(2), None, 10).await.unwrap().entries, []);
    desk.check_mirror().await;
    assert!(!desk.mirror.sessions.contains_key(&session(2)));
    assert!(desk.mirror.requests.values().all(|request| request.session != session(2)));

    for of in [1, 3] {
        end_as_gone(&desk, of, STAYS).await;
    }
    let before = desk.snapshot().await;
    desk.engine.close().await.unwrap();
    assert_eq!(count_in_files(folder.path(), GONE), 0);
    let again = TestDesk::open_at(folder.path()).await;
    let after = again.snapshot().await;
    assert_eq!((&after.sessions, &after.requests), (&before.sessions, &before.requests));
    assert_eq!((&after.approvals, after.storage), (&before.approvals, Vec::new()));
}

/// Unused parts of a file keep old content: where pages were split, where entries were replaced, and where an earlier
/// version deleted something without overwriting it.
#[tokio::test]
async fn nothing_is_left_in_unused_parts_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut journal = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap().journal;
        for of in 1..=6 {
            commit(&mut journal, &[start(of), end(of, SessionEnd::Finished)]);
        }
        let mut length: u64 = 7;
        for round in 1..=400 {
            let mut entries = Vec::new();
            for of in 1..=6 {
                length =
                    length.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let word = if of == 4 { GONE } else { STAYS };
                let text = format!("{word}{round} {}", word.repeat((length >> 58) as usize));
                let n = if length.is_multiple_of(3) { round / 2 + 1 } else { round };
                let body = EntryBody::Agent { text };
                entries.push((session(of), Entry { n, at: Timestamp::from_millis(5), body }));
            }
            journal.commit_entries(&entries).unwrap();
        }
    }
    let careless = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let copies =
        "PRAGMA secure_delete = OFF; CREATE TABLE copies AS SELECT body FROM entries; DROP TABLE copies;";
    careless.execute_batch(copies).unwrap();
    drop(careless);
    let desk = TestDesk::open_at(folder.path()).await;
    assert!(count_in_files(folder.path(), GONE) > 1_000);
    delete(&desk, session(4)).await;
    assert_eq!(count_in_files(folder.path(), GONE), 0);
    assert!(count_in_files(folder.path(), STAYS) > 5_000);
}

#[tokio::test]
async fn a_deletion_that_a_crash_interrupted_is_finished_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    fill(&desk, 2, GONE).await;
    end_as_gone(&desk, 2, GONE).await;
    desk.engine.close().await.unwrap();
    let mut journal = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap().journal;
    let deleted = Event::Session(SessionEvent::Deleted { session: session(2) });
    journal.commit(&[deleted], &[], Timestamp::from_millis(2)).unwrap();
    assert!(count_in_files(folder.path(), GONE) > 0);
    drop(journal);
    TestDesk::open_at(folder.path()).await.engine.close().await.unwrap();
    assert_eq!(count_in_files(folder.path(), GONE), 0);
}

#[tokio::test]
async fn case_151_a_question_is_asked_and_answered_between_two_steps_of_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut journal = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap().journal;
        commit(&mut journal, &[start(2), end(2, SessionEnd::Finished)]);
        let entries = (1..=1_000).map(|n| {
            let text = format!("{GONE}{n} {}", "x".repeat(20_000));
            (session(2), Entry { n, at: Timestamp::from_millis(5), body: EntryBody::Agent { text } })
        });
        journal.commit_entries(&entries.collect::<Vec<_>>()).unwrap();
    }
    let desk = TestDesk::open_at(folder.path()).await;
    desk.engine.act(start(1)).await.unwrap();
    desk.engine.act(SessionCommand::Delete { session: session(2) }).await.unwrap();
    let (id, outcome) = desk.ask(1, 1).await;
    desk.engine.answer(id, vec![choose(0, &[1])]).await.unwrap();
    heard(outcome).await;
    assert_eq!(count_unswept(folder.path()), 1, "the sweep goes on");
    desk.engine.close().await.unwrap();
    assert_eq!((count_in_files(folder.path(), GONE), count_unswept(folder.path())), (0, 0));
}
