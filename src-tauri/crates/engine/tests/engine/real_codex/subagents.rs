//! The real `codex` with a subagent, which works beside the turn that began it.

use askdesk_domain::{Approval, ApprovalDecision, ApprovalState, SessionId, ToolDetail, ToolStatus};
use askdesk_engine::SessionCall;
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::{Value, json};

use super::world::{ROLE_MODEL, World, ask, asking_first, decision, shell};
use crate::support::agents::choose;
use crate::support::mirror::Mirror;

fn spawn(mut with: Value) -> Reply {
    with["message"] = json!("Make them.");
    Reply::new([Block::tool("call_1", "spawn_agent", with)])
}

/// Lets a model's subagent make two files, one after the other.
fn make_two_files(world: &World) {
    world.mock.push_for_subagents(shell("sub_1", "touch denied.txt"));
    world.mock.push_for_subagents(shell("sub_2", "touch allowed.txt"));
    world.mock.push_for_subagents(Reply::text("Made."));
}

/// Waits until the subagent asks to make a file, and sees that it is not there.
async fn asked_for(world: &mut World, session: SessionId, file: &str) -> Approval {
    let approval = world.stage.permission(session).await;
    let ToolDetail::Command { command, .. } = &approval.subject else { panic!("{:?}", approval.subject) };
    assert!(command.contains(file), "{command}");
    assert!(approval.asked_by.is_some(), "it says who asks");
    assert!(!world.file(file));
    approval
}

async fn decide_both(world: &mut World, session: SessionId) {
    let approval = asked_for(world, session, "denied.txt").await;
    let refused = ApprovalDecision { message: Some("Not that file.".to_owned()), ..decision("decline") };
    world.decide(&approval, refused).await;
    let approval = asked_for(world, session, "allowed.txt").await;
    world.decide(&approval, decision("accept")).await;
}

/// Checks that a subagent that is started this way asks for each file, and returns the models that were called.
async fn subagent_asks(test: &str, with: Value, prepare: impl FnOnce(&World)) -> Option<Vec<String>> {
    let wait = json!([{"id": "go", "header": "Go", "question": "Shall I go on?", "options": [
        {"label": "Yes", "description": "Go on"}, {"label": "No", "description": "End"}]}]);
    let script = vec![spawn(with), Reply::new([ask("call_2", &wait)]), Reply::text("All done.")];
    let mut world = World::open(test, script).await?;
    prepare(&world);
    make_two_files(&world);
    let session = world.start_with("Please go on.", asking_first()).await;
    decide_both(&mut world, session).await;
    // The question keeps the turn open until the subagent has worked.
    let request = world.stage.asked_one(session).await;
    world.until_status(session, ToolStatus::Done).await;
    world.stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["Yes"])]).await.unwrap();
    world.stage.until_idle_after(session, "All done.").await;
    assert_eq!([world.file("denied.txt"), world.file("allowed.txt")], [false, true]);
    world.stage.desk.check_mirror().await;
    let requests = world.mock.requests();
    Some(requests.iter().filter_map(|request| request.body["model"].as_str().map(str::to_owned)).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn case_108_a_subagent_of_a_session_that_asks_asks_too() {
    subagent_asks("case_108_codex_subagent", json!({}), |_| {}).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_108_a_role_that_never_asks_does_not_free_the_subagent_of_a_session_that_asks() {
    let with = json!({"agent_type": "loose"});
    let Some(models) = subagent_asks("case_108_codex_role", with, World::add_role_that_never_asks).await
    else {
        return;
    };
    assert!(models.iter().any(|model| model == ROLE_MODEL), "the subagent had the role: {models:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_107_a_subagent_asks_across_the_turns_of_its_session_and_gets_its_answer() {
    let script = vec![spawn(json!({})), Reply::text("Started it."), Reply::text("I go on.")];
    let Some(mut world) = World::open("case_107_codex_subagent", script).await else { return };
    make_two_files(&world);
    let session = world.start_with("Please go on.", asking_first()).await;
    let approval = asked_for(&mut world, session, "denied.txt").await;
    world.stage.until_idle_after(session, "Started it.").await;
    world.stage.sessions.call(session, SessionCall::message("And now?".to_owned())).await.unwrap();
    world.stage.until_idle_after(session, "I go on.").await;
    let open = |known: &Mirror| known.approvals[&approval.id].state == ApprovalState::Open;
    assert!(open(&world.stage.desk.mirror));
    decide_both(&mut world, session).await;
    world.until_status(session, ToolStatus::Done).await;
    assert_eq!([world.file("denied.txt"), world.file("allowed.txt")], [false, true]);
    world.stage.desk.check_mirror().await;
}
