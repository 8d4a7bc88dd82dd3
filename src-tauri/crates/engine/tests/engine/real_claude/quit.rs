//! The app quits, or a session is closed, while the real `claude` waits for the user.

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
