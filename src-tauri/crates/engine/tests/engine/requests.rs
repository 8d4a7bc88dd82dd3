//! Open requests: registered, answered, withdrawn, and read again after a restart.

use crate::support::desk::{
    TestDesk, ask, choose, heard, questions, rejected, request, say, session, withdraw,
};
use crate::support::desks::{delivered, note, withdraw_all};
use askdesk_domain::{
    AnswerInput, Ask, Delivery, EndedBy, Outcome, Rejection, Request, RequestCommand, Timestamp, WithdrawnWhy,
};
use askdesk_engine::EngineError;
use tokio::sync::oneshot;

/// Answers in a short form: `q1: q1o2 + "words"`.
fn answered(outcome: &Outcome) -> Vec<String> {
    let Outcome::Answered { answers } = outcome else { panic!("{outcome:?}") };
    let one = |answer: &askdesk_domain::Answer| {
        let chosen = answer.chosen.iter().map(ToString::to_string);
        let other = answer.other.iter().map(|words| format!("{words:?}"));
        format!("{}: {}", answer.question, chosen.chain(other).collect::<Vec<_>>().join(" + "))
    };
    answers.iter().map(one).collect()
}

fn delivery(request: &Request) -> Option<&Delivery> {
    request.ended().and_then(|ended| ended.delivery.as_ref())
}

#[tokio::test]
async fn case_20_the_waiter_gets_the_answers_and_the_request_has_ended() {
    let mut desk = TestDesk::started().await;
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
    desk.engine.act(note(1, delivered())).await.unwrap();
    assert!(matches!(delivery(&desk.request(id).await), Some(Delivery::Delivered { .. })));
}

#[tokio::test]
async fn case_23_the_same_call_registered_again_is_one_request_and_both_waiters_get_the_outcome() {
    let mut desk = TestDesk::started().await;
    let (id, first) = desk.ask(1, 1).await;
    let (waiter, second) = oneshot::channel();
    let again = Ask { id: request(99), ..ask(1, 1) };
    assert_eq!(desk.engine.register(RequestCommand::Ask(again), waiter).await.unwrap(), id);
    assert_eq!(desk.snapshot().await.requests.len(), 1);

    let (waiter, mut never) = oneshot::channel();
    let other = Ask { id: request(98), questions: questions()[..1].to_vec(), ..ask(1, 1) };
    let refused = rejected(desk.engine.register(RequestCommand::Ask(other), waiter).await.unwrap_err());
    let rule = "this ID was used for another question in this session";
    assert_eq!(refused, Rejection::invalid("native_ref", rule));
    assert!(never.try_recv().is_err());

    desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    assert_eq!(heard(first).await, heard(second).await);
    desk.check_notified_and_withdrawn(id);
    desk.check_mirror().await;
}

#[tokio::test]
async fn case_24_the_same_answer_again_has_the_same_result_and_publishes_nothing() {
    let mut desk = TestDesk::started().await;
    let (id, outcome) = desk.ask(1, 1).await;
    let first = desk.engine.answer(id, vec![choose(0, &[1])]).await.unwrap();
    heard(outcome).await;
    desk.catch_up();
    let seq = desk.mirror.seq;
    assert_eq!(desk.engine.answer(id, vec![choose(0, &[1])]).await.unwrap(), first);
    let other = rejected(desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err());
    let ended = first.ended().unwrap();
    assert_eq!(other, Rejection::AlreadyEnded { by: EndedBy::User, at: ended.at });
    let unknown = rejected(desk.engine.answer(request(77), vec![choose(0, &[0])]).await.unwrap_err());
    assert_eq!(unknown, Rejection::NotFound { what: "request" });
    assert_eq!(desk.snapshot().await.seq, seq);
}

#[tokio::test]
async fn case_26_a_question_of_a_caller_that_has_given_up_is_not_shown() {
    let mut desk = TestDesk::started().await;
    let before = desk.snapshot().await;
    let (waiter, _) = oneshot::channel();
    let refused = desk.engine.register(RequestCommand::Ask(ask(1, 1)), waiter).await;
    assert!(matches!(refused, Err(EngineError::Closing)), "nobody is told: {refused:?}");
    assert_eq!(desk.snapshot().await, before);
    assert_eq!(desk.news(), []);
}

#[tokio::test]
async fn a_request_that_is_no_longer_in_memory_is_known_to_have_ended() {
    let desk = TestDesk::started().await;
    let (id, _outcome) = desk.ask(1, 0).await;
    desk.engine.act(withdraw(1, 0, WithdrawnWhy::ByAgent)).await.unwrap();
    for n in 1..=askdesk_domain::desk::SETTLED_REQUESTS as u128 {
        let _asked = desk.ask(1, n).await;
    }
    desk.engine.act(withdraw_all(1, WithdrawnWhy::TurnEnded)).await.unwrap();
    assert!(desk.snapshot().await.requests.iter().all(|request| request.id != id));
    let refused = rejected(desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap_err());
    assert_eq!(refused, Rejection::AlreadyEnded { by: EndedBy::Agent, at: Timestamp::from_millis(100) });
}
