//! Connected apps: their questions survive the end of a connection and a restart of Askdesk.

#[cfg(unix)]
mod crash_recovery;

use crate::support::desk::{PATIENCE, TestDesk, choose, half, heard, locked, questions, rejected};
use askdesk_domain::{
    Channel, Delivery, NativeRef, OrphanedWhy, Outcome, QuestionId, Rejection, RequestId, SessionId,
};
use askdesk_engine::inbound_calls::{InboundClient, Leave};
use askdesk_engine::{EngineError, InboundAsk, InboundCall, InboundCalls, InboundStatus};
use tokio::sync::oneshot;

pub fn codex() -> InboundClient {
    InboundClient {
        channel: Channel::Mcp,
        name: "codex".to_owned(),
        version: Some("0.169.0".to_owned()),
        folder: Some("/projects/shop".to_owned()),
    }
}

pub fn call(name: &str) -> NativeRef {
    NativeRef::new(name).unwrap()
}

pub fn asking(name: &str) -> InboundAsk {
    InboundAsk { native_ref: call(name), asked_by: None, questions: questions(), limit: None, again: None }
}

async fn connect(desk: &TestDesk) -> (InboundCalls, SessionId) {
    let calls = InboundCalls::new(desk.engine.clone());
    let session = calls.open(codex()).await.unwrap();
    (calls, session)
}

async fn answer(desk: &TestDesk, request: RequestId) -> Outcome {
    let ended = desk.engine.answer(request, vec![choose(0, &[1])]).await.unwrap();
    ended.ended().unwrap().outcome.clone()
}

async fn delivery(desk: &TestDesk, request: RequestId) -> Option<Delivery> {
    desk.request(request).await.ended().and_then(|ended| ended.delivery.clone())
}

#[tokio::test]
async fn the_call_that_waits_gets_the_answer_which_is_delivered_once_that_is_noted() {
    let mut desk = TestDesk::open().await;
    let (calls, session) = connect(&desk).await;
    let InboundCall { request, end } = calls.ask(session, asking("a")).await.unwrap();
    assert_eq!(calls.collect(request, None).await.unwrap(), InboundStatus::Open);
    let outcome = answer(&desk, request).await;
    assert_eq!(heard(end).await, outcome);
    assert_eq!(delivery(&desk, request).await, Some(Delivery::Pending));
    calls.note_delivered(request, call("a"), Ok(())).await.unwrap();
    assert!(matches!(delivery(&desk, request).await, Some(Delivery::Delivered { late: false, .. })));
    assert_eq!(calls.collect(request, None).await.unwrap(), InboundStatus::Ended(outcome));
    desk.check_notified_and_withdrawn(request);
    desk.check_mirror().await;
}

#[tokio::test]
async fn an_answer_that_no_call_received_is_parked() {
    let desk = TestDesk::open().await;
    let (calls, session) = connect(&desk).await;
    let asked = calls.ask(session, asking("a")).await.unwrap();
    // The stream breaks, and the user answers before that is noticed.
    drop(asked.end);
    answer(&desk, asked.request).await;
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
    calls.leave(session, call("a"), Leave::Gone).await.unwrap();
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
}

#[tokio::test]
async fn case_54_after_a_restart_the_call_finds_its_request_and_draft() {
    let first = TestDesk::open().await;
    let (calls, session) = connect(&first).await;
    let asked = calls.ask(session, asking("a")).await.unwrap();
    first.begin(asked.request).await;
    drop(calls);
    let mut desk = first.reopened().await;
    assert!(asked.end.await.is_err(), "the engine has closed");
    let before = desk.request(asked.request).await;
    assert_eq!(before.ended().unwrap().outcome, Outcome::Orphaned { why: OrphanedWhy::AppQuit });
    let (calls, again) = connect(&desk).await;
    assert_eq!(again, session, "its last session is resumed");
    // However long the restart took.
    desk.clock.advance(3_600_000);
    let found = calls.ask(again, InboundAsk { again: Some(asked.request), ..asking("a") }).await.unwrap();
    assert_eq!(found.request, asked.request);
    assert_eq!(desk.engine.drafts().await.unwrap(), [half(asked.request)]);
    desk.catch_up();
    assert!(desk.request(asked.request).await.is_open());
    let outcome = answer(&desk, asked.request).await;
    assert_eq!(heard(found.end).await, outcome);
    calls.note_delivered(asked.request, call("a"), Ok(())).await.unwrap();
    desk.check_mirror().await;
    drop(calls);

    // A third run reads it.
    let third = desk.reopened().await;
    assert!(matches!(delivery(&third, asked.request).await, Some(Delivery::Delivered { .. })));
}

#[tokio::test]
async fn a_request_of_a_started_agent_cannot_be_collected() {
    let desk = TestDesk::started().await;
    let (request, _waiter) = desk.ask(1, 1).await;
    let refused = InboundCalls::new(desk.engine.clone()).collect(request, None).await.unwrap_err();
    assert!(matches!(rejected(refused), Rejection::NotFound { .. }));
}

#[tokio::test]
async fn a_call_that_cannot_be_stored_is_refused_and_not_shown() {
    let mut desk = TestDesk::open().await;
    let (calls, session) = connect(&desk).await;
    let lock = locked(&desk.folder);
    let refused = calls.ask(session, asking("a")).await.unwrap_err();
    assert!(matches!(refused, EngineError::Journal(_)), "{refused}");
    assert_eq!(desk.news(), []);
    drop(lock);
    calls.ask(session, asking("a")).await.unwrap();
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_132_what_apps_leave_or_receive_while_nothing_can_be_stored_is_noted_once_it_can() {
    let mut desk = TestDesk::open().await;
    let calls = InboundCalls::new(desk.engine.clone());
    let mut asked = Vec::new();
    for name in ["received", "left", "closed"] {
        let session = calls.open(InboundClient { name: name.to_owned(), ..codex() }).await.unwrap();
        let asking = InboundAsk { asked_by: Some(name.to_owned()), ..asking(name) };
        asked.push((session, calls.ask(session, asking).await.unwrap()));
    }
    let [(_, received), (leaving, left), (closing, closed)] = asked.try_into().unwrap();
    answer(&desk, received.request).await;
    let lock = locked(&desk.folder);
    calls.note_delivered(received.request, call("received"), Ok(())).await.unwrap();
    calls.leave(leaving, call("left"), Leave::Gone).await.unwrap();
    calls.close(closing).await.unwrap();
    desk.until("it is said", |known| known.outage.is_some()).await;
    drop(lock);
    for end in [left.end, closed.end] {
        assert_eq!(heard(end).await, Outcome::Orphaned { why: OrphanedWhy::CallerGone });
    }
    desk.until("everything is stored", |known| known.outage.is_none()).await;
    assert!(matches!(delivery(&desk, received.request).await, Some(Delivery::Delivered { .. })));
    desk.check_mirror().await;
}

#[tokio::test]
async fn a_thousand_calls_of_fifty_clients_each_get_their_own_answer() {
    let desk = TestDesk::open().await;
    let calls = InboundCalls::new(desk.engine.clone());
    let mut waiting: Vec<(RequestId, usize, oneshot::Receiver<Outcome>)> = Vec::new();
    for client in 0..50 {
        let session =
            calls.open(InboundClient { name: format!("client {client}"), ..codex() }).await.unwrap();
        for n in 0..20 {
            let name = format!("{client}-{n}");
            let asked_by = Some(name.clone());
            let asked = calls.ask(session, InboundAsk { asked_by, ..asking(&name) }).await.unwrap();
            waiting.push((asked.request, n % 3, asked.end));
        }
    }
    for (request, place, _) in waiting.iter().rev() {
        desk.engine.answer(*request, vec![choose(0, &[*place])]).await.unwrap();
    }
    for (_, place, end) in waiting {
        let outcome = tokio::time::timeout(PATIENCE, end).await.unwrap().unwrap();
        let Outcome::Answered { answers } = outcome else { panic!("{outcome:?}") };
        assert_eq!(answers.iter().next().unwrap().chosen, [QuestionId::at(0).option(place)]);
    }
}
