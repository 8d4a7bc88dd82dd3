//! Time limits of requests: they pass by the engine's clock, and a late answer is still possible.

use crate::support::desk::{TestDesk, ask, heard, locked, request};
use askdesk_desk::News;
use askdesk_domain::{Ask, Limit, NativeRef, Outcome, RequestId, SessionId, Timestamp};
use askdesk_engine::clock::Clock;
use rstest::rstest;
use tokio::sync::oneshot;

const LIMIT: i64 = 60_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Registers a request that times out after [`LIMIT`].
async fn limited(desk: &TestDesk, of: SessionId, n: u128) -> (RequestId, oneshot::Receiver<Outcome>) {
    limited_at(desk, of, n, limit_from_now(desk)).await
}

async fn limited_at(
    desk: &TestDesk,
    of: SessionId,
    n: u128,
    at: Timestamp,
) -> (RequestId, oneshot::Receiver<Outcome>) {
    let limit = Some(Limit { at, then: "the agent continues".to_owned() });
    let native_ref = NativeRef::new(format!("limited-{n}")).unwrap();
    desk.register(Ask { session: of, native_ref, limit, ..ask(1, n) }).await
}

fn limit_from_now(desk: &TestDesk) -> Timestamp {
    Timestamp::from_millis(desk.clock.now().millis() + LIMIT)
}

/// Lets another limit pass. Limits pass in order, so every earlier one has passed then.
async fn pass_another(desk: &TestDesk, of: SessionId, n: u128) {
    let (_, expired) = limited(desk, of, n).await;
    desk.clock.advance(LIMIT);
    assert_eq!(heard(expired).await, Outcome::Expired);
}

fn outcome_of(desk: &TestDesk, id: RequestId) -> Option<&Outcome> {
    desk.mirror.requests[&id].ended().map(|ended| &ended.outcome)
}

#[tokio::test]
async fn case_41_a_request_expires_at_its_limit_and_stays_open_without_one() {
    let mut desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    let (unlimited, mut open) = desk.ask(1, 1).await;
    let limit = limit_from_now(&desk);
    let (hasty, expires) = limited(&desk, session, 2).await;

    desk.clock.advance(LIMIT - 1);
    desk.until_awaited(limit).await;
    desk.catch_up();
    assert_eq!(outcome_of(&desk, hasty), None, "not a moment too early");

    desk.clock.advance(1);
    assert_eq!(heard(expires).await, Outcome::Expired);
    desk.clock.advance(365 * DAY);
    pass_another(&desk, session, 3).await;
    desk.catch_up();
    assert_eq!(outcome_of(&desk, hasty), Some(&Outcome::Expired));
    assert_eq!(outcome_of(&desk, unlimited), None);
    assert!(open.try_recv().is_err());
    let (asked, ended) = (|n| News::Asked(request(n)), |n| News::Ended(request(n)));
    assert_eq!(desk.news(), [asked(1), asked(2), ended(2), asked(3), ended(3)]);
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_132_a_limit_that_passes_while_nothing_can_be_stored_is_noted_once_it_can() {
    let mut desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    let (id, expires) = limited(&desk, session, 1).await;
    let lock = locked(&desk.folder);
    desk.clock.advance(LIMIT);
    desk.until("it is said", |known| known.outage.is_some()).await;
    drop(lock);
    assert_eq!(heard(expires).await, Outcome::Expired);
    desk.until("everything is stored", |known| known.outage.is_none()).await;
    assert_eq!(outcome_of(&desk, id), Some(&Outcome::Expired));
    desk.check_mirror().await;
}

#[rstest]
#[case::forward(DAY)]
#[case::back(-DAY)]
#[tokio::test]
async fn case_134_a_limit_and_waiting_times_hold_when_the_clock_is_set(#[case] by: i64) {
    let mut desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    let (unlimited, _open) = desk.ask(1, 1).await;
    let limit = limit_from_now(&desk);
    let (hasty, expires) = limited(&desk, session, 2).await;
    desk.catch_up();
    let asked_at = [unlimited, hasty].map(|id| desk.mirror.requests[&id].asked_at);
    desk.clock.advance(LIMIT / 2);
    desk.clock.set(by);
    desk.clock.advance(LIMIT / 2 - 1);
    desk.until_awaited(limit.moved(by)).await;
    desk.catch_up();
    assert_eq!(outcome_of(&desk, hasty), None, "not a moment too early");
    let moved = [unlimited, hasty].map(|id| desk.mirror.requests[&id].asked_at);
    assert_eq!(moved, asked_at.map(|at| at.moved(by)), "they have been waiting for as long as before");
    desk.clock.advance(1);
    assert_eq!(heard(expires).await, Outcome::Expired);
    desk.catch_up();
    assert_eq!(outcome_of(&desk, unlimited), None);
    desk.check_mirror().await;
}

#[tokio::test]
async fn limits_pass_in_the_order_of_their_times() {
    let desk = TestDesk::open().await;
    let session = desk.start(1).await.id;
    let (_, mut later) = limited_at(&desk, session, 1, limit_from_now(&desk).moved(5_000)).await;
    let (_, sooner) = limited(&desk, session, 2).await;
    desk.clock.advance(LIMIT);
    assert_eq!(heard(sooner).await, Outcome::Expired);
    assert!(later.try_recv().is_err());
    desk.clock.advance(5_000);
    assert_eq!(heard(later).await, Outcome::Expired);
}
