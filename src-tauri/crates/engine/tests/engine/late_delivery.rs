//! Answers that miss their call: they are stored, and sent once when the session runs again.

use std::fs;

use crate::support::agents::Stage;
use crate::support::desk::{Refusal, TestDesk, copy_of, rejected, session};
use crate::support::desks::{answer, delivered_late, end, introduce, note, resume, send_parked};
use askdesk_domain::{
    AgentFailure, Delivery, DeliveryError, EntryBody, FolderError, LaunchOverrides, MessageId, Outcome,
    Rejection, Request, SessionEnd, SessionId, SessionState,
};
use askdesk_engine::SessionCall;
use rstest::rstest;

const HEAD: &str = "This is a late answer.";

/// The messages with late answers that the agent was sent.
fn late_messages(stage: &Stage, session: SessionId) -> Vec<String> {
    stage.messages(session).into_iter().filter(|text| text.starts_with(HEAD)).collect()
}

/// A session that was stopped while its agent waited for an answer.
async fn stopped(scenario: &str) -> (Stage, SessionId, Request) {
    let (mut stage, session, request) = Stage::asking(scenario).await;
    stage.stop(session).await;
    (stage, session, request)
}

/// The same, with an answer that came afterwards.
async fn answered_late() -> (Stage, SessionId, Request) {
    let (mut stage, session, request) = stopped("technology").await;
    stage.answer(&request, "PostgreSQL").await;
    stage.desk.catch_up();
    (stage, session, request)
}

#[tokio::test]
async fn case_27_an_answer_to_a_stopped_session_is_sent_once_when_the_session_is_resumed() {
    let (mut stage, session, request) = answered_late().await;
    let known = &stage.desk.mirror.sessions[&session];
    assert!(known.resumable);
    assert_eq!(stage.desk.mirror.delivery(request.id), Some(&Delivery::Parked));
    let resumed = stage.resume(session, "technology").await;
    assert_eq!((resumed.id, resumed.resumable), (session, false));
    stage.until_delivered_late(request.id).await;
    stage.until_idle(session).await;
    let sent = late_messages(&stage, session);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("Question: Which store should the notes be kept in?"), "{sent:?}");
    assert!(sent[0].contains("Answer: \"PostgreSQL\""), "{sent:?}");
    // The closed call gets no response.
    assert_eq!(stage.decisions(session).len(), 0);
    // The message is in the transcript, after the earlier entries.
    let said = stage.desk.mirror.transcript(session);
    let late = said.iter().position(|body| matches!(body, EntryBody::User { text, .. } if *text == sent[0]));
    assert!(late.is_some_and(|place| place > 1), "{said:?}");
    stage.desk.check_mirror().await;

    stage.stop(session).await;
    stage.resume(session, "technology").await;
    stage.go_on(session).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

#[tokio::test]
async fn case_132_a_late_answer_is_sent_once_that_can_be_noted() {
    let (mut stage, session, request) = answered_late().await;
    let refusal = Refusal::of_event(&stage.desk.folder, "sending");
    stage.resume(session, "technology").await;
    stage.desk.until("it is said", |known| known.outage.is_some()).await;
    assert_eq!(late_messages(&stage, session).len(), 0);
    drop(refusal);
    stage.until_delivered_late(request.id).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

#[tokio::test]
async fn case_28_a_question_that_was_open_when_the_app_quit_is_missed_and_its_answer_is_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::open_at(folder.path()).await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.sessions.shut_down().await;
    drop(stage);

    let mut stage = Stage::open_at(folder.path()).await;
    let known = &stage.desk.mirror.sessions[&session];
    assert!(known.resumable);
    assert!(matches!(known.state, SessionState::Ended { end: SessionEnd::AppQuit, .. }));
    let missed = stage.desk.mirror.requests[&request.id].clone();
    assert!(missed.is_missed());
    assert_eq!(missed.questions, request.questions);
    stage.desk.engine.decline(request.id, Some("ask me tomorrow".to_owned())).await.unwrap();
    stage.resume(session, "technology").await;
    stage.until_delivered_late(request.id).await;
    let sent = late_messages(&stage, session);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("The user declined to answer. The user said: ask me tomorrow"), "{sent:?}");
}

#[tokio::test]
async fn case_35_after_a_resume_a_queue_waits_until_a_turn_has_ended_well() {
    let (mut stage, session, _) = resumed_with_a_queue().await;
    stage.until_idle(session).await;
    stage.sessions.call(session, SessionCall::message("go on".to_owned())).await.unwrap();
    stage.until_said(session, "then add tests").await;
    assert_eq!(stage.messages(session), ["go", "go on", "then add tests"]);
}

#[tokio::test]
async fn case_35_a_queued_message_can_be_sent_to_a_resumed_agent_that_is_not_ready_yet() {
    let (mut stage, session, message) = resumed_with_a_queue().await;
    stage.sessions.call(session, SessionCall::SendNow(message)).await.unwrap();
    stage.until_said(session, "then add tests").await;
    assert_eq!(stage.messages(session), ["go", "then add tests"]);
}

/// A session that was stopped and resumed with a queued message.
async fn resumed_with_a_queue() -> (Stage, SessionId, MessageId) {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    stage.asked_one(session).await;
    let message = stage.desk.queue(session, "then add tests", Vec::new()).await;
    stage.stop(session).await;
    stage.resume(session, "technology").await;
    (stage, session, message)
}

#[tokio::test]
async fn a_session_that_its_agent_does_not_know_ends_and_cannot_be_resumed() {
    let (mut stage, session, request) = answered_late().await;
    fs::remove_file(stage.memory_of_agent(session)).unwrap();
    stage.resume(session, "technology").await;
    stage.desk.catch_up();
    let sent = stage.sessions.call(session, SessionCall::message("are you there?".to_owned())).await;
    assert_eq!(rejected(sent.unwrap_err()), Rejection::SessionGone);
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    assert!(why == AgentFailure::SessionUnknown, "{why}");
    stage.desk.check_mirror().await;
    assert!(!stage.desk.mirror.sessions[&session].resumable);
    // The answer is still parked, and nothing was sent.
    assert_eq!(stage.desk.mirror.delivery(request.id), Some(&Delivery::Parked));
    assert_eq!(stage.messages(session), ["go"]);
    let again = stage.sessions.resume(session, &LaunchOverrides::default()).await;
    assert_eq!(rejected(again.unwrap_err()), Rejection::SessionGone);
    stage.desk.engine.dismiss(request.id).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_dies_while_it_resumes_is_sent_nothing_and_can_be_resumed_again() {
    let (mut stage, session, request) = answered_late().await;
    stage.resume_script(session, "exit 3").await;
    stage.desk.catch_up();
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    assert!(matches!(why, AgentFailure::Exited { code: Some(3), .. }), "{why}");
    let missing = AgentFailure::FolderUnusable { path: "/gone".into(), problem: FolderError::Missing };
    stage.desk.agent.stage(Box::new(|_| Err(missing)));
    stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    stage.desk.catch_up();
    let SessionEnd::Failed { .. } = stage.until_ended(session).await else { panic!() };
    assert_eq!(stage.desk.mirror.delivery(request.id), Some(&Delivery::Parked));
    assert!(stage.desk.mirror.sessions[&session].resumable);

    stage.resume(session, "technology").await;
    stage.until_delivered_late(request.id).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

/// An agent that introduces itself, reads a message, and dies before it acknowledges it.
const TAKES_AND_DIES: &str = r#"
    read -r hello
    echo '{"type":"system","subtype":"init","model":"m","tools":[],"claude_code_version":"2"}'
    read -r message
    exit 4
"#;

#[tokio::test]
async fn case_48_an_answer_on_its_way_when_the_agent_died_is_sent_again_only_by_a_retry() {
    let (mut stage, session, request) = answered_late().await;
    stage.resume_script(session, TAKES_AND_DIES).await;
    stage.desk.catch_up();
    assert_eq!(stage.until_undelivered(request.id).await, DeliveryError::MayHaveArrived);
    stage.until_ended(session).await;

    stage.resume(session, "technology").await;
    stage.go_on(session).await;
    assert!(late_messages(&stage, session).is_empty());
    stage.desk.engine.retry(request.id).await.unwrap();
    stage.until_delivered_late(request.id).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

/// What is expected of an answer after the app was killed and the session resumed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// The question is missed and can still be answered.
    Missed,
    SentOnce,
    /// It may have arrived: it is not sent again, and the card says why.
    MayHaveArrived,
    Delivered,
}

/// How many of these steps were taken before the kill. `crash_recovery` kills a session that answers in time.
#[rstest]
#[case::missed(1, Expected::Missed)]
#[case::answered_late(2, Expected::SentOnce)]
#[case::resumed(3, Expected::SentOnce)]
#[case::introduced_again(4, Expected::SentOnce)]
#[case::being_sent(5, Expected::MayHaveArrived)]
#[case::acknowledged(6, Expected::Delivered)]
#[tokio::test]
async fn case_47_and_48_after_a_kill_at_any_step_a_late_answer_is_sent_once_or_may_have_arrived(
    #[case] steps: usize,
    #[case] expected: Expected,
) {
    let before = TestDesk::started().await;
    before.engine.act(introduce(1)).await.unwrap();
    let (id, _waiter) = before.ask(1, 1).await;
    let answered = answer(1, vec![crate::support::desk::choose(0, &[1])]);
    let ended = end(1, SessionEnd::Finished);
    let all = [ended, answered, resume(1), introduce(1), send_parked(1), note(1, delivered_late())];
    for command in all.into_iter().take(steps) {
        before.engine.act(command).await.unwrap();
    }
    let left = copy_of(&before.folder);
    drop(before);

    let (mut stage, session) = (Stage::open_at(left.path()).await, session(1));
    fs::write(stage.memory_of_agent(session), "1").unwrap();
    let outcome = &stage.desk.mirror.requests[&id].ended().unwrap().outcome;
    assert_eq!(matches!(outcome, Outcome::Answered { .. }), expected != Expected::Missed, "{outcome:?}");
    for run in 1..=2 {
        stage.resume(session, "technology").await;
        stage.go_on(session).await;
        match expected {
            Expected::Missed => assert!(stage.desk.mirror.requests[&id].is_missed()),
            Expected::SentOnce => stage.until_delivered_late(id).await,
            Expected::MayHaveArrived => drop(stage.until_undelivered(id).await),
            Expected::Delivered => stage.until_delivered_late(id).await,
        }
        let sent = late_messages(&stage, session);
        assert_eq!(sent.len(), usize::from(expected == Expected::SentOnce), "run {run}: {sent:?}");
        stage.desk.check_mirror().await;
        stage.stop(session).await;
    }
}
