//! The desk is killed while a client that it did not start waits: the call that is made again finds its question or its
//! answer, and what it was told is not told it again.

use crate::support::desk::{TestDesk, choose, heard, questions};
use crate::support::own_process::{handed_folder, kill_at};
use askdesk_domain::{Channel, Delivery, NativeRef, Outcome, Request, RequestId};
use askdesk_engine::inbound::{InboundClient, Leave};
use askdesk_engine::{InboundAsk, InboundCall, InboundCalls};
use rstest::rstest;

fn call(name: &str) -> NativeRef {
    NativeRef::new(name).unwrap()
}

/// One connection of the client asks by a call.
async fn asks(desk: &TestDesk, name: &str, again: Option<RequestId>) -> (InboundCalls, InboundCall) {
    let visits = InboundCalls::new(desk.engine.clone());
    let visitor = InboundClient {
        channel: Channel::Mcp,
        name: "codex".to_owned(),
        version: None,
        folder: Some("/projects/shop".to_owned()),
    };
    let session = visits.open(visitor).await.unwrap();
    let ask =
        InboundAsk { native_ref: call(name), asked_by: None, questions: questions(), limit: None, again };
    let visited = visits.ask(session, ask).await.unwrap();
    (visits, visited)
}

/// A client asks, gives up, asks again, and is answered. The test below ends it somewhere on the way, in a process and a
/// folder of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_asks_gives_up_asks_again_and_is_answered() {
    let own = tempfile::tempdir().unwrap();
    let folder = handed_folder().unwrap_or_else(|| own.path().to_owned());
    let desk = TestDesk::open_at(&folder).await;
    let (visits, first) = asks(&desk, "a", None).await;
    let session = desk.request(first.request).await.session;
    visits.leave(session, call("a"), Leave::Gone).await.unwrap();
    let (visits, again) = asks(&desk, "b", None).await;
    assert_eq!(again.request, first.request);
    desk.engine.answer(again.request, vec![choose(0, &[1])]).await.unwrap();
    heard(again.end).await;
    visits.told(again.request, call("b"), Ok(())).await.unwrap();
}

/// What is there after the restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    Missed,
    /// The answer, kept for the client.
    Kept,
    /// The answer, and that the client has it.
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
#[case::before_it_is_noted_as_told("Deciding Inbound NoteDelivered", Left::Kept)]
#[case::told("Committed Inbound NoteDelivered", Left::Delivered)]
#[tokio::test]
async fn case_54_killed_at_any_step_the_call_that_is_made_again_has_its_question_or_its_answer(
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
    let (visits, again) = asks(&desk, "c", left.map(|request| request.id)).await;
    if let Some(left) = left {
        assert_eq!(again.request, left.id, "it is the same question");
    }
    if matches!(expected, Left::Nothing | Left::Missed) {
        desk.engine.answer(again.request, vec![choose(0, &[1])]).await.unwrap();
    }
    assert!(matches!(heard(again.end).await, Outcome::Answered { .. }));
    visits.told(again.request, call("c"), Ok(())).await.unwrap();
    desk.catch_up();
    assert_eq!(desk.snapshot().await.requests.len(), 1, "and the only one");
    assert_eq!(what_is_left(Some(&desk.request(again.request).await)), Left::Delivered);
    desk.check_mirror().await;
}
