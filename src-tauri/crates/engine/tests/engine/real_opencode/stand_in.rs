//! A stand-in of OpenCode 2, which is in no registry.

use askdesk_domain::{AnswerInput, QuestionId};
use askdesk_testkit::{fake_server, opencode2};

use super::*;
use crate::support::mirror::Mirror;

async fn world() -> World {
    let mock = MockApi::start(Script(Vec::new())).await.unwrap();
    let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    World { program: fake_server::program_or_build().unwrap(), mock, home, project, events: None }
}

/// Sends a message once the session is idle.
async fn send(stage: &mut Stage, session: SessionId, words: &str) {
    stage.until_idle(session).await;
    stage.sessions.send_message(session, words.to_owned()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_137_opencode_2_is_asked_answered_decided_and_stopped_over_its_own_api() {
    let world = world().await;
    let folder = tempfile::tempdir().unwrap();
    let mut stage = world.desk(folder.path()).await;
    let session = world.start(&stage).await;
    stage.until_said(session, "Please go on.").await;
    let version = |known: &Mirror| known.sessions[&session].version.as_deref() == Some(opencode2::VERSION);
    stage.desk.until("its version", version).await;

    send(&mut stage, session, "ask").await;
    let request = stage.asked_one(session).await;
    let store = choose(&request, 0, &["SQLite"]);
    let more = AnswerInput {
        question: QuestionId::at(1),
        chosen: Vec::new(),
        other: Some("A \"backup\"".to_owned()),
        note: None,
    };
    stage.desk.engine.answer(request.id, vec![store, more]).await.unwrap();
    stage.until_delivered(request.id).await;
    let answer = json!({"q0": "sqlite", "q1": "A \"backup\""});
    assert_eq!(opencode2::requests(world.home.path(), "/reply"), [json!({"answer": answer})]);
    stage.until_said(session, &format!("Answered {answer}")).await;

    for (option, said) in [("once", "Allowed once"), ("always", "Allowed always")] {
        send(&mut stage, session, "permit").await;
        let asked = permission(&mut stage, session).await;
        let ToolDetail::Command { command, .. } = &asked.subject else { panic!("{asked:?}") };
        assert_eq!(command, "touch made.txt");
        decide(&stage, &asked, option, None).await;
        stage.until_said(session, said).await;
    }
    send(&mut stage, session, "permit").await;
    let refused = permission(&mut stage, session).await;
    decide(&stage, &refused, "reject", Some("not there")).await;
    stage.until_said(session, "said: not there").await;

    send(&mut stage, session, "ask").await;
    let declined = stage.asked_one(session).await;
    stage.desk.engine.decline(declined.id, None).await.unwrap();
    stage.until_delivered(declined.id).await;
    send(&mut stage, session, "wait").await;
    // A stop that the server gets before the message ends nothing.
    let waits = || opencode2::requests(world.home.path(), "/prompt").iter().any(|it| it["text"] == "wait");
    let arrived = async {
        while !waits() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(REQUEST_WITHIN, arrived).await.unwrap();
    stage.sessions.interrupt(session).unwrap();
    send(&mut stage, session, "Still there").await;
    stage.until_said(session, "Still there").await;
    stage.until_idle(session).await;
    stage.desk.check_mirror().await;
    let pid = world.pid();
    stage.sessions.stop(session).await.unwrap();
    assert!(!is_alive(pid), "the server ends with its last session");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_137_a_question_of_opencode_2_outlives_its_server_and_is_answered_late_once() {
    let world = world().await;
    let folder = tempfile::tempdir().unwrap();
    let mut stage = world.desk(folder.path()).await;
    let session = world.start(&stage).await;
    stage.until_said(session, "Please go on.").await;
    send(&mut stage, session, "ask").await;
    let request = stage.asked_one(session).await;
    world.kill();
    assert!(matches!(stage.until_ended(session).await, SessionEnd::Failed { .. }));
    let parked = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await;
    assert_eq!(parked.unwrap().ended().unwrap().delivery, Some(Delivery::Parked));
    stage.sessions.shut_down().await;
    drop(stage);
    let mut stage = world.desk(folder.path()).await;
    world.resume(&stage, session).await;
    stage.desk.catch_up();
    stage.until_delivered_late(request.id).await;
    stage.until_idle(session).await;
    let prompts = opencode2::requests(world.home.path(), "/prompt");
    let late = prompts.iter().filter(|prompt| prompt.to_string().contains("PostgreSQL"));
    assert_eq!(late.count(), 1, "{prompts:?}");
    assert!(opencode2::requests(world.home.path(), "/reply").is_empty());
    stage.desk.check_mirror().await;
    stage.sessions.shut_down().await;
}
