//! Messages that wait for the end of a turn: with the fake agent, and over a restart.

use crate::support::agents::{Play, Stage, choose};
use crate::support::desk::{TestDesk, session};
use askdesk_domain::{Command, EntryBody, MessageId, QueueCommand, SessionCommand, SessionId};
use askdesk_engine::clock::Clock;

async fn queue(desk: &TestDesk, session: SessionId, text: &str) -> MessageId {
    let id = desk.clock.message_id();
    let queue =
        Command::Queue(QueueCommand::Add { session, id, text: text.to_owned(), attachments: Vec::new() });
    desk.engine.act(queue).await.unwrap();
    id
}

/// The person's messages as the transcript shows them.
fn said_by_person(stage: &Stage, session: SessionId) -> Vec<String> {
    let person = |body: &&EntryBody| matches!(body, EntryBody::Person { .. });
    let words = |body: &EntryBody| match body {
        EntryBody::Person { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    };
    stage.desk.mirror.transcript(session).into_iter().filter(person).map(words).collect()
}

fn waiting(stage: &Stage, session: SessionId) -> Vec<&str> {
    stage.desk.mirror.sessions[&session].queue.iter().map(|message| message.text.as_str()).collect()
}

#[tokio::test]
async fn case_35_queued_messages_leave_the_open_question_alone_and_go_out_one_a_turn_and_once() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    queue(&stage.desk, session, "then add tests").await;
    queue(&stage.desk, session, "and write the guide").await;
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(stage.desk.request(request.id).await.is_open());
    assert_eq!(stage.messages(session), ["go"]);

    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await.unwrap();
    stage.until_delivered(request.id).await;
    stage.desk.until("nothing waits", |known| known.sessions[&session].queue.is_empty()).await;
    stage.until_said(session, "and write the guide").await;
    stage.until_idle(session).await;
    let expected = ["go", "then add tests", "and write the guide"];
    assert_eq!(stage.messages(session), expected);
    assert_eq!(said_by_person(&stage, session), expected);
    let turns = stage.desk.mirror.transcript(session).into_iter();
    assert_eq!(turns.filter(|body| matches!(body, EntryBody::TurnEnded { .. })).count(), 3);
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn nothing_goes_out_by_itself_after_an_interrupt_until_the_person_sends_it() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { pace_percent: 100, ..Play::of("slow") }).await;
    stage.desk.until("it writes", |known| known.live.contains_key(&session)).await;
    let first = queue(&stage.desk, session, "one").await;
    queue(&stage.desk, session, "two").await;
    stage.sessions.interrupt(session).unwrap();
    stage.until_idle(session).await;
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    stage.desk.catch_up();
    assert_eq!(waiting(&stage, session), ["one", "two"]);
    assert_eq!(stage.messages(session), ["go"]);

    stage.sessions.send_queued(session, first).await.unwrap();
    stage.desk.until("nothing waits", |known| known.sessions[&session].queue.is_empty()).await;
    stage.until_said(session, "two").await;
    assert_eq!(stage.messages(session), ["go", "one", "two"]);
}

#[tokio::test]
async fn what_is_queued_just_after_the_turn_ended_is_sent_at_once() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { prompt: None, ..Play::of("technology") }).await;
    stage.until_idle(session).await;
    queue(&stage.desk, session, "hello").await;
    stage.asked_one(session).await;
    assert_eq!(stage.messages(session), ["hello"]);
}

#[tokio::test]
async fn a_queue_comes_back_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    desk.engine
        .act(Command::Session(SessionCommand::SetWorking { session: session(1), working: true }))
        .await
        .unwrap();
    for text in ["one", "two"] {
        queue(&desk, session(1), text).await;
    }
    let taken = queue(&desk, session(1), "three").await;
    desk.engine.act(Command::Queue(QueueCommand::Remove { session: session(1), id: taken })).await.unwrap();
    desk.engine.close().await.unwrap();

    let mut again = TestDesk::open_at(folder.path()).await;
    again.catch_up();
    let queue: Vec<_> = again.mirror.sessions[&session(1)].queue.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(queue, ["one", "two"]);
}
