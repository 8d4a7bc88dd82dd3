//! The app quits, or a session is closed, while the real `claude` waits for the user.

use std::time::Instant;

use super::*;

/// The sessions together may take this long to end at a quit.
const QUIT_WITHIN: Duration = Duration::from_secs(3);

/// Starts a session whose model calls a tool that waits for the user.
async fn waiting(test: &str, call: Block) -> Option<(World, Stage, SessionId)> {
    let script = vec![Reply::new([call]), Reply::text("Never said.")];
    let world = World::open(test, script).await?;
    let (mut stage, session) = world.started().await;
    let waits = |known: &crate::support::mirror::Mirror| {
        known.requests.values().any(|request| request.is_open())
            || known.approvals.values().any(|approval| approval.state == askdesk_domain::ApprovalState::Open)
    };
    stage.desk.until("the agent waits for the user", waits).await;
    Some((world, stage, session))
}

fn bash() -> Block {
    Block::tool("toolu_1", "Bash", json!({"command": "mkdir late", "description": "Make a folder"}))
}

#[tokio::test(flavor = "multi_thread")]
async fn case_114_a_quit_with_an_open_permission_begins_no_other_call_of_the_model() {
    let Some((world, stage, _)) = waiting("case_114_a_quit_with_an_open_permission", bash()).await else {
        return;
    };
    let began = Instant::now();
    stage.sessions.end_all(tokio::time::Instant::now() + QUIT_WITHIN).await;
    assert!(began.elapsed() < QUIT_WITHIN, "{:?}", began.elapsed());
    // The process has ended, so nothing follows.
    assert_eq!(world.mock.conversation().len(), 1);
    assert!(!world.project.path().join("late").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_114_a_quit_with_an_open_question_begins_no_other_call_of_the_model() {
    let call = Block::ask("toolu_ask_1", &questions());
    let Some((world, stage, _)) = waiting("case_114_a_quit_with_an_open_question", call).await else {
        return;
    };
    stage.sessions.end_all(tokio::time::Instant::now() + QUIT_WITHIN).await;
    assert_eq!(world.mock.conversation().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_112_the_text_of_a_failed_attempt_disappears_and_the_retry_is_shown_until_the_agent_goes_on() {
    let script =
        vec![Reply::text("Half a sentence, and").broken(), Reply::text("The whole sentence.").after(300)];
    let Some(world) = World::open("case_112_the_text_of_a_failed_attempt", script).await else { return };
    let (mut stage, session) = world.started().await;
    let retried = |known: &crate::support::mirror::Mirror| known.retries.contains_key(&session);
    stage.desk.until("a retry", retried).await;
    assert!(!stage.desk.mirror.live.contains_key(&session));
    let retry = stage.desk.mirror.retries[&session].clone();
    assert_eq!(retry.attempt, Some(1));
    assert!(retry.at.is_some());
    stage.until_said(session, "The whole sentence.").await;
    assert!(!stage.desk.mirror.retries.contains_key(&session));
    stage.until_idle(session).await;
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
