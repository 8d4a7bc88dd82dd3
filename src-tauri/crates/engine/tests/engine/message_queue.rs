//! Queued messages: with the fake agent, and over a restart.

use crate::support::agents::{Play, Stage};
use crate::support::desk::{Refusal, TestDesk, session};
use crate::support::desks::working;
use askdesk_domain::{EntryBody, QueueCommand, SessionId};
use askdesk_engine::EngineError;
use askdesk_engine::SessionCall;

/// The user's messages in the transcript.
fn said_by_user(stage: &Stage, session: SessionId) -> Vec<&str> {
    let said = stage.desk.mirror.transcript(session).into_iter().filter_map(|body| match body {
        EntryBody::User { text, .. } => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn case_35_queued_messages_wait_for_the_open_question_and_are_sent_once_one_per_turn() {
    let (mut stage, session, request) = Stage::asking("technology").await;
    stage.desk.queue(session, "then add tests", Vec::new()).await;
    stage.desk.queue(session, "and write the guide", Vec::new()).await;
    stage.answer(&request, "PostgreSQL").await;
    stage.until_delivered(request.id).await;
    stage.desk.until("the queue is empty", |known| known.sessions[&session].queue.is_empty()).await;
    stage.until_idle_after(session, "and write the guide").await;
    // The answer goes out before the queued messages, so the question was open until then.
    let sent = stage.sent(session);
    let kinds: Vec<_> = sent.iter().skip(1).filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds, ["user", "control_response", "user", "user"]);
    let expected = ["go", "then add tests", "and write the guide"];
    assert_eq!(stage.messages(session), expected);
    assert_eq!(said_by_user(&stage, session), expected);
    let turns = stage.desk.mirror.transcript(session).into_iter();
    assert_eq!(turns.filter(|body| matches!(body, EntryBody::TurnEnded { .. })).count(), 3);
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn after_an_interrupt_queued_messages_wait_until_the_user_sends_one() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { pace_percent: 100, ..Play::of("slow") }).await;
    stage.desk.until("it writes", |known| known.live.contains_key(&session)).await;
    let first = stage.desk.queue(session, "one", Vec::new()).await;
    stage.desk.queue(session, "two", Vec::new()).await;
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.until_idle(session).await;
    // A message that has left the queue can't be sent from it.
    stage.sessions.call(session, SessionCall::SendNow(first)).await.unwrap();
    stage.desk.until("the queue is empty", |known| known.sessions[&session].queue.is_empty()).await;
    stage.until_said(session, "two").await;
    assert_eq!(stage.messages(session), ["go", "one", "two"]);
}

#[tokio::test]
async fn a_message_queued_after_the_turn_is_sent_at_once() {
    let (mut stage, session) = Stage::idle().await;
    stage.desk.queue(session, "hello", Vec::new()).await;
    stage.asked_one(session).await;
    assert_eq!(stage.messages(session), ["hello"]);
}

#[tokio::test]
async fn case_132_a_queued_message_is_sent_once_that_can_be_stored() {
    let (mut stage, session) = Stage::idle().await;
    let refusal = Refusal::of_event(&stage.desk.folder, "queued_sent");
    stage.desk.queue(session, "hello", Vec::new()).await;
    stage.desk.until("it is said", |known| known.outage.is_some()).await;
    assert_eq!(stage.messages(session), <[&str; 0]>::default());
    drop(refusal);
    stage.asked_one(session).await;
    assert_eq!(stage.messages(session), ["hello"]);
    assert_eq!(said_by_user(&stage, session), ["hello"]);
}

#[tokio::test]
async fn case_132_a_message_that_cannot_be_stored_is_not_sent() {
    let (mut stage, session) = Stage::idle().await;
    let refusal = Refusal::of_entry(&stage.desk.folder, "user");
    let refused = stage.sessions.call(session, SessionCall::message("hello".to_owned())).await;
    assert!(matches!(refused, Err(EngineError::Journal(_))), "{refused:?}");
    drop(refusal);
    stage.sessions.call(session, SessionCall::message("hello".to_owned())).await.unwrap();
    stage.asked_one(session).await;
    assert_eq!(stage.messages(session), ["hello"]);
    assert_eq!(said_by_user(&stage, session), ["hello"]);
}

#[tokio::test]
async fn a_queue_comes_back_after_a_restart() {
    let desk = TestDesk::started().await;
    desk.engine.act(working(1, true)).await.unwrap();
    for text in ["one", "two"] {
        desk.queue(session(1), text, Vec::new()).await;
    }
    let taken = desk.queue(session(1), "three", Vec::new()).await;
    desk.engine.act(QueueCommand::Remove { session: session(1), id: taken }).await.unwrap();
    let mut again = desk.reopened().await;
    again.catch_up();
    let queue: Vec<_> = again.mirror.sessions[&session(1)].queue.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(queue, ["one", "two"]);
}
