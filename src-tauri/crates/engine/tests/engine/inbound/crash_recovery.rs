//! Askdesk is killed while a connected app waits: the next call finds its request or its answer.

use super::{asking, call, codex};
use crate::support::desk::{TestDesk, choose, heard};
use crate::support::own_process::{handed_folder, kill_at};
use askdesk_domain::{Delivery, Outcome, Request, RequestId};
use askdesk_engine::inbound_calls::Leave;
use askdesk_engine::{InboundAsk, InboundCall, InboundCalls};
use rstest::rstest;

/// Opens a connection of the client and asks.
async fn asks(desk: &TestDesk, name: &str, again: Option<RequestId>) -> (InboundCalls, InboundCall) {
    let calls = InboundCalls::new(desk.engine.clone());
    let session = calls.open(codex()).await.unwrap();
    let asked = calls.ask(session, InboundAsk { again, ..asking(name) }).await.unwrap();
    (calls, asked)
}

/// A client asks, gives up, asks again, and gets an answer. The test below kills it on the way, in its own process.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_asks_gives_up_asks_again_and_is_answered() {
    let own = tempfile::tempdir().unwrap();
    let folder = handed_folder().unwrap_or_else(|| own.path().to_owned());
    let desk = TestDesk::open_at(&folder).await;
    let (calls, first) = asks(&desk, "a", None).await;
    let session = desk.request(first.request).await.session;
    calls.leave(session, call("a"), Leave::Gone).await.unwrap();
    let (calls, again) = asks(&desk, "b", None).await;
    assert_eq!(again.request, first.request);
    desk.engine.answer(again.request, vec![choose(0, &[1])]).await.unwrap();
    heard(again.end).await;
    calls.note_delivered(again.request, call("b"), Ok(())).await.unwrap();
}

/// What the restart finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    Missed,
    /// The answer is parked for the client.
    Kept,
    Delivered,
}

fn what_is_left(request: Option<&Request>) -> Left {
    let Some(request) = request else { return Left::Nothing };
    let ended = request.ended().expect("the client is gone");
    match (&ended.outcome, &ended.delivery) {
        (Outcome::Orphaned { .. }, None) => Left::Missed,
        (Outcome::Answered { .. }, Some(Delivery::Parked)) => Left::Kept,
        (Outcome::Answered { .. }, Some(Delivery::Delivered { .. })) => Left::Delivered,
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::before_it_is_asked("Deciding Inbound Ask", Left::Nothing)]
#[case::asked("Committed Inbound Ask", Left::Missed)]
#[case::asked_and_shown("Published Inbound Ask", Left::Missed)]
#[case::left("Committed Inbound LeaveCall", Left::Missed)]
#[case::before_the_answer("Deciding Request Answer", Left::Missed)]
#[case::answered("Committed Request Answer", Left::Kept)]
#[case::answered_and_shown("Published Request Answer", Left::Kept)]
#[case::before_the_delivery_is_noted("Deciding Inbound NoteDelivered", Left::Kept)]
#[case::delivered("Committed Inbound NoteDelivered", Left::Delivered)]
#[tokio::test]
async fn case_54_after_a_kill_at_any_step_the_next_call_finds_its_request_or_its_answer(
    #[case] step: &str,
    #[case] expected: Left,
) {
    let folder = tempfile::tempdir().unwrap();
    kill_at(step, module_path!(), "a_client_asks_gives_up_asks_again_and_is_answered", folder.path());

    let mut desk = TestDesk::open_at(folder.path()).await;
    let now = desk.snapshot().await;
    let left = now.requests.first();
    assert_eq!(what_is_left(left), expected);
    // The call that knows its request names it, however long the restart took.
    desk.clock.advance(3_600_000);
    let (calls, again) = asks(&desk, "c", left.map(|request| request.id)).await;
    if let Some(left) = left {
        assert_eq!(again.request, left.id, "it is the same question");
    }
    if matches!(expected, Left::Nothing | Left::Missed) {
        desk.engine.answer(again.request, vec![choose(0, &[1])]).await.unwrap();
    }
    assert!(matches!(heard(again.end).await, Outcome::Answered { .. }));
    calls.note_delivered(again.request, call("c"), Ok(())).await.unwrap();
    desk.catch_up();
    assert_eq!(desk.snapshot().await.requests.len(), 1, "and the only one");
    assert_eq!(what_is_left(Some(&desk.request(again.request).await)), Left::Delivered);
    desk.check_mirror().await;
}
