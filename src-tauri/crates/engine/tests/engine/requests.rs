//! Requests that wait: registered, answered, taken back, and found again by the next run.

use crate::support::desk::{TestDesk, ask, choose, heard, questions, rejected, request, say, session};
use askdesk_domain::{
    AnswerInput, Ask, Command, Delivery, DeliveryError, EndedBy, NativeRef, OrphanedWhy, Outcome, Rejection,
    Request, RequestCommand, RequestId, SessionCommand, SessionEnd, SessionState, Timestamp, WithdrawnWhy,
};
use askdesk_engine::{NotificationEvent, frame};
use tokio::sync::oneshot;

/// What was answered, as short as `q1: q1o2 + "words"`.
fn answered(outcome: &Outcome) -> Vec<String> {
    let Outcome::Answered { answers } = outcome else { panic!("{outcome:?}") };
    let one = |answer: &askdesk_domain::Answer| {
        let chosen = answer.chosen.iter().map(ToString::to_string);
        let other = answer.other.iter().map(|words| format!("{words:?}"));
        format!("{}: {}", answer.question, chosen.chain(other).collect::<Vec<_>>().join(" + "))
    };
    answers.iter().map(one).collect()
}

fn withdraw(of: u128, n: u128) -> Command {
    let native_ref = NativeRef::new(format!("call-{n}")).unwrap();
    Command::Request(RequestCommand::Withdraw {
        session: session(of),
        native_ref,
        why: WithdrawnWhy::ByAgent,
        at: Timestamp::from_millis(50),
    })
}

fn delivered(id: RequestId) -> Command {
    Command::Request(RequestCommand::NoteDelivery {
        request: id,
        call: None,
        delivery: Delivery::Delivered { at: Timestamp::from_millis(60), late: false },
    })
}

fn delivery(request: &Request) -> Option<&Delivery> {
    request.ended().and_then(|ended| ended.delivery.as_ref())
}

#[tokio::test]
async fn case_20_the_waiter_gets_exactly_those_answers_and_the_request_is_open_no_more() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    desk.until("the question is shown", |known| known.open(session(1)).len() == 1).await;
    let ticked = AnswerInput { other: Some("and offline".to_owned()), ..choose(1, &[3, 0]) };
    let returned = desk.engine.answer(id, vec![say(2, "Anna"), ticked, choose(0, &[2])]).await.unwrap();
    let outcome = heard(outcome).await;
    assert_eq!(answered(&outcome), ["q1: q1o3", "q2: q2o1 + q2o4 + \"and offline\"", "q3: \"Anna\""]);
    assert_eq!(returned.ended().map(|ended| &ended.outcome), Some(&outcome));
    assert_eq!(delivery(&returned), Some(&Delivery::Pending));
    desk.check_mirror().await;
    assert!(desk.mirror.open(session(1)).is_empty());
    desk.engine.act(delivered(id)).await.unwrap();
    assert!(matches!(delivery(&desk.request(id).await), Some(Delivery::Delivered { .. })));
}

#[tokio::test]
async fn case_21_the_waiter_of_a_cancelled_request_hears_the_reason() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (first, by_person) = desk.ask(1, 1).await;
    let (_, by_agent) = desk.ask(1, 2).await;
    let (third, declined) = desk.ask(1, 3).await;
    desk.engine.cancel(first, Some("not now".to_owned())).await.unwrap();
    desk.engine.act(withdraw(1, 2)).await.unwrap();
    desk.engine.decline(third, Some("too early".to_owned())).await.unwrap();
    let why = WithdrawnWhy::Cancelled { reason: Some("not now".to_owned()) };
    assert_eq!(heard(by_person).await, Outcome::Withdrawn { why });
    assert_eq!(heard(by_agent).await, Outcome::Withdrawn { why: WithdrawnWhy::ByAgent });
    assert_eq!(heard(declined).await, Outcome::Declined { words: Some("too early".to_owned()) });
}

#[tokio::test]
async fn case_22_two_of_one_session_are_answered_in_either_order_and_each_waiter_gets_its_own() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    for (first, second) in [(1, 2), (4, 3)] {
        let (_, one) = desk.ask(1, first.min(second)).await;
        let (_, two) = desk.ask(1, first.max(second)).await;
        let (mut of_first, mut of_second) = if first < second { (one, two) } else { (two, one) };
        desk.engine.answer(request(second), vec![choose(0, &[1])]).await.unwrap();
        assert_eq!(answered(&of_second.try_recv().unwrap()), ["q1: q1o2"]);
        assert!(of_first.try_recv().is_err());
        let running = &desk.snapshot().await.sessions[0];
        assert!(running.is_running());
        desk.engine.answer(request(first), vec![choose(0, &[0])]).await.unwrap();
        assert_eq!(answered(&of_first.try_recv().unwrap()), ["q1: q1o1"]);
    }
}

#[tokio::test]
async fn case_23_the_same_call_registered_again_is_one_card_one_notification_and_both_waiters_hear() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, first) = desk.ask(1, 1).await;
    let (waiter, second) = oneshot::channel();
    let again = Ask { id: request(99), ..ask(1, 1) };
    assert_eq!(desk.engine.register(again, waiter).await.unwrap(), id);
    assert_eq!(desk.snapshot().await.requests.len(), 1);

    let (waiter, mut never) = oneshot::channel();
    let other = Ask { id: request(98), questions: questions()[..1].to_vec(), ..ask(1, 1) };
    let refused = rejected(desk.engine.register(other, waiter).await.unwrap_err());
    let rule = "this id was used for another question in this session";
    assert_eq!(refused, Rejection::invalid("native_ref", rule));
    assert!(never.try_recv().is_err());

    desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    assert_eq!(heard(first).await, heard(second).await);
    let told: Vec<NotificationEvent> = std::iter::from_fn(|| desk.notifications.try_recv().ok()).collect();
    assert!(
        matches!(&told[..], [NotificationEvent::Asked { .. }, NotificationEvent::Ended { request }] if *request == id)
    );
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_23_a_call_registered_again_after_its_end_is_known_and_its_end_is_not_handed_over_again() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    heard(outcome).await;
    let before = desk.snapshot().await;
    let (again, let_go) = desk.ask(1, 1).await;
    assert_eq!(again, id);
    assert!(
        tokio::time::timeout(crate::support::desk::PATIENCE, let_go)
            .await
            .expect("the waiter is let go")
            .is_err()
    );
    assert_eq!(desk.snapshot().await, before);
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_24_the_same_answer_again_is_the_same_result_and_nothing_is_sent_or_published_twice() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    let first = desk.engine.answer(id, vec![choose(0, &[1])]).await.unwrap();
    heard(outcome).await;
    desk.catch_up();
    let seq = desk.mirror.seq;
    assert_eq!(desk.engine.answer(id, vec![choose(0, &[1])]).await.unwrap(), first);
    let other = rejected(desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err());
    let ended = first.ended().unwrap();
    assert_eq!(other, Rejection::AlreadyEnded { by: EndedBy::Person, at: ended.at });
    let unknown = rejected(desk.engine.answer(request(77), vec![choose(0, &[0])]).await.unwrap_err());
    assert_eq!(unknown, Rejection::NotFound { what: "request" });
    assert_eq!(desk.snapshot().await.seq, seq);
}

#[tokio::test]
async fn case_33_two_answers_at_one_moment_end_the_request_once() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    let twice =
        futures_util::future::join_all((0..20).map(|_| desk.engine.answer(id, vec![choose(0, &[1])])));
    let results: Vec<Request> = twice.await.into_iter().map(Result::unwrap).collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(answered(&heard(outcome).await), ["q1: q1o2"]);
    let ended = std::iter::from_fn(|| desk.notifications.try_recv().ok());
    assert_eq!(ended.filter(|told| matches!(told, NotificationEvent::Ended { .. })).count(), 1);
}

#[tokio::test]
async fn case_24_of_two_different_answers_at_one_moment_the_first_counts_and_the_other_hears_so() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    let answers = (0..10).map(|n| desk.engine.answer(id, vec![choose(0, &[n % 2])]));
    let results = futures_util::future::join_all(answers).await;
    let (taken, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((taken.len(), refused.len()), (5, 5));
    for result in refused {
        assert!(matches!(rejected(result.unwrap_err()), Rejection::AlreadyEnded { by: EndedBy::Person, .. }));
    }
    assert_eq!(taken[0].as_ref().unwrap().ended().unwrap().outcome, heard(outcome).await);
}

#[tokio::test]
async fn case_25_an_empty_list_of_questions_is_refused_and_leaves_no_card() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let before = desk.snapshot().await;
    let (waiter, _outcome) = oneshot::channel();
    let empty = Ask { questions: Vec::new(), ..ask(1, 1) };
    let refused = rejected(desk.engine.register(empty, waiter).await.unwrap_err());
    assert_eq!(refused, Rejection::invalid("questions", "at least 1 question, got 0"));
    assert_eq!(desk.snapshot().await, before);
}

#[tokio::test]
async fn case_26_an_asker_that_gave_up_before_its_question_was_registered_leaves_no_card() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let before = desk.snapshot().await;
    let (waiter, outcome) = oneshot::channel();
    drop(outcome);
    assert_eq!(rejected(desk.engine.register(ask(1, 1), waiter).await.unwrap_err()), Rejection::SessionGone);
    assert_eq!(desk.snapshot().await, before);
    assert!(desk.notifications.try_recv().is_err());
}

#[tokio::test]
async fn case_26_an_interrupt_while_it_waits_closes_the_card_and_takes_the_notification_back() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    let why = WithdrawnWhy::Interrupted;
    let at = Timestamp::from_millis(50);
    desk.engine
        .act(Command::Request(RequestCommand::WithdrawAll { session: session(1), why: why.clone(), at }))
        .await
        .unwrap();
    assert_eq!(heard(outcome).await, Outcome::Withdrawn { why });
    let told: Vec<NotificationEvent> = std::iter::from_fn(|| desk.notifications.try_recv().ok()).collect();
    assert!(
        matches!(&told[..], [NotificationEvent::Asked { .. }, NotificationEvent::Ended { request }] if *request == id)
    );
    desk.check_mirror().await;
    assert!(desk.mirror.open(session(1)).is_empty());
}

#[tokio::test]
async fn case_29_an_answer_to_a_question_the_agent_took_back_is_refused_with_who_and_when() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, _outcome) = desk.ask(1, 1).await;
    desk.engine.act(withdraw(1, 1)).await.unwrap();
    let refused = rejected(desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err());
    assert_eq!(refused, Rejection::AlreadyEnded { by: EndedBy::Agent, at: Timestamp::from_millis(50) });
}

#[tokio::test]
async fn case_30_an_open_question_of_one_session_never_delays_another_and_they_never_mix() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    desk.start(2).await;
    let (_, mut of_a) = desk.ask(1, 1).await;
    // Both sessions may use one native id.
    let same_ref = Ask { id: request(2), session: session(2), ..ask(1, 1) };
    let (waiter, of_b) = oneshot::channel();
    let b = desk.engine.register(same_ref, waiter).await.unwrap();
    assert_eq!(b, request(2));
    desk.engine.answer(b, vec![choose(0, &[2])]).await.unwrap();
    assert_eq!(answered(&heard(of_b).await), ["q1: q1o3"]);
    let end = Command::Session(SessionCommand::End {
        session: session(2),
        end: SessionEnd::Stopped,
        at: Timestamp::from_millis(9),
    });
    desk.engine.act(end).await.unwrap();
    assert!(of_a.try_recv().is_err());
    desk.check_mirror().await;
    assert_eq!(desk.mirror.open(session(1)).len(), 1);
    desk.engine.answer(request(1), vec![choose(0, &[0])]).await.unwrap();
    assert_eq!(answered(&heard(of_a).await), ["q1: q1o1"]);
}

#[tokio::test]
async fn case_32_an_end_that_was_not_delivered_keeps_the_answers_and_without_its_agent_a_retry_says_so() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    let answers = vec![choose(0, &[1])];
    desk.engine.answer(id, answers.clone()).await.unwrap();
    let sent = heard(outcome).await;
    let failed = Delivery::Failed { error: "the pipe is full".into() };
    let noted =
        Command::Request(RequestCommand::NoteDelivery { request: id, call: None, delivery: failed.clone() });
    desk.engine.act(noted).await.unwrap();
    let known = desk.request(id).await;
    assert_eq!((known.ended().map(|it| &it.outcome), delivery(&known)), (Some(&sent), Some(&failed)));
    // Nobody opened a door to an agent of this session.
    desk.engine.retry(id).await.unwrap();
    let error = DeliveryError::NotRunning;
    assert_eq!(delivery(&desk.request(id).await), Some(&Delivery::Failed { error }));
    assert_eq!(desk.engine.answer(id, answers).await.unwrap(), desk.request(id).await);
}

#[tokio::test]
async fn an_end_in_the_next_run_is_the_session_that_quit_with_the_app_and_answers_on_their_way_are_parked() {
    let folder = tempfile::tempdir().unwrap();
    let before = TestDesk::open_at(folder.path()).await;
    before.start(1).await;
    before.start(2).await;
    let (open, orphaned) = before.ask(1, 1).await;
    let (on_its_way, _heard) = before.ask(1, 2).await;
    let (there, _heard) = before.ask(1, 3).await;
    let (other, _heard) = before.ask(2, 4).await;
    before.engine.answer(on_its_way, vec![choose(0, &[1])]).await.unwrap();
    before.engine.answer(there, vec![choose(0, &[1])]).await.unwrap();
    before.engine.act(delivered(there)).await.unwrap();
    before.engine.decline(other, None).await.unwrap();
    let end = Command::Session(SessionCommand::End {
        session: session(2),
        end: SessionEnd::Finished,
        at: Timestamp::from_millis(70),
    });
    before.engine.act(end).await.unwrap();
    let left = before.snapshot().await;
    // Dropped and not closed: the writer ends without having been told to.
    let TestDesk { engine, mut mirror, .. } = before;
    drop(engine);
    assert!(tokio::time::timeout(crate::support::desk::PATIENCE, orphaned).await.unwrap().is_err());

    let after = open_when_free(folder.path()).await;
    let now = after.snapshot().await;
    assert_ne!(now.epoch, left.epoch);
    assert_eq!(now.sessions[1], left.sessions[1]);
    let SessionState::Ended { end: SessionEnd::AppQuit, .. } = now.sessions[0].state else {
        panic!("{now:?}")
    };
    let by_id = |id| now.requests.iter().find(|request| request.id == id).unwrap();
    let why = OrphanedWhy::AppQuit;
    assert_eq!(by_id(open).ended().unwrap().outcome, Outcome::Orphaned { why });
    assert_eq!(delivery(by_id(on_its_way)), Some(&Delivery::Parked));
    // Nothing else is different.
    for request in &left.requests {
        if ![open, on_its_way].contains(&request.id) {
            assert_eq!(by_id(request.id), request);
        }
        assert_eq!(by_id(request.id).questions, request.questions);
    }
    mirror.take(&frame::Frame::Snapshot(std::sync::Arc::new(frame::Snapshot { seq: u64::MAX, ..now })));
    assert!(mirror.open(session(1)).is_empty());
}

/// Opens the folder once the writer of the run before has let go of it.
async fn open_when_free(folder: &std::path::Path) -> TestDesk {
    let deadline = tokio::time::Instant::now() + crate::support::desk::PATIENCE;
    while std::fs::File::open(folder.join("desk.lock")).unwrap().try_lock().is_err() {
        assert!(tokio::time::Instant::now() < deadline, "the writer does not end");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    TestDesk::open_at(folder).await
}

#[tokio::test]
async fn a_closed_engine_says_so_to_everybody() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, outcome) = desk.ask(1, 1).await;
    desk.engine.close().await.unwrap();
    assert_eq!(
        desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err().to_string(),
        "the app is closing"
    );
    assert!(outcome.await.is_err());
    desk.catch_up();
    assert_eq!(desk.mirror.open(session(1)).len(), 1);
}

#[tokio::test]
async fn an_ended_request_that_has_left_memory_is_still_known_to_have_ended() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    let (id, _outcome) = desk.ask(1, 0).await;
    desk.engine.act(withdraw(1, 0)).await.unwrap();
    for n in 1..=askdesk_domain::desk::SETTLED_REQUESTS as u128 {
        let _asked = desk.ask(1, n).await;
    }
    let at = Timestamp::from_millis(70);
    let why = WithdrawnWhy::TurnEnded;
    desk.engine
        .act(Command::Request(RequestCommand::WithdrawAll { session: session(1), why, at }))
        .await
        .unwrap();
    assert!(desk.snapshot().await.requests.iter().all(|request| request.id != id));
    let refused = rejected(desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err());
    assert_eq!(refused, Rejection::AlreadyEnded { by: EndedBy::Agent, at: Timestamp::from_millis(50) });
}
