//! Quick answers: held for their undo window, undone, or given once.

use crate::support::desk::{
    TestDesk, ask, choose, end, heard, locked, questions, rejected, request, say, session, withdraw,
};
use askdesk_domain::{
    AnswerInput, Ask, EndInput, HeldEnd, OrphanedWhy, Outcome, Rejection, RequestCommand, RequestId,
    SessionEnd, Timestamp, UndoSeconds, WithdrawnWhy,
};
use askdesk_engine::NotificationEvent;
use rstest::rstest;
use tokio::sync::oneshot;

const UNDO: i64 = 3_000;

/// Asks one single-choice question.
async fn lone(desk: &TestDesk, n: u128) -> (RequestId, oneshot::Receiver<Outcome>) {
    desk.register(Ask { questions: questions()[..1].to_vec(), ..ask(1, n) }).await
}

async fn opened() -> TestDesk {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    desk
}

fn by(option: usize) -> EndInput {
    EndInput::Answered { answers: vec![choose(0, &[option])] }
}

async fn hold(desk: &TestDesk, id: RequestId, option: usize) {
    desk.engine.hold_end(id, by(option), UndoSeconds::default()).await.unwrap();
}

fn chose(outcome: &Outcome, option: usize) {
    let Outcome::Answered { answers } = outcome else { panic!("{outcome:?}") };
    let chosen: Vec<_> = answers.iter().map(|answer| answer.chosen.clone()).collect();
    assert_eq!(chosen, [choose(0, &[option]).chosen]);
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
    let mut desk = opened().await;
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
    chose(&heard(outcome).await, 1);
    desk.check_mirror().await;
    assert_eq!(desk.snapshot().await.held, []);
}

#[tokio::test]
async fn case_52_an_undone_answer_is_never_sent_and_the_question_stays_open() {
    let mut desk = opened().await;
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
    chose(&heard(outcome).await, 0);
}

#[tokio::test]
async fn there_is_an_event_when_a_held_answer_is_undone_or_replaced() {
    let mut desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    hold(&desk, id, 0).await;
    hold(&desk, id, 1).await;
    desk.engine.undo_end(id).await.unwrap();
    desk.engine.undo_end(id).await.unwrap();
    hold(&desk, id, 1).await;
    let_it_pass(&desk).await;
    chose(&heard(outcome).await, 1);
    let short = |event| match event {
        NotificationEvent::Asked { .. } => "asked".to_owned(),
        NotificationEvent::Ended { .. } => "ended".to_owned(),
        NotificationEvent::EndNotGiven { held } => {
            let EndInput::Answered { answers } = held.end else { panic!("{held:?}") };
            format!("not {}", answers[0].chosen[0])
        }
        other => panic!("{other:?}"),
    };
    let events: Vec<_> = desk.notified().into_iter().map(short).collect();
    assert_eq!(events, ["asked", "not q1o1", "not q1o2", "ended"]);
}

#[tokio::test]
async fn another_choice_replaces_the_first_and_restarts_the_undo_window() {
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
async fn the_same_choice_again_does_not_extend_the_undo_window() {
    let desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.clock.advance(UNDO - 1);
    hold(&desk, id, 0).await;
    desk.clock.advance(1);
    chose(&heard(outcome).await, 0);
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
    let mut desk = opened().await;
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

#[tokio::test]
async fn a_skip_replaces_a_held_answer_and_an_answer_a_held_skip() {
    let desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.engine.hold_end(id, EndInput::Canceled, UndoSeconds::default()).await.unwrap();
    assert_eq!(desk.snapshot().await.held.len(), 1);
    hold(&desk, id, 1).await;
    desk.clock.advance(UNDO);
    chose(&heard(outcome).await, 1);
}

#[rstest]
#[case::given_at_once("answer")]
#[case::declined("decline")]
#[case::canceled("cancel")]
#[case::replied_in_chat("chat")]
#[case::withdrawn_by_the_agent("withdraw")]
#[case::agent_gone("agent")]
#[tokio::test]
async fn any_other_end_during_the_undo_window_is_the_outcome(#[case] how: &str) {
    let mut desk = opened().await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    match how {
        "answer" => drop(desk.engine.answer(id, vec![choose(0, &[2])]).await.unwrap()),
        "decline" => drop(desk.engine.decline(id, None).await.unwrap()),
        "cancel" => drop(desk.engine.cancel(id, Some("not now".to_owned())).await.unwrap()),
        "chat" => {
            let (text, at) = ("no".to_owned(), Timestamp::from_millis(50));
            desk.engine
                .act(RequestCommand::ReplyInChat { session: session(1), requests: vec![id], text, at })
                .await
                .unwrap();
        }
        "withdraw" => drop(desk.engine.act(withdraw(1, 1)).await.unwrap()),
        _ => drop(desk.engine.act(end(1, SessionEnd::Finished)).await.unwrap()),
    }
    let ended = desk.request(id).await;
    assert_eq!(desk.snapshot().await.held, []);
    let_it_pass(&desk).await;
    assert_eq!(desk.request(id).await, ended, "the held answer has no effect");
    let outcome = heard(outcome).await;
    match how {
        "answer" => chose(&outcome, 2),
        "decline" => assert_eq!(outcome, Outcome::Declined { words: None }),
        "cancel" => {
            let why = WithdrawnWhy::Canceled { reason: Some("not now".to_owned()) };
            assert_eq!(outcome, Outcome::Withdrawn { why });
        }
        "chat" => assert_eq!(outcome, Outcome::RepliedInChat { text: "no".to_owned() }),
        "withdraw" => assert_eq!(outcome, Outcome::Withdrawn { why: WithdrawnWhy::ByAgent }),
        _ => assert_eq!(outcome, Outcome::Orphaned { why: OrphanedWhy::AgentEnded }),
    }
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
    let folder = tempfile::tempdir().unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let (id, outcome) = lone(&desk, 1).await;
    hold(&desk, id, 0).await;
    desk.engine.close().await.unwrap();
    desk.clock.advance(UNDO);
    assert!(outcome.await.is_err(), "there was no outcome");
    drop(desk);
    let desk = TestDesk::open_at(folder.path()).await;
    let ended = desk.request(id).await;
    let outcome = ended.ended().map(|ended| &ended.outcome);
    assert_eq!(outcome, Some(&Outcome::Orphaned { why: OrphanedWhy::AppQuit }));
    assert_eq!(desk.snapshot().await.held, []);
}

#[tokio::test]
async fn an_answer_that_cannot_be_stored_stays_held_with_its_error_and_can_be_given_again() {
    let mut desk = opened().await;
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
    chose(&heard(outcome).await, 1);
    desk.check_mirror().await;
}

#[tokio::test]
async fn each_request_has_its_own_undo_window() {
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
    let desk = opened().await;
    let (id, _outcome) = if is_lone { lone(&desk, 1).await } else { desk.ask(1, 1).await };
    let refused =
        desk.engine.hold_end(id, EndInput::Answered { answers }, UndoSeconds::default()).await.unwrap_err();
    let Rejection::Invalid { field: named, .. } = rejected(refused) else { panic!("another reason") };
    assert_eq!(named, field);
    assert_eq!(desk.snapshot().await.held, []);
    let unknown = desk.engine.undo_end(request(9)).await.unwrap_err();
    assert_eq!(rejected(unknown), Rejection::NotFound { what: "request" });
}

#[tokio::test]
async fn a_held_answer_is_not_stored() {
    let desk = opened().await;
    let (id, _outcome) = lone(&desk, 1).await;
    let before = std::fs::read(desk.folder.join("desk.db-wal")).unwrap();
    let note = AnswerInput { note: Some("only in memory".to_owned()), ..choose(0, &[0]) };
    desk.engine
        .hold_end(id, EndInput::Answered { answers: vec![note] }, UndoSeconds::default())
        .await
        .unwrap();
    assert_eq!(desk.snapshot().await.held.len(), 1);
    assert_eq!(std::fs::read(desk.folder.join("desk.db-wal")).unwrap(), before);
}
