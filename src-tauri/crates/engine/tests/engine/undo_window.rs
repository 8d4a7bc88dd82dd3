//! Quick answers: held for their undo window, undone, or given once.

use crate::support::desk::{
    TestDesk, answer, ask, choose, end, heard, locked, questions, rejected, request, say, withdraw,
};
use crate::support::desks::{cancel, decline, reply_in_chat};
use askdesk_desk::News;
use askdesk_domain::{
    AnswerInput, Answers, Ask, Command, EndInput, HeldEnd, OrphanedWhy, Outcome, Rejection, RequestId,
    SessionEnd, Timestamp, UndoSeconds, WithdrawnWhy,
};
use rstest::rstest;
use tokio::sync::oneshot;

const UNDO: i64 = 3_000;

/// Asks one single-choice question.
async fn lone(desk: &TestDesk, n: u128) -> (RequestId, oneshot::Receiver<Outcome>) {
    desk.register(Ask { questions: questions()[..1].to_vec(), ..ask(1, n) }).await
}

fn by(option: usize) -> EndInput {
    EndInput::Answered { answers: vec![choose(0, &[option])] }
}

async fn hold(desk: &TestDesk, id: RequestId, option: usize) {
    desk.engine.hold_end(id, by(option), UndoSeconds::default()).await.unwrap();
}

fn answered(option: usize) -> Outcome {
    Outcome::Answered { answers: Answers::check(&questions()[..1], &[choose(0, &[option])]).unwrap() }
}

fn withdrawn(why: WithdrawnWhy) -> Outcome {
    Outcome::Withdrawn { why }
}

/// Lets the whole undo window pass.
async fn let_it_pass(desk: &TestDesk) {
    let_pass(desk, UNDO).await;
}

async fn let_pass(desk: &TestDesk, millis: i64) {
    desk.clock.advance(millis);
    for _ in 0..20 {
        tokio::task::yield_now().await;
        desk.snapshot().await;
    }
}

#[tokio::test]
async fn a_held_answer_is_shown_and_given_exactly_after_its_undo_window() {
    let mut desk = TestDesk::started().await;
    let (id, mut outcome) = lone(&desk, 1).await;
    hold(&desk, id, 1).await;
    let now = desk.engine.clock().now();
    let held = HeldEnd {
        request: id,
        end: by(1),
        since: now,
        until: Timestamp::from_millis(now.millis() + UNDO),
        error: None,
    };
    assert_eq!(desk.snapshot().await.held, [held]);
    desk.check_mirror().await;
    let_pass(&desk, UNDO - 1).await;
    assert!(desk.request(id).await.is_open());
    assert!(outcome.try_recv().is_err());
    desk.clock.advance(1);
    assert_eq!(heard(outcome).await, answered(1));
    desk.check_mirror().await;
    assert_eq!(desk.snapshot().await.held, []);
}

#[tokio::test]
async fn case_52_an_undone_answer_is_never_sent_and_the_question_stays_open() {
    let mut desk = TestDesk::started().await;
    let (id, mut outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.engine.undo_end(id).await.unwrap();
    desk.engine.undo_end(id).await.unwrap();
    let_it_pass(&desk).await;
    assert!(outcome.try_recv().is_err());
    assert!(desk.request(id).await.is_open());
    assert_eq!(desk.snapshot().await.held, []);
    desk.check_mirror().await;
    // The same choice made again has its own undo window.
    hold(&desk, id, 0).await;
    let_pass(&desk, UNDO - 1).await;
    assert!(desk.request(id).await.is_open());
    desk.clock.advance(1);
    assert_eq!(heard(outcome).await, answered(0));
}

#[tokio::test]
async fn there_is_an_event_when_a_held_answer_is_undone_or_replaced() {
    let mut desk = TestDesk::started().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    hold(&desk, id, 0).await;
    hold(&desk, id, 1).await;
    desk.engine.undo_end(id).await.unwrap();
    desk.engine.undo_end(id).await.unwrap();
    hold(&desk, id, 1).await;
    let_it_pass(&desk).await;
    assert_eq!(heard(outcome).await, answered(1));
    let short = |news| match news {
        News::Asked(_) => "asked".to_owned(),
        News::Ended(_) => "ended".to_owned(),
        News::EndNotGiven(held) => {
            let EndInput::Answered { answers } = held.end else { panic!("{held:?}") };
            format!("not {}", answers[0].chosen[0])
        }
        other => panic!("{other:?}"),
    };
    let news: Vec<_> = desk.news().into_iter().map(short).collect();
    assert_eq!(news, ["asked", "not q1o1", "not q1o2", "ended"]);
}

#[tokio::test]
async fn another_choice_replaces_the_first_and_restarts_the_undo_window() {
    let desk = TestDesk::started().await;
    let (id, mut outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.clock.advance(UNDO - 1);
    hold(&desk, id, 2).await;
    let_pass(&desk, UNDO - 1).await;
    assert!(desk.request(id).await.is_open());
    assert!(outcome.try_recv().is_err());
    desk.clock.advance(1);
    assert_eq!(heard(outcome).await, answered(2));
}

#[tokio::test]
async fn the_same_choice_again_does_not_extend_the_undo_window() {
    let desk = TestDesk::started().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.clock.advance(UNDO - 1);
    hold(&desk, id, 0).await;
    desk.clock.advance(1);
    assert_eq!(heard(outcome).await, answered(0));
    // It was given; the same answer again is accepted.
    hold(&desk, id, 0).await;
}

#[rstest]
#[case::skipped(EndInput::Canceled, Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: None } })]
#[case::declined(EndInput::Declined { words: Some("Not now".to_owned()) }, Outcome::Declined { words: Some("Not now".to_owned()) })]
#[tokio::test]
async fn case_104_a_skip_can_be_undone_and_is_carried_out_after_its_undo_window(
    #[case] end: EndInput,
    #[case] expected: Outcome,
) {
    let mut desk = TestDesk::started().await;
    // Several questions at once can be skipped, too.
    let (id, mut outcome) = desk.ask(1, 1).await;
    let hold = || desk.engine.hold_end(id, end.clone(), UndoSeconds::default());
    hold().await.unwrap();
    desk.clock.advance(UNDO - 1);
    desk.engine.undo_end(id).await.unwrap();
    let_it_pass(&desk).await;
    assert!(desk.request(id).await.is_open());
    assert!(outcome.try_recv().is_err());
    hold().await.unwrap();
    desk.clock.advance(UNDO);
    assert_eq!(heard(outcome).await, expected);
    // The same end again is accepted, another is too late.
    hold().await.unwrap();
    let other = desk.engine.hold_end(id, EndInput::Declined { words: None }, UndoSeconds::default()).await;
    let refused = rejected(other.unwrap_err());
    assert!(matches!(refused, Rejection::AlreadyEnded { .. }), "{refused:?}");
    desk.check_mirror().await;
}

#[rstest]
#[case::given_at_once(answer(1, vec![choose(0, &[2])]), answered(2))]
#[case::declined(decline(1, None), Outcome::Declined { words: None })]
#[case::canceled(cancel(1, None), withdrawn(WithdrawnWhy::Canceled { reason: None }))]
#[case::replied_in_chat(reply_in_chat(1, "no"), Outcome::RepliedInChat { text: "no".to_owned() })]
#[case::withdrawn_by_the_agent(withdraw(1, 1, WithdrawnWhy::ByAgent), withdrawn(WithdrawnWhy::ByAgent))]
#[case::agent_gone(end(1, SessionEnd::Finished), Outcome::Orphaned { why: OrphanedWhy::AgentEnded })]
#[tokio::test]
async fn any_other_end_during_the_undo_window_is_the_outcome(
    #[case] command: Command,
    #[case] expected: Outcome,
) {
    let mut desk = TestDesk::started().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.engine.act(command).await.unwrap();
    let ended = desk.request(id).await;
    assert_eq!(desk.snapshot().await.held, []);
    let_it_pass(&desk).await;
    assert_eq!(desk.request(id).await, ended, "the held answer has no effect");
    assert_eq!(heard(outcome).await, expected);
    desk.check_mirror().await;
    // It is too late to undo it.
    let refused = rejected(desk.engine.undo_end(id).await.unwrap_err());
    assert!(matches!(refused, Rejection::AlreadyEnded { .. }), "{refused:?}");
    let other = desk.engine.hold_end(id, by(1), UndoSeconds::default()).await;
    let refused = rejected(other.unwrap_err());
    assert!(matches!(refused, Rejection::AlreadyEnded { .. }), "{refused:?}");
}

#[tokio::test]
async fn when_the_engine_closes_during_the_undo_window_the_question_is_missed() {
    let desk = TestDesk::started().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    let clock = std::sync::Arc::clone(&desk.clock);
    let desk = desk.reopened().await;
    clock.advance(UNDO);
    assert!(outcome.await.is_err(), "there was no outcome");
    let ended = desk.request(id).await;
    let outcome = ended.ended().map(|ended| &ended.outcome);
    assert_eq!(outcome, Some(&Outcome::Orphaned { why: OrphanedWhy::AppQuit }));
    assert_eq!(desk.snapshot().await.held, []);
}

#[tokio::test]
async fn an_answer_that_cannot_be_stored_stays_held_with_its_error_and_can_be_given_again() {
    let mut desk = TestDesk::started().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 1).await;
    let lock = locked(&desk.folder);
    desk.clock.advance(UNDO);
    desk.until("the error", |known| known.held.values().any(|held| held.error.is_some())).await;
    assert!(desk.request(id).await.is_open());
    drop(lock);
    hold(&desk, id, 1).await;
    assert_eq!(desk.snapshot().await.held[0].error, None);
    desk.clock.advance(UNDO);
    assert_eq!(heard(outcome).await, answered(1));
    desk.check_mirror().await;
}

#[tokio::test]
async fn each_request_has_its_own_undo_window() {
    let desk = TestDesk::started().await;
    let (first, one) = lone(&desk, 1).await;
    let (second, mut two) = lone(&desk, 2).await;
    hold(&desk, first, 0).await;
    desk.clock.advance(1_000);
    hold(&desk, second, 1).await;
    assert_eq!(desk.snapshot().await.held.len(), 2);
    desk.clock.advance(UNDO - 1_000);
    assert_eq!(heard(one).await, answered(0));
    assert!(two.try_recv().is_err());
    desk.engine.undo_end(second).await.unwrap();
    let_it_pass(&desk).await;
    assert!(desk.request(second).await.is_open());
}

#[rstest]
#[case::of_several_questions(false, vec![choose(0, &[0])], "answers")]
#[case::own_words(true, vec![say(0, "mine")], "answers")]
#[case::nothing(true, vec![], "answers")]
#[case::an_option_of_another_question(true, vec![choose(1, &[0])], "answers[0].question")]
#[tokio::test]
async fn only_a_single_choice_for_a_lone_question_is_held(
    #[case] is_lone: bool,
    #[case] answers: Vec<AnswerInput>,
    #[case] field: &str,
) {
    let desk = TestDesk::started().await;
    let (id, _outcome) = if is_lone { lone(&desk, 1).await } else { desk.ask(1, 1).await };
    let refused =
        desk.engine.hold_end(id, EndInput::Answered { answers }, UndoSeconds::default()).await.unwrap_err();
    let Rejection::Invalid { field: named, .. } = rejected(refused) else { panic!("another reason") };
    assert_eq!(named, field);
    assert_eq!(desk.snapshot().await.held, []);
    let unknown = desk.engine.undo_end(request(9)).await.unwrap_err();
    assert_eq!(rejected(unknown), Rejection::NotFound { what: "request" });
}
