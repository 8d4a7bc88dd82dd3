//! Answers that come after their call is closed: they wait on disk, and go out once when the session runs again.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::agents::{Stage, choose};
use crate::support::desk::{TestDesk, rejected};
use askdesk_domain::{
    AgentFailure, Command, Delivery, DeliveryError, EntryBody, FolderError, LaunchOverrides, NativeRef,
    Outcome, QueueCommand, Rejection, Request, RequestCommand, RequestId, SessionCommand, SessionEnd,
    SessionId, SessionState, WithdrawnWhy,
};
use askdesk_engine::clock::Clock;
use rstest::rstest;

/// Long enough for something to happen that must not.
const QUIET: Duration = Duration::from_millis(250);

const HEAD: &str = "This is a late answer.";

fn delivery(stage: &Stage, id: RequestId) -> Option<&Delivery> {
    stage.desk.mirror.requests[&id].ended().unwrap().delivery.as_ref()
}

fn is_late(delivery: Option<&Delivery>) -> bool {
    matches!(delivery, Some(Delivery::Delivered { late: true, .. }))
}

/// How many messages with late answers the agent was sent.
fn late_messages(stage: &Stage, session: SessionId) -> Vec<String> {
    stage.messages(session).into_iter().filter(|text| text.starts_with(HEAD)).collect()
}

/// A session whose agent asked, was stopped before it had an answer, and has been answered now.
async fn answered_late(scenario: &str) -> (Stage, SessionId, Request) {
    let mut stage = Stage::open().await;
    let session = stage.play(scenario).await;
    let request = stage.asked_one(session).await;
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await.unwrap();
    stage.desk.catch_up();
    (stage, session, request)
}

async fn until_late(stage: &mut Stage, id: RequestId) {
    let arrived = |known: &crate::support::mirror::Mirror| {
        is_late(known.requests[&id].ended().unwrap().delivery.as_ref())
    };
    stage.desk.until("the answer is delivered late", arrived).await;
}

#[tokio::test]
async fn case_27_an_answer_to_a_stopped_session_waits_and_reaches_the_agent_once_when_it_is_taken_up_again() {
    let (mut stage, session, request) = answered_late("technology").await;
    let known = &stage.desk.mirror.sessions[&session];
    assert!(known.resumable);
    assert_eq!(delivery(&stage, request.id), Some(&Delivery::Parked));
    tokio::time::sleep(QUIET).await;
    assert_eq!(stage.messages(session), ["go"]);

    let resumed = stage.resume(session, "technology").await;
    assert_eq!((resumed.id, resumed.resumable), (session, false));
    until_late(&mut stage, request.id).await;
    stage.until_idle(session).await;
    let sent = late_messages(&stage, session);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("Question: Which store should the notes be kept in?"), "{sent:?}");
    assert!(sent[0].contains("Answer: \"PostgreSQL\""), "{sent:?}");
    // Nothing is ever said to the call of the agent that is gone.
    assert_eq!(stage.decisions(session).len(), 0);
    // What was said is in the transcript, behind what was said before.
    let said = stage.desk.mirror.transcript(session);
    let late =
        said.iter().position(|body| matches!(body, EntryBody::Person { text, .. } if *text == sent[0]));
    assert!(late.is_some_and(|place| place > 1), "{said:?}");
    stage.desk.check_mirror().await;

    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.resume(session, "technology").await;
    stage.until_idle(session).await;
    tokio::time::sleep(QUIET).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

#[tokio::test]
async fn case_27_a_missed_question_that_is_dismissed_takes_no_answer_and_says_nothing_to_the_agent() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    let dismissed = stage.desk.engine.dismiss(request.id).await.unwrap();
    let why = WithdrawnWhy::Cancelled { reason: None };
    assert_eq!(dismissed.ended().unwrap().outcome, Outcome::Withdrawn { why });
    let late = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await;
    assert!(matches!(rejected(late.unwrap_err()), Rejection::AlreadyEnded { .. }));
    stage.resume(session, "technology").await;
    stage.until_idle(session).await;
    tokio::time::sleep(QUIET).await;
    assert_eq!(stage.messages(session), ["go"]);
}

#[tokio::test]
async fn case_28_a_question_the_app_was_closed_on_comes_back_missed_and_its_answer_is_delivered() {
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
    until_late(&mut stage, request.id).await;
    let sent = late_messages(&stage, session);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("The user declined to answer. The user said: ask me tomorrow"), "{sent:?}");
}

#[tokio::test]
async fn case_29_what_the_agent_took_back_is_refused_when_its_session_runs_again_too() {
    let mut stage = Stage::open().await;
    let session = stage.play("withdrawn").await;
    let request = stage.asked_one(session).await;
    stage.desk.until("it is taken back", |known| known.open(session).is_empty()).await;
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.resume(session, "withdrawn").await;
    stage.until_idle(session).await;
    let label = request.questions[0].options[0].label.clone();
    let late = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &[&label])]).await;
    assert!(matches!(rejected(late.unwrap_err()), Rejection::AlreadyEnded { .. }));
    tokio::time::sleep(QUIET).await;
    assert!(late_messages(&stage, session).is_empty());
}

#[tokio::test]
async fn an_answer_given_after_the_session_was_taken_up_again_goes_out_at_once() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.resume(session, "technology").await;
    stage.until_idle(session).await;
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["Plain files"])]).await.unwrap();
    until_late(&mut stage, request.id).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

#[tokio::test]
async fn case_35_a_queue_stays_when_a_session_is_taken_up_again_until_a_turn_has_ended_well() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    stage.asked_one(session).await;
    let id = stage.desk.clock.message_id();
    let text = "then add tests".to_owned();
    stage
        .desk
        .engine
        .act(Command::Queue(QueueCommand::Add { session, id, text, attachments: Vec::new() }))
        .await
        .unwrap();
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.resume(session, "technology").await;
    stage.until_idle(session).await;
    tokio::time::sleep(QUIET).await;
    assert_eq!(stage.messages(session), ["go"]);
    stage.desk.catch_up();
    assert_eq!(stage.desk.mirror.sessions[&session].queue.len(), 1);

    stage.sessions.send_message(session, "go on".to_owned()).await.unwrap();
    stage.until_said(session, "then add tests").await;
    assert_eq!(stage.messages(session), ["go", "go on", "then add tests"]);
}

#[tokio::test]
async fn case_35_what_waits_is_sent_into_a_session_that_is_only_starting_once_its_agent_is_there() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    stage.asked_one(session).await;
    let id = stage.desk.clock.message_id();
    let text = "then add tests".to_owned();
    stage
        .desk
        .engine
        .act(Command::Queue(QueueCommand::Add { session, id, text, attachments: Vec::new() }))
        .await
        .unwrap();
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.resume(session, "technology").await;
    stage.sessions.send_queued(session, id).await.unwrap();
    stage.until_said(session, "then add tests").await;
    assert_eq!(stage.messages(session), ["go", "then add tests"]);
}

#[tokio::test]
async fn late_answers_go_before_the_message_that_was_written_to_wake_the_agent() {
    let (mut stage, session, request) = answered_late("technology").await;
    stage.resume(session, "technology").await;
    stage.sessions.send_message(session, "go on, please".to_owned()).await.unwrap();
    until_late(&mut stage, request.id).await;
    stage.until_said(session, "go on, please").await;
    let sent = stage.messages(session);
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(sent[1].starts_with(HEAD), "{sent:?}");
    assert_eq!(sent[2], "go on, please");
}

#[tokio::test]
async fn a_session_that_its_agent_no_longer_has_says_so_stays_ended_and_is_not_offered_again() {
    let (mut stage, session, request) = answered_late("technology").await;
    fs::remove_file(stage.memory_of_agent(session)).unwrap();
    stage.resume(session, "technology").await;
    stage.desk.catch_up();
    let sent = stage.sessions.send_message(session, "are you there?".to_owned()).await;
    assert_eq!(rejected(sent.unwrap_err()), Rejection::SessionGone);
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    assert!(why == AgentFailure::SessionUnknown, "{why}");
    stage.desk.check_mirror().await;
    assert!(!stage.desk.mirror.sessions[&session].resumable);
    // The words and the answer are still the person's, and neither went to anybody.
    assert_eq!(delivery(&stage, request.id), Some(&Delivery::Parked));
    assert_eq!(stage.messages(session), ["go"]);
    let again = stage.sessions.resume(session, &LaunchOverrides::default()).await;
    assert_eq!(rejected(again.unwrap_err()), Rejection::SessionGone);
    stage.desk.engine.dismiss(request.id).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_dies_before_it_is_there_again_is_given_nothing_and_can_be_tried_once_more() {
    let (mut stage, session, request) = answered_late("technology").await;
    stage.resume_script(session, "exit 3").await;
    stage.desk.catch_up();
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    assert!(matches!(why, AgentFailure::Exited { code: Some(3), .. }), "{why}");
    let missing = AgentFailure::FolderUnusable { path: "/gone".into(), problem: FolderError::Missing };
    stage.desk.agent.stage(Box::new(|_| Err(missing)));
    let unstarted = stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    assert!(matches!(unstarted.state, SessionState::Ended { end: SessionEnd::Failed { .. }, .. }));
    stage.desk.catch_up();
    assert_eq!(delivery(&stage, request.id), Some(&Delivery::Parked));
    assert!(stage.desk.mirror.sessions[&session].resumable);

    stage.resume(session, "technology").await;
    until_late(&mut stage, request.id).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

/// An agent that says that it is there, takes a message, and dies before it has shown that it has it.
const TAKES_AND_DIES: &str = r#"
    read -r hello
    echo '{"type":"system","subtype":"init","model":"m","tools":[],"claude_code_version":"2"}'
    read -r message
    exit 4
"#;

#[tokio::test]
async fn case_48_an_answer_that_was_on_its_way_when_the_agent_died_is_not_sent_again_by_itself_and_this_is_said()
 {
    let (mut stage, session, request) = answered_late("technology").await;
    stage.resume_script(session, TAKES_AND_DIES).await;
    stage.desk.catch_up();
    let failed =
        |known: &crate::support::mirror::Mirror| match &known.requests[&request.id].ended().unwrap().delivery
        {
            Some(Delivery::Failed { error }) => *error == DeliveryError::MayHaveArrived,
            _ => false,
        };
    stage.desk.until("the card says that it may have arrived", failed).await;
    stage.until_ended(session).await;

    stage.resume(session, "technology").await;
    stage.until_idle(session).await;
    tokio::time::sleep(QUIET).await;
    assert!(late_messages(&stage, session).is_empty());
    stage.desk.engine.retry(request.id).await.unwrap();
    until_late(&mut stage, request.id).await;
    assert_eq!(late_messages(&stage, session).len(), 1);
}

/// What must be true of an answer after the app was killed and the session taken up again.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Found {
    /// Nobody has answered yet, and the person still can.
    Missed,
    /// The agent gets it now, once.
    SentOnce,
    /// It may have arrived: it is not sent again by itself, and the card says why.
    SaidUnknown,
    /// The agent has it, and gets nothing.
    There,
}

/// Everything the disk holds at this moment, as after a kill -9.
fn as_left(folder: &Path) -> tempfile::TempDir {
    let left = tempfile::tempdir().unwrap();
    for name in ["desk.db", "desk.db-wal", "runs"] {
        if folder.join(name).exists() {
            fs::copy(folder.join(name), left.path().join(name)).unwrap();
        }
    }
    left
}

/// The agent says its own id of the session.
fn introduced(session: SessionId) -> Command {
    let native_session = askdesk_domain::NativeSession::new("n");
    Command::Session(SessionCommand::Introduce { session, version: None, model: None, native_session })
}

fn deed(name: &str, session: SessionId, id: RequestId) -> Command {
    let at = askdesk_domain::Timestamp::from_millis(2_000);
    match name {
        "answer" => Command::Request(RequestCommand::Answer {
            request: id,
            answers: vec![crate::support::desk::choose(0, &[1])],
            at,
        }),
        "hand over" => Command::Request(RequestCommand::NoteSending {
            request: id,
            call: NativeRef::new("call-1").unwrap(),
        }),
        "acknowledge" => Command::Request(RequestCommand::NoteDelivery {
            request: id,
            call: None,
            delivery: Delivery::Delivered { at, late: false },
        }),
        "acknowledge late" => Command::Request(RequestCommand::NoteDelivery {
            request: id,
            call: None,
            delivery: Delivery::Delivered { at, late: true },
        }),
        "agent ends" => Command::Session(SessionCommand::End { session, end: SessionEnd::Finished, at }),
        "resume" => Command::Session(SessionCommand::Resume { session, at }),
        "introduce" => introduced(session),
        "send" => Command::Request(RequestCommand::SendParked { session }),
        other => panic!("{other}"),
    }
}

#[rstest]
#[case::registered(&[], Found::Missed)]
#[case::answered(&["answer"], Found::SentOnce)]
#[case::being_handed_over(&["answer", "hand over"], Found::SaidUnknown)]
#[case::acknowledged(&["answer", "hand over", "acknowledge"], Found::There)]
#[case::orphaned(&["agent ends"], Found::Missed)]
#[case::answered_late(&["agent ends", "answer"], Found::SentOnce)]
#[case::resumed(&["agent ends", "answer", "resume"], Found::SentOnce)]
#[case::there_again(&["agent ends", "answer", "resume", "introduce"], Found::SentOnce)]
#[case::being_sent(&["agent ends", "answer", "resume", "introduce", "send"], Found::SaidUnknown)]
#[case::acknowledged_late(
    &["agent ends", "answer", "resume", "introduce", "send", "acknowledge late"],
    Found::There
)]
#[tokio::test]
async fn case_47_and_48_after_a_kill_at_any_step_an_answer_is_there_and_goes_out_once_or_it_is_said(
    #[case] deeds: &[&str],
    #[case] expected: Found,
) {
    let before = TestDesk::open().await;
    before.start(1).await;
    before.engine.act(introduced(crate::support::desk::session(1))).await.unwrap();
    let (id, _waiter) = before.ask(1, 1).await;
    let session = crate::support::desk::session(1);
    for name in deeds {
        before.engine.act(deed(name, session, id)).await.unwrap();
    }
    let left = as_left(&before.folder);
    drop(before);

    let mut stage = Stage::open_at(left.path()).await;
    fs::write(stage.memory_of_agent(session), "1").unwrap();
    let answered = stage.desk.mirror.requests[&id].ended().unwrap().outcome.clone();
    assert_eq!(matches!(answered, Outcome::Answered { .. }), expected != Found::Missed, "{answered:?}");
    for run in 1..=2 {
        stage.resume(session, "technology").await;
        stage.until_idle(session).await;
        match expected {
            Found::SentOnce => until_late(&mut stage, id).await,
            Found::Missed => assert!(stage.desk.mirror.requests[&id].is_missed()),
            Found::SaidUnknown => assert!(matches!(delivery(&stage, id), Some(Delivery::Failed { .. }))),
            Found::There => assert!(matches!(delivery(&stage, id), Some(Delivery::Delivered { .. }))),
        }
        tokio::time::sleep(QUIET).await;
        let sent = late_messages(&stage, session);
        assert_eq!(sent.len(), usize::from(expected == Found::SentOnce), "run {run}: {sent:?}");
        stage.desk.check_mirror().await;
        stage.sessions.stop(session).await.unwrap();
        stage.until_ended(session).await;
    }
}

#[tokio::test]
async fn case_42_a_question_of_a_session_that_was_taken_up_again_waits_for_a_person() {
    let desk = TestDesk::open().await;
    desk.start(1).await;
    desk.engine.act(introduced(crate::support::desk::session(1))).await.unwrap();
    let (_, waiter) = desk.ask(1, 1).await;
    drop((desk.engine.close().await, waiter));
    let mut stage = Stage::open_at(&desk.folder).await;
    let session = crate::support::desk::session(1);
    fs::write(stage.memory_of_agent(session), "0").unwrap();
    stage.resume(session, "technology").await;
    stage.sessions.send_message(session, "go on".to_owned()).await.unwrap();
    let request = stage.asked_one(session).await;
    tokio::time::sleep(QUIET).await;
    assert!(stage.desk.request(request.id).await.is_open());
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await.unwrap();
    stage.until_delivered(request.id).await;
    assert!(!is_late(delivery(&stage, request.id)));
    assert_eq!(stage.decisions(session).len(), 1);
}
