//! Deleting a session for good: nothing of it is left in memory, in the tables, in the index or in the file.

use std::path::Path;

use crate::support::desk::{TestDesk, approval_options, choose, deny, rejected, request, say, session};
use askdesk_domain::{
    ApprovalCommand, AskApproval, Command, Entry, EntryBody, QueueCommand, Rejection, SessionCommand,
    SessionEnd, SessionId, Timestamp, ValidationError,
};
use askdesk_engine::Journal;
use askdesk_engine::clock::Clock;

/// A word that stands nowhere else.
const GONE: &str = "quetzalcoatl";
const STAYS: &str = "hippogriff";

/// How often a word stands in the database and in the files beside it, in any case.
fn standing(folder: &Path, word: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let count = |path| {
        let bytes = std::fs::read(path).unwrap().to_ascii_lowercase();
        bytes.windows(word.len()).filter(|part| *part == word.as_bytes()).count()
    };
    files.filter(|path| path.is_file()).map(count).sum()
}

/// A session in which a word stands wherever somebody can have said it, with its place among others.
async fn fill(desk: &TestDesk, of: u128, word: &str) {
    let at = Timestamp::from_millis(5);
    let start = Command::Session(SessionCommand::Start {
        id: session(of),
        origin: askdesk_domain::Origin::started(crate::support::desk::STAGED),
        name: format!("{word} name"),
        folder: format!("/home/{word}"),
        options: askdesk_domain::SessionOptions::default(),
        config: Vec::new(),
        at,
    });
    let act = async |command| drop(desk.engine.act(command).await.unwrap());
    act(start).await;
    let (version, model) = (Some(format!("{word} 1")), Some(format!("{word}-large")));
    let native_session = askdesk_domain::NativeSession::new(format!("{word}-native"));
    act(Command::Session(SessionCommand::Introduce { session: session(of), version, model, native_session }))
        .await;
    let (id, _waiter) = desk.ask(of, of * 10).await;
    desk.engine.answer(id, vec![choose(0, &[1]), say(2, &format!("call it {word}"))]).await.unwrap();
    let (_, _waiter) = desk.ask(of, of * 10 + 1).await;
    desk.engine.decline(request(of * 10 + 1), Some(format!("{word} no"))).await.unwrap();
    let approval = desk.clock.approval_id();
    let asked = AskApproval {
        id: approval,
        session: session(of),
        native_ref: askdesk_domain::NativeRef::new(format!("{word}-call")).unwrap(),
        title: format!("{word}-tool"),
        description: Some(format!("{word} it")),
        subject: askdesk_domain::ToolDetail::Other { input: format!("run {word}") },
        options: approval_options(),
        takes_message: true,
        at,
    };
    act(Command::Approval(ApprovalCommand::Ask(asked))).await;
    desk.engine.decide_approval(approval, deny(&format!("not {word}"))).await.unwrap();
    let message = desk.clock.message_id();
    act(Command::Queue(QueueCommand::Add {
        session: session(of),
        id: message,
        text: format!("{word} later"),
        attachments: Vec::new(),
    }))
    .await;
    act(Command::Queue(QueueCommand::Edit {
        session: session(of),
        id: message,
        text: format!("{word} sooner"),
    }))
    .await;
}

async fn end(desk: &TestDesk, of: u128, word: &str) {
    let end = SessionEnd::Failed { why: format!("{word} is gone").into() };
    let at = Timestamp::from_millis(9);
    desk.engine.act(Command::Session(SessionCommand::End { session: session(of), end, at })).await.unwrap();
}

async fn delete(desk: &TestDesk, session: SessionId) {
    desk.engine.act(Command::Session(SessionCommand::Delete { session })).await.unwrap();
}

#[tokio::test]
async fn a_deleted_session_leaves_no_word_in_any_file_and_the_others_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    fill(&desk, 1, STAYS).await;
    fill(&desk, 2, GONE).await;
    fill(&desk, 3, STAYS).await;
    end(&desk, 2, GONE).await;
    let stood = standing(folder.path(), STAYS);
    assert!(standing(folder.path(), GONE) > 20 && stood > 20);
    assert_eq!(desk.engine.search(GONE.to_owned(), 50, 0).await.unwrap().hits.len(), 3);

    delete(&desk, session(2)).await;
    assert_eq!(standing(folder.path(), GONE), 0);
    assert!(standing(folder.path(), STAYS) > 20);
    assert_eq!(desk.engine.search(GONE.to_owned(), 50, 0).await.unwrap().hits, []);
    assert_eq!(desk.engine.search(STAYS.to_owned(), 50, 0).await.unwrap().hits.len(), 6);
    assert_eq!(desk.engine.page(session(2), None, 10).await.unwrap().entries, []);
    desk.check_mirror().await;
    assert!(!desk.mirror.sessions.contains_key(&session(2)));
    assert!(desk.mirror.requests.values().all(|request| request.session != session(2)));

    for of in [1, 3] {
        end(&desk, of, STAYS).await;
    }
    let before = desk.snapshot().await;
    desk.engine.close().await.unwrap();
    assert_eq!(standing(folder.path(), GONE), 0);
    let again = TestDesk::open_at(folder.path()).await;
    let after = again.snapshot().await;
    assert_eq!((&after.sessions, &after.requests), (&before.sessions, &before.requests));
    assert_eq!((&after.approvals, after.storage), (&before.approvals, None));
}

#[tokio::test]
async fn a_session_that_runs_is_not_deleted_and_one_that_is_gone_is_not_found() {
    let desk = TestDesk::open().await;
    fill(&desk, 1, STAYS).await;
    let delete = Command::Session(SessionCommand::Delete { session: session(1) });
    let running = rejected(desk.engine.act(delete.clone()).await.unwrap_err());
    assert_eq!(running, Rejection::invalid("session", ValidationError::StillRunning));
    assert_eq!(desk.engine.page(session(1), None, 10).await.unwrap().entries.len(), 3);
    end(&desk, 1, STAYS).await;
    desk.engine.act(delete.clone()).await.unwrap();
    let gone = rejected(desk.engine.act(delete).await.unwrap_err());
    assert_eq!(gone, Rejection::NotFound { what: "session" });
}

/// Unused parts of a file keep what once stood there: where pages were split, where entries were replaced, and where
/// an earlier version deleted something without overwriting it.
#[tokio::test]
async fn nothing_is_left_in_the_unused_parts_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut journal = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap().journal;
        let mut desk = askdesk_domain::Desk::default();
        for of in 1..=6 {
            let at = Timestamp::from_millis(9);
            let end =
                Command::Session(SessionCommand::End { session: session(of), end: SessionEnd::Finished, at });
            for command in [crate::support::desk::start(of), end] {
                let events = askdesk_domain::decide(&desk, &command).unwrap().events;
                events.iter().for_each(|event| desk.fold(event));
                journal.commit(&events, &[], at).unwrap();
            }
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
    assert!(standing(folder.path(), GONE) > 1_000);
    delete(&desk, session(4)).await;
    assert_eq!(standing(folder.path(), GONE), 0);
    assert!(standing(folder.path(), STAYS) > 5_000);
}

#[tokio::test]
async fn what_an_end_in_the_middle_of_a_deletion_left_is_swept_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    fill(&desk, 2, GONE).await;
    end(&desk, 2, GONE).await;
    desk.engine.close().await.unwrap();
    let mut journal = Journal::open(folder.path(), Timestamp::from_millis(1)).unwrap().journal;
    let deleted =
        askdesk_domain::Event::Session(askdesk_domain::SessionEvent::Deleted { session: session(2) });
    journal.commit(&[deleted], &[], Timestamp::from_millis(2)).unwrap();
    assert!(standing(folder.path(), GONE) > 0);
    drop(journal);
    drop(Journal::open(folder.path(), Timestamp::from_millis(3)).unwrap());
    assert_eq!(standing(folder.path(), GONE), 0);
}
