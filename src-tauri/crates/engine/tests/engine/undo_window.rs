//! Answers that one key gave: held for a moment, taken back, or sent when their time has come, and never twice.

use crate::support::desk::{TestDesk, ask, choose, heard, questions, rejected, request, say, session};
use askdesk_domain::{
    AnswerInput, Ask, Command, NativeRef, OrphanedWhy, Outcome, Rejection, RequestCommand, RequestId,
    SessionCommand, SessionEnd, Timestamp, UndoSeconds, UndoableAnswer, WithdrawnWhy,
};
use askdesk_engine::NotificationEvent;
use rstest::rstest;
use tokio::sync::oneshot;

const UNDO: i64 = 3_000;

/// Asks a lone question with one choice.
async fn lone(desk: &TestDesk, n: u128) -> (RequestId, oneshot::Receiver<Outcome>) {
    let (waiter, outcome) = oneshot::channel();
    let ask = Ask { questions: questions()[..1].to_vec(), ..ask(1, n) };
    (desk.engine.register(ask, waiter).await.unwrap(), outcome)
}

async fn opened() -> TestDesk {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    desk
}

async fn hold(desk: &TestDesk, id: RequestId, option: usize) {
    desk.engine.hold_answer(id, vec![choose(0, &[option])], UndoSeconds::default()).await.unwrap();
}

fn chose(outcome: &Outcome, option: usize) {
    let Outcome::Answered { answers } = outcome else { panic!("{outcome:?}") };
    let chosen: Vec<_> = answers.iter().map(|answer| answer.chosen.clone()).collect();
    assert_eq!(chosen, [choose(0, &[option]).chosen]);
}

/// Lets the whole moment pass, and whatever it brings come.
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
async fn what_is_held_is_shown_and_goes_when_its_time_has_come_and_not_before() {
    let mut desk = opened().await;
    let (id, mut outcome) = lone(&desk, 1).await;
    hold(&desk, id, 1).await;
    let now = desk.engine.clock().now();
    let held = UndoableAnswer {
        request: id,
        answers: vec![choose(0, &[1])],
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
    chose(&heard(outcome).await, 1);
    desk.check_mirror().await;
    assert_eq!(desk.snapshot().await.held, []);
}

#[tokio::test]
async fn case_52_what_is_taken_back_in_time_was_never_sent_and_the_question_is_open() {
    let mut desk = opened().await;
    let (id, mut outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.engine.undo_answer(id).await.unwrap();
    desk.engine.undo_answer(id).await.unwrap();
    let_it_pass(&desk).await;
    assert!(outcome.try_recv().is_err());
    assert!(desk.request(id).await.is_open());
    assert_eq!(desk.snapshot().await.held, []);
    desk.check_mirror().await;
    // The same choice made again is a new one, with a moment of its own.
    hold(&desk, id, 0).await;
    let_pass(&desk, UNDO - 1).await;
    assert!(desk.request(id).await.is_open());
    desk.clock.advance(1);
    chose(&heard(outcome).await, 0);
}

#[tokio::test]
async fn whoever_tells_of_an_answer_hears_that_it_was_taken_back_or_replaced() {
    let mut desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    hold(&desk, id, 0).await;
    hold(&desk, id, 1).await;
    desk.engine.undo_answer(id).await.unwrap();
    desk.engine.undo_answer(id).await.unwrap();
    hold(&desk, id, 1).await;
    let_it_pass(&desk).await;
    chose(&heard(outcome).await, 1);
    let mut told = Vec::new();
    while let Ok(attention) = desk.notifications.try_recv() {
        told.push(match attention {
            NotificationEvent::Asked { .. } => "asked".to_owned(),
            NotificationEvent::Ended { .. } => "ended".to_owned(),
            NotificationEvent::AnswerNotGiven { held } => format!("not {}", held.answers[0].chosen[0]),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(told, ["asked", "not q1o1", "not q1o2", "ended"]);
}

#[tokio::test]
async fn another_choice_takes_the_place_of_the_first_and_begins_the_moment_anew() {
    let desk = opened().await;
    let (id, mut outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.clock.advance(UNDO - 1);
    hold(&desk, id, 2).await;
    let_pass(&desk, UNDO - 1).await;
    assert!(desk.request(id).await.is_open());
    assert!(outcome.try_recv().is_err());
    desk.clock.advance(1);
    chose(&heard(outcome).await, 2);
}

#[tokio::test]
async fn the_same_choice_again_does_not_make_the_moment_longer() {
    let desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.clock.advance(UNDO - 1);
    hold(&desk, id, 0).await;
    desk.clock.advance(1);
    chose(&heard(outcome).await, 0);
    // It has come to its end by itself; said once more it is no other answer.
    hold(&desk, id, 0).await;
}

/// Another end while an answer is held.
#[rstest]
#[case::given_at_once("answer")]
#[case::declined("decline")]
#[case::cancelled("cancel")]
#[case::replied_in_chat("chat")]
#[case::withdrawn_by_the_agent("withdraw")]
#[case::agent_gone("agent")]
#[tokio::test]
async fn any_other_end_in_the_moment_is_the_one_end(#[case] how: &str) {
    let mut desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    let at = Timestamp::from_millis(50);
    match how {
        "answer" => drop(desk.engine.answer(id, vec![choose(0, &[2])]).await.unwrap()),
        "decline" => drop(desk.engine.decline(id, None).await.unwrap()),
        "cancel" => drop(desk.engine.cancel(id, None).await.unwrap()),
        "chat" => {
            let reply = Command::Request(RequestCommand::ReplyInChat {
                session: session(1),
                text: "no".to_owned(),
                at,
            });
            desk.engine.act(reply).await.unwrap();
        }
        "withdraw" => {
            let native_ref = NativeRef::new("call-1").unwrap();
            let why = WithdrawnWhy::ByAgent;
            desk.engine
                .act(Command::Request(RequestCommand::Withdraw { session: session(1), native_ref, why, at }))
                .await
                .unwrap();
        }
        _ => {
            let end = SessionEnd::Finished;
            desk.engine
                .act(Command::Session(SessionCommand::End { session: session(1), end, at }))
                .await
                .unwrap();
        }
    }
    let ended = desk.request(id).await;
    assert_eq!(desk.snapshot().await.held, []);
    let_it_pass(&desk).await;
    assert_eq!(desk.request(id).await, ended, "nothing more comes of what was held");
    let outcome = heard(outcome).await;
    match how {
        "answer" => chose(&outcome, 2),
        "decline" => assert_eq!(outcome, Outcome::Declined { words: None }),
        "cancel" => assert!(matches!(outcome, Outcome::Withdrawn { why: WithdrawnWhy::Cancelled { .. } })),
        "chat" => assert_eq!(outcome, Outcome::RepliedInChat { text: "no".to_owned() }),
        "withdraw" => assert_eq!(outcome, Outcome::Withdrawn { why: WithdrawnWhy::ByAgent }),
        _ => assert_eq!(outcome, Outcome::Orphaned { why: OrphanedWhy::AgentEnded }),
    }
    desk.check_mirror().await;
    // Too late to be taken back: who ended it is said.
    let refused = rejected(desk.engine.undo_answer(id).await.unwrap_err());
    assert!(matches!(refused, Rejection::AlreadyEnded { .. }), "{refused:?}");
    let other = desk.engine.hold_answer(id, vec![choose(0, &[1])], UndoSeconds::default()).await;
    let refused = rejected(other.unwrap_err());
    assert!(matches!(refused, Rejection::AlreadyEnded { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_run_that_ends_in_the_moment_sends_nothing_and_the_question_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.engine.close().await.unwrap();
    desk.clock.advance(UNDO);
    assert!(outcome.await.is_err(), "nobody was told of an end");
    drop(desk);
    let desk = TestDesk::open_at(folder.path()).await;
    let ended = desk.request(id).await;
    let outcome = ended.ended().map(|ended| &ended.outcome);
    assert_eq!(outcome, Some(&Outcome::Orphaned { why: OrphanedWhy::AppQuit }));
    assert_eq!(desk.snapshot().await.held, []);
}

#[tokio::test]
async fn an_answer_that_cannot_be_written_down_stays_with_the_reason_and_can_be_given_again() {
    let mut desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 1).await;
    let other = rusqlite::Connection::open(desk.folder.join("desk.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    desk.clock.advance(UNDO);
    desk.until("it says why", |known| known.held.values().any(|held| held.error.is_some())).await;
    assert!(desk.request(id).await.is_open());
    other.execute_batch("ROLLBACK").unwrap();
    hold(&desk, id, 1).await;
    assert_eq!(desk.snapshot().await.held[0].error, None);
    desk.clock.advance(UNDO);
    chose(&heard(outcome).await, 1);
    desk.check_mirror().await;
}

#[tokio::test]
async fn each_request_has_a_moment_of_its_own() {
    let desk = opened().await;
    let (first, one) = lone(&desk, 1).await;
    let (second, mut two) = lone(&desk, 2).await;
    hold(&desk, first, 0).await;
    desk.clock.advance(1_000);
    hold(&desk, second, 1).await;
    assert_eq!(desk.snapshot().await.held.len(), 2);
    desk.clock.advance(UNDO - 1_000);
    chose(&heard(one).await, 0);
    assert!(two.try_recv().is_err());
    desk.engine.undo_answer(second).await.unwrap();
    let_it_pass(&desk).await;
    assert!(desk.request(second).await.is_open());
}

#[rstest]
#[case::of_several_questions(false, vec![choose(0, &[0])], "answers")]
#[case::own_words(true, vec![say(0, "mine")], "answers")]
#[case::nothing(true, vec![], "answers")]
#[case::an_option_of_another_question(true, vec![choose(1, &[0])], "answers[0].question")]
#[tokio::test]
async fn only_the_one_choice_of_a_lone_question_is_held(
    #[case] is_lone: bool,
    #[case] answers: Vec<AnswerInput>,
    #[case] field: &str,
) {
    let desk = opened().await;
    let (id, _outcome) = if is_lone { lone(&desk, 1).await } else { desk.ask(1, 1).await };
    let refused = desk.engine.hold_answer(id, answers, UndoSeconds::default()).await.unwrap_err();
    let Rejection::Invalid { field: named, .. } = rejected(refused) else { panic!("another reason") };
    assert_eq!(named, field);
    assert_eq!(desk.snapshot().await.held, []);
    let unknown = desk.engine.undo_answer(request(9)).await.unwrap_err();
    assert_eq!(rejected(unknown), Rejection::NotFound { what: "request" });
}

#[tokio::test]
async fn nothing_of_what_is_held_is_written_down() {
    let desk = opened().await;
    let (id, _outcome) = lone(&desk, 1).await;
    let before = std::fs::read(desk.folder.join("desk.db-wal")).unwrap();
    let note = AnswerInput { note: Some("only in memory".to_owned()), ..choose(0, &[0]) };
    desk.engine.hold_answer(id, vec![note], UndoSeconds::default()).await.unwrap();
    assert_eq!(desk.snapshot().await.held.len(), 1);
    assert_eq!(std::fs::read(desk.folder.join("desk.db-wal")).unwrap(), before);
}
