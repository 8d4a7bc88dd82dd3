//! A limit that somebody set on a request: it passes by the engine's clock, and the answer may still come.

use std::time::Duration;

use crate::support::agents::{Play, Stage};
use crate::support::desk::{TestDesk, ask, choose, heard, rejected, request};
use askdesk_domain::{
    Ask, Command, Delivery, Limit, NativeRef, Outcome, Rejection, RequestCommand, RequestId, SessionId,
    Timestamp,
};
use askdesk_engine::NotificationEvent;
use askdesk_engine::clock::Clock;
use tokio::sync::oneshot;

const LIMIT: i64 = 60_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// Longer than the clock is looked at while a limit waits.
const QUIET: Duration = Duration::from_millis(1_500);

/// Registers a request that has as long as [`LIMIT`].
async fn limited(desk: &TestDesk, of: SessionId, n: u128) -> (RequestId, oneshot::Receiver<Outcome>) {
    let at = Timestamp::from_millis(desk.clock.now().millis() + LIMIT);
    let (waiter, outcome) = oneshot::channel();
    let limit = Some(Limit { at, then: "the agent goes on without an answer".to_owned() });
    let native_ref = NativeRef::new(format!("limited-{n}")).unwrap();
    let ask = Ask { session: of, native_ref, limit, ..ask(1, n) };
    (desk.engine.register(ask, waiter).await.unwrap(), outcome)
}

fn outcome_of(desk: &TestDesk, id: RequestId) -> Option<&Outcome> {
    desk.mirror.requests[&id].ended().map(|ended| &ended.outcome)
}

#[tokio::test]
async fn case_41_without_a_limit_a_request_waits_for_ever_and_with_one_it_expires() {
    let mut desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    let (patient, mut waits) = desk.ask(1, 1).await;
    let (hasty, expires) = limited(&desk, session, 2).await;

    desk.clock.advance(LIMIT - 1);
    tokio::time::sleep(QUIET).await;
    desk.catch_up();
    assert_eq!(outcome_of(&desk, hasty), None, "not a moment too early");

    desk.clock.advance(1);
    assert_eq!(heard(expires).await, Outcome::Expired);
    desk.clock.advance(365 * DAY);
    tokio::time::sleep(QUIET).await;
    desk.catch_up();
    assert_eq!(outcome_of(&desk, hasty), Some(&Outcome::Expired));
    assert_eq!(outcome_of(&desk, patient), None);
    assert!(waits.try_recv().is_err(), "nobody answers by themselves");
    // Each was told once, and what was told of the one that expired is taken back.
    let mut told = Vec::new();
    while let Ok(attention) = desk.notifications.try_recv() {
        told.push(match attention {
            NotificationEvent::Asked { request, .. } => (true, request.id),
            NotificationEvent::Ended { request } => (false, request),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(told, [(true, request(1)), (true, request(2)), (false, request(2))]);
    desk.check_mirror().await;
}

#[tokio::test]
async fn an_answer_before_the_limit_is_the_end_and_the_limit_changes_nothing() {
    let mut desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    let (id, outcome) = limited(&desk, session, 1).await;
    desk.engine.answer(id, vec![choose(0, &[1])]).await.unwrap();
    assert!(matches!(heard(outcome).await, Outcome::Answered { .. }));
    desk.clock.advance(DAY);
    tokio::time::sleep(QUIET).await;
    desk.catch_up();
    assert!(matches!(outcome_of(&desk, id), Some(Outcome::Answered { .. })));
}

#[tokio::test]
async fn limits_pass_in_the_order_of_their_times_whatever_the_order_of_asking() {
    let desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    desk.clock.advance(10_000);
    let (_, mut later) = limited(&desk, session, 1).await;
    desk.clock.advance(-5_000);
    let (_, sooner) = limited(&desk, session, 2).await;
    desk.clock.advance(LIMIT);
    assert_eq!(heard(sooner).await, Outcome::Expired);
    assert!(later.try_recv().is_err());
    desk.clock.advance(5_000);
    assert_eq!(heard(later).await, Outcome::Expired);
}

#[tokio::test]
async fn case_41_an_answer_after_the_limit_reaches_the_running_agent_once_as_a_message() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { prompt: None, ..Play::of("technology") }).await;
    stage.until_idle(session).await;
    let (id, outcome) = limited(&stage.desk, session, 1).await;
    stage.desk.clock.advance(LIMIT);
    assert_eq!(heard(outcome).await, Outcome::Expired);

    // Until the agent has heard that the limit has passed, an answer would be one of two ends on their way.
    let early = stage.desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err();
    assert!(matches!(rejected(early), Rejection::AlreadyEnded { .. }));
    let at = stage.desk.clock.now();
    let told = Delivery::Delivered { at, late: false };
    let call = stage.desk.request(id).await.native_ref;
    stage.desk.engine.act(Command::Request(RequestCommand::NoteSending { request: id, call })).await.unwrap();
    stage
        .desk
        .engine
        .act(Command::Request(RequestCommand::NoteDelivery { request: id, call: None, delivery: told }))
        .await
        .unwrap();

    stage.desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    stage.desk.catch_up();
    let late = |known: &crate::support::mirror::Mirror| {
        let delivery = known.requests[&id].ended().unwrap().delivery.as_ref();
        matches!(delivery, Some(Delivery::Delivered { late: true, .. }))
    };
    stage.desk.until("the answer is delivered late", late).await;
    let messages = stage.messages(session);
    let brought: Vec<&String> = messages.iter().filter(|text| text.contains("late answer")).collect();
    assert_eq!(brought.len(), 1, "{messages:?}");
    assert!(brought[0].contains("Question: Which store?\nAnswer: \"A\""), "{brought:?}");
}
