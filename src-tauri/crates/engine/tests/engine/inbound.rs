//! Clients that the desk did not start: what they ask waits for them, over their own end and the desk's.

#[cfg(unix)]
mod crash_recovery;

use std::time::Duration;

use crate::support::desk::{PATIENCE, TestDesk, choose, half, heard, questions, rejected};
use askdesk_domain::{
    Channel, Delivery, DeliveryError, EndedBy, Limit, NativeRef, OrphanedWhy, Outcome, QuestionId, Rejection,
    RequestId, SessionId, Timestamp, WithdrawnWhy,
};
use askdesk_engine::inbound::{InboundClient, Leave};
use askdesk_engine::{EngineError, InboundAsk, InboundCall, InboundCalls, InboundStatus, NotificationEvent};
use tokio::sync::oneshot;

fn codex() -> InboundClient {
    InboundClient {
        channel: Channel::Mcp,
        name: "codex".to_owned(),
        version: Some("0.169.0".to_owned()),
        folder: Some("/projects/shop".to_owned()),
    }
}

fn call(name: &str) -> NativeRef {
    NativeRef::new(name).unwrap()
}

fn asking(name: &str) -> InboundAsk {
    InboundAsk { native_ref: call(name), asked_by: None, questions: questions(), limit: None, again: None }
}

async fn come(desk: &TestDesk) -> (InboundCalls, SessionId) {
    let visits = InboundCalls::new(desk.engine.clone());
    let session = visits.open(codex()).await.unwrap();
    (visits, session)
}

fn told(desk: &mut TestDesk) -> Vec<NotificationEvent> {
    std::iter::from_fn(|| desk.notifications.try_recv().ok()).collect()
}

async fn answer(desk: &TestDesk, request: RequestId) -> Outcome {
    let ended = desk.engine.answer(request, vec![choose(0, &[1])]).await.unwrap();
    ended.ended().unwrap().outcome.clone()
}

async fn delivery(desk: &TestDesk, request: RequestId) -> Option<Delivery> {
    desk.request(request).await.ended().and_then(|ended| ended.delivery.clone())
}

#[tokio::test]
async fn an_answer_goes_to_the_call_that_waits_and_is_delivered_when_the_door_says_so() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let InboundCall { request, end } = visits.ask(session, asking("a")).await.unwrap();
    assert_eq!(visits.collect(request).await.unwrap(), InboundStatus::Open);
    let outcome = answer(&desk, request).await;
    assert_eq!(heard(end).await, outcome);
    assert_eq!(delivery(&desk, request).await, Some(Delivery::Pending));
    visits.told(request, call("a"), Ok(())).await.unwrap();
    assert!(matches!(delivery(&desk, request).await, Some(Delivery::Delivered { late: false, .. })));
    assert_eq!(visits.collect(request).await.unwrap(), InboundStatus::Ended(outcome));
    assert!(matches!(
        &told(&mut desk)[..],
        [NotificationEvent::Asked { .. }, NotificationEvent::Ended { .. }]
    ));
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_34_two_calls_that_ask_the_same_have_one_card_and_both_their_answer() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let first = visits.ask(session, asking("a")).await.unwrap();
    let other = visits.open(codex()).await.unwrap();
    assert_ne!(other, session, "each connection has a session of its own");
    let second = visits.ask(other, asking("b")).await.unwrap();
    assert_eq!(first.request, second.request);
    // The connection that asked first goes: the other waits on.
    visits.close(session).await.unwrap();
    assert!(first.end.await.is_err());
    let outcome = answer(&desk, second.request).await;
    assert_eq!(heard(second.end).await, outcome);
    visits.told(second.request, call("b"), Ok(())).await.unwrap();
    assert!(matches!(delivery(&desk, second.request).await, Some(Delivery::Delivered { .. })));
    assert!(matches!(
        &told(&mut desk)[..],
        [NotificationEvent::Asked { .. }, NotificationEvent::Ended { .. }]
    ));
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_34_what_a_client_left_is_open_again_with_its_draft_when_it_asks_the_same() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let left = visits.ask(session, asking("a")).await.unwrap();
    desk.begin(left.request).await;
    visits.leave(session, call("a"), Leave::Gone).await.unwrap();
    assert_eq!(heard(left.end).await, Outcome::Orphaned { why: OrphanedWhy::CallerGone });
    assert!(matches!(
        &told(&mut desk)[..],
        [NotificationEvent::Asked { .. }, NotificationEvent::Ended { .. }]
    ));
    desk.clock.advance(170_000);
    let again = visits.ask(session, asking("b")).await.unwrap();
    assert_eq!(again.request, left.request);
    assert!(desk.request(again.request).await.is_open());
    assert!(
        matches!(&told(&mut desk)[..], [NotificationEvent::Asked { .. }]),
        "what told of it was taken back"
    );
    assert_eq!(desk.engine.drafts().await.unwrap(), [half(again.request)]);
    let outcome = answer(&desk, again.request).await;
    assert_eq!(heard(again.end).await, outcome);
    assert_eq!(desk.engine.drafts().await.unwrap(), []);
    desk.check_mirror().await;
}

#[tokio::test]
async fn a_late_answer_waits_for_the_call_that_is_made_again() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let left = visits.ask(session, asking("a")).await.unwrap();
    visits.close(session).await.unwrap();
    let outcome = answer(&desk, left.request).await;
    assert_eq!(delivery(&desk, left.request).await, Some(Delivery::Parked));
    let session = visits.open(codex()).await.unwrap();
    let again = visits.ask(session, asking("b")).await.unwrap();
    assert_eq!((again.request, heard(again.end).await), (left.request, outcome));
    visits.told(again.request, call("b"), Ok(())).await.unwrap();
    assert!(matches!(delivery(&desk, left.request).await, Some(Delivery::Delivered { late: true, .. })));
    desk.check_mirror().await;
}

#[tokio::test]
async fn an_answer_that_the_door_could_not_hand_over_is_kept_for_who_collects_it() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let asked = visits.ask(session, asking("a")).await.unwrap();
    let outcome = answer(&desk, asked.request).await;
    visits.told(asked.request, call("a"), Err(DeliveryError::InputClosed)).await.unwrap();
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
    assert_eq!(visits.collect(asked.request).await.unwrap(), InboundStatus::Ended(outcome));
    visits.told(asked.request, call("collects"), Ok(())).await.unwrap();
    assert!(matches!(delivery(&desk, asked.request).await, Some(Delivery::Delivered { .. })));
    desk.check_mirror().await;
}

#[tokio::test]
async fn an_answer_that_no_call_was_there_to_take_is_kept() {
    let desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let asked = visits.ask(session, asking("a")).await.unwrap();
    // The stream breaks, and the person answers before that is noticed.
    drop(asked.end);
    answer(&desk, asked.request).await;
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
    visits.leave(session, call("a"), Leave::Gone).await.unwrap();
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
}

#[tokio::test]
async fn whoever_gives_up_before_the_desk_has_heard_leaves_nothing_open() {
    let desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    for n in 0..50 {
        let asked = visits.ask(session, asking(&format!("call-{n}")));
        // Given up at some moment on the way.
        let _ = tokio::time::timeout(Duration::from_micros(n * 7), asked).await.map(drop);
        visits.leave(session, call(&format!("call-{n}")), Leave::Gone).await.unwrap();
    }
    let open = desk
        .engine
        .inspect(|desk| desk.requests().filter(|request| request.is_open()).count())
        .await
        .unwrap();
    assert_eq!(open, 0);
}

#[tokio::test]
async fn case_41_an_expired_request_says_so_and_its_late_answer_is_collected() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let until = Timestamp::from_millis(desk.engine.clock().now().millis() + 60_000);
    let limit = Some(Limit { at: until, then: "goes on with the default".to_owned() });
    let asked = visits.ask(session, InboundAsk { limit, ..asking("a") }).await.unwrap();
    desk.clock.advance(61_000);
    assert_eq!(heard(asked.end).await, Outcome::Expired);
    visits.told(asked.request, call("a"), Ok(())).await.unwrap();
    assert_eq!(visits.collect(asked.request).await.unwrap(), InboundStatus::Ended(Outcome::Expired));
    let outcome = answer(&desk, asked.request).await;
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
    assert_eq!(visits.collect(asked.request).await.unwrap(), InboundStatus::Ended(outcome));
    visits.told(asked.request, call("collects"), Ok(())).await.unwrap();
    assert!(matches!(delivery(&desk, asked.request).await, Some(Delivery::Delivered { late: true, .. })));
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_54_after_a_restart_of_the_desk_the_call_finds_its_question_again() {
    let kept = tempfile::tempdir().unwrap();
    let first = TestDesk::open_at(kept.path()).await;
    let (visits, session) = come(&first).await;
    let asked = visits.ask(session, asking("a")).await.unwrap();
    first.begin(asked.request).await;
    first.engine.close().await.unwrap();
    drop((first, visits));
    assert!(asked.end.await.is_err(), "the desk is gone, and says nothing");

    let mut desk = TestDesk::open_at(kept.path()).await;
    let before = desk.request(asked.request).await;
    assert_eq!(before.ended().unwrap().outcome, Outcome::Orphaned { why: OrphanedWhy::AppQuit });
    let (visits, again) = come(&desk).await;
    assert_eq!(again, session, "the session it left is taken up again");
    // However long the restart took.
    desk.clock.advance(3_600_000);
    let found = visits.ask(again, InboundAsk { again: Some(asked.request), ..asking("a") }).await.unwrap();
    assert_eq!(found.request, asked.request);
    assert_eq!(desk.engine.drafts().await.unwrap(), [half(asked.request)]);
    desk.catch_up();
    assert!(desk.request(asked.request).await.is_open());
    let outcome = answer(&desk, asked.request).await;
    assert_eq!(heard(found.end).await, outcome);
    visits.told(asked.request, call("a"), Ok(())).await.unwrap();
    desk.check_mirror().await;
    desk.engine.close().await.unwrap();
    drop((desk, visits));

    // A third run reads what the two have written.
    let third = TestDesk::open_at(kept.path()).await;
    assert!(matches!(delivery(&third, asked.request).await, Some(Delivery::Delivered { .. })));
}

#[tokio::test]
async fn case_54_an_answer_that_was_on_its_way_as_the_desk_ended_is_given_to_the_same_call() {
    let kept = tempfile::tempdir().unwrap();
    let first = TestDesk::open_at(kept.path()).await;
    let (visits, session) = come(&first).await;
    let asked = visits.ask(session, asking("a")).await.unwrap();
    let outcome = answer(&first, asked.request).await;
    first.engine.close().await.unwrap();
    drop((first, visits));

    let desk = TestDesk::open_at(kept.path()).await;
    assert_eq!(delivery(&desk, asked.request).await, Some(Delivery::Parked));
    let (visits, session) = come(&desk).await;
    let again = visits.ask(session, InboundAsk { again: Some(asked.request), ..asking("a") }).await.unwrap();
    assert_eq!((again.request, heard(again.end).await), (asked.request, outcome));
}

#[tokio::test]
async fn case_58_a_card_that_was_answered_elsewhere_closes_and_says_so() {
    let mut desk = TestDesk::open().await;
    let visits = InboundCalls::new(desk.engine.clone());
    let terminal =
        InboundClient { channel: Channel::TerminalHook, name: "Claude Code".to_owned(), ..codex() };
    let session = visits.open(terminal).await.unwrap();
    let asked = visits.ask(session, asking("a")).await.unwrap();
    visits.leave(session, call("a"), Leave::AnsweredElsewhere).await.unwrap();
    assert_eq!(heard(asked.end).await, Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere });
    assert!(matches!(
        &told(&mut desk)[..],
        [NotificationEvent::Asked { .. }, NotificationEvent::Ended { .. }]
    ));
    let late = desk.engine.answer(asked.request, vec![choose(0, &[1])]).await.unwrap_err();
    assert!(matches!(rejected(late), Rejection::AlreadyEnded { by: EndedBy::Elsewhere, .. }));
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_59_the_request_names_the_client_and_stands_in_its_own_session() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let asked = visits.ask(session, asking("a")).await.unwrap();
    let request = desk.request(asked.request).await;
    assert_eq!((request.session, request.asked_by.as_deref()), (session, Some("codex")));
    let known = desk.engine.session(session).await.unwrap();
    assert_eq!((known.origin.client(), known.folder.as_str()), (Some("codex"), "/projects/shop"));
    desk.check_mirror().await;
}

#[tokio::test]
async fn what_is_open_is_listed_with_its_session_oldest_first_whoever_asks() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (visits, session) = come(&desk).await;
    let asked = visits.ask(session, asking("a")).await.unwrap();
    let (theirs, _waiter) = desk.ask(1, 1).await;
    let (left, _other) = desk.ask(1, 2).await;
    desk.engine.decline(left, None).await.unwrap();
    let waiting = visits.open_requests().await.unwrap();
    let listed: Vec<_> = waiting.iter().map(|(request, session)| (request.id, session.id)).collect();
    // The agent's was asked at a moment of the test's own, long before.
    assert_eq!(listed, [(theirs, crate::support::desk::session(1)), (asked.request, session)]);
}

#[tokio::test]
async fn what_an_agent_of_the_desk_asked_is_not_collected_by_a_visitor() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (request, _waiter) = desk.ask(1, 1).await;
    let refused = InboundCalls::new(desk.engine.clone()).collect(request).await.unwrap_err();
    assert!(matches!(rejected(refused), Rejection::NotFound { .. }));
}

#[tokio::test]
async fn a_call_is_refused_where_it_cannot_be_written_down_and_nothing_is_shown() {
    let mut desk = TestDesk::open().await;
    let (visits, session) = come(&desk).await;
    let locked = rusqlite::Connection::open(desk.folder.join("desk.db")).unwrap();
    locked.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = visits.ask(session, asking("a")).await.unwrap_err();
    assert!(matches!(refused, EngineError::Journal(_)), "{refused}");
    assert!(told(&mut desk).is_empty());
    locked.execute_batch("ROLLBACK").unwrap();
    visits.ask(session, asking("a")).await.unwrap();
    desk.check_mirror().await;
}

#[tokio::test]
async fn a_thousand_calls_of_fifty_clients_each_hear_their_own_answer() {
    let desk = TestDesk::open().await;
    let visits = InboundCalls::new(desk.engine.clone());
    let mut waiting: Vec<(RequestId, usize, oneshot::Receiver<Outcome>)> = Vec::new();
    for client in 0..50 {
        let session =
            visits.open(InboundClient { name: format!("client {client}"), ..codex() }).await.unwrap();
        for n in 0..20 {
            let name = format!("{client}-{n}");
            let asked_by = Some(name.clone());
            let asked = visits.ask(session, InboundAsk { asked_by, ..asking(&name) }).await.unwrap();
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
