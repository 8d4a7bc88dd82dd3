//! The API of OpenCode 2, as far as 1.18.33 has it.

use super::*;
use askdesk_engine::SessionCall;

async fn world(test: &str, script: Vec<Reply>) -> Option<World> {
    let mut world = World::open(test, script).await?;
    world.events = Some(&["/api/event"]);
    Some(world)
}

fn ask_before_changes(world: &World) {
    world.set(r#""permission": {"edit": "ask", "bash": "ask", "webfetch": "ask"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_137_questions_and_permissions_are_answered_over_the_new_api() {
    let script = vec![
        Reply::new([Block::text("I need to ask."), asks("call_1")]),
        Reply::new([runs("call_2", "touch made.txt")]),
        Reply::text("It is a file."),
        Reply::new([runs("call_3", "touch never.txt")]),
        Reply::text("Refused."),
        Reply::text("I understand."),
        Reply::new([asks("call_4")]),
        Reply::text("Again."),
    ];
    let Some(world) = world("case_137_opencode_api2", script).await else { return };
    ask_before_changes(&world);
    let (mut stage, session) = world.started().await;
    let request = stage.asked_one(session).await;
    let store = choose(&request, 0, &["SQLite, or a file"]);
    stage.desk.engine.answer(request.id, vec![store]).await.unwrap();
    let heard = world.request(2).await;
    let result = r#"notes be kept in?"="SQLite, or a file""#;
    assert!(heard["messages"].as_array().unwrap().iter().any(|it| {
        it["role"] == "tool" && it["content"].as_str().is_some_and(|content| content.contains(result))
    }));
    stage.until_delivered(request.id).await;

    let allowed = stage.permission(session).await;
    assert!(!world.project.path().join("made.txt").exists());
    decide(&stage, &allowed, "once", None).await;
    stage.until_idle_after(session, "It is a file.").await;
    assert!(world.project.path().join("made.txt").exists());
    assert!(stage.desk.mirror.said(session).contains(&"I need to ask."));

    stage.sessions.call(session, SessionCall::message("Another file".to_owned())).await.unwrap();
    let refused = stage.permission(session).await;
    decide(&stage, &refused, "reject", Some("Not that file.")).await;
    stage.until_idle_after(session, "I understand.").await;
    assert!(!world.project.path().join("never.txt").exists());
    assert_eq!(count_in(world.mock.conversation().last().unwrap(), "Not that file."), 1);

    // Stop ends the turn, and the question with it.
    stage.sessions.call(session, SessionCall::message("Ask again".to_owned())).await.unwrap();
    stage.asked_one(session).await;
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.until_idle(session).await;
    stage.sessions.call(session, SessionCall::message("Once more".to_owned())).await.unwrap();
    stage.until_idle_after(session, "Again.").await;
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
