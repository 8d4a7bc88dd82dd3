//! The real `claude` with a subagent in the background, which asks after the turn that began it.

use askdesk_domain::{Approval, ApprovalState, SessionId, SessionState};
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use super::World;
use crate::support::agents::{Stage, decides};

/// A model whose agent begins a helper, and whose helper wants to make a file.
async fn world(test: &str) -> Option<World> {
    let begin = json!({"description": "Write a file", "prompt": "Please write it.",
        "subagent_type": "general-purpose", "run_in_background": true});
    let script = vec![
        Reply::new([Block::tool("toolu_agent", "Agent", begin)]),
        Reply::text("Started it."),
        Reply::text("Second turn."),
        Reply::text("The helper is done."),
    ];
    let world = World::open(test, script).await?;
    let makes = json!({"command": "touch made.txt", "description": "Makes it"});
    world.mock.push_for_subagents(Reply::new([Block::tool("toolu_bash", "Bash", makes)]));
    world.mock.push_for_subagents(Reply::text("It is written."));
    Some(world)
}

/// Waits until the first turn is over and the helper asks.
async fn asked(stage: &mut Stage, session: SessionId) -> Approval {
    stage.until_said(session, "Started it.").await;
    stage.until_idle(session).await;
    stage.desk.until("the helper asks", |known| known.open_approval(session).is_some()).await;
    stage.desk.mirror.open_approval(session).unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_107_a_background_helper_asks_after_the_turn_and_across_another_and_gets_its_answer() {
    let Some(world) = world("case_107_a_background_helper_asks").await else { return };
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    let approval = asked(&mut stage, session).await;
    assert_eq!(approval.asked_by.as_deref(), Some("Write a file"));
    assert_eq!(stage.desk.mirror.sessions[&session].state, SessionState::Idle);

    stage.sessions.send_message(session, "Another thing.".to_owned()).await.unwrap();
    stage.until_said(session, "Second turn.").await;
    stage.until_idle(session).await;
    assert_eq!(stage.desk.mirror.approvals[&approval.id].state, ApprovalState::Open);
    assert!(!world.project.path().join("made.txt").exists());

    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    stage.until_said(session, "The helper is done.").await;
    assert!(world.project.path().join("made.txt").exists());
    stage.until_idle(session).await;
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
