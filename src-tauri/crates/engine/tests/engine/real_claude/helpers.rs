//! The real `claude` with a subagent in the background, which asks after the turn that began it.

use askdesk_domain::{
    Approval, ApprovalState, Helper, HelperEnd, HelperKind, Notice, SessionId, SessionState, ToolDetail,
};
use askdesk_engine::SessionCall;
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use super::{REQUEST_WITHIN, World};
use crate::support::agents::{Stage, decides, denies};
use crate::support::mirror::Mirror;

/// A model whose agent begins a helper, and whose helper wants to make a file.
async fn world(test: &str, second_turn: Reply) -> Option<World> {
    let begin = json!({"description": "Write a file", "prompt": "Please write it.",
        "subagent_type": "general-purpose", "run_in_background": true});
    let script = vec![
        Reply::new([Block::tool("toolu_agent", "Agent", begin)]),
        Reply::text("Started it."),
        second_turn,
        Reply::text("The helper is done."),
    ];
    let world = World::open(test, script).await?;
    let makes = json!({"command": "touch made.txt", "description": "Makes it"});
    world.mock.push_for_subagents(Reply::new([Block::tool("toolu_bash", "Bash", makes)]));
    world.mock.push_for_subagents(Reply::text("It is written."));
    Some(world)
}

/// A turn that lasts until it is stopped.
fn slow_turn() -> Reply {
    Reply::text("Never said.").after(60_000)
}

/// Waits until the first turn is over and the helper asks.
async fn asked(stage: &mut Stage, session: SessionId) -> Approval {
    stage.until_idle_after(session, "Started it.").await;
    stage.permission(session).await
}

#[tokio::test(flavor = "multi_thread")]
async fn case_107_a_background_helper_asks_after_the_turn_and_across_another_and_gets_its_answer() {
    let Some(world) = world("case_107_a_background_helper_asks", Reply::text("Second turn.")).await else {
        return;
    };
    let (mut stage, session) = world.started().await;
    let approval = asked(&mut stage, session).await;
    assert_eq!(approval.asked_by.as_deref(), Some("Write a file"));
    assert_eq!(stage.desk.mirror.sessions[&session].state, SessionState::Idle);

    stage.sessions.call(session, SessionCall::message("Another thing.".to_owned())).await.unwrap();
    stage.until_idle_after(session, "Second turn.").await;
    assert_eq!(stage.desk.mirror.approvals[&approval.id].state, ApprovalState::Open);
    let [helper] = stage.desk.mirror.sessions[&session].helpers.as_slice() else { panic!() };
    assert_eq!((helper.kind, helper.title.as_str()), (HelperKind::Subagent, "Write a file"));
    assert_eq!(approval.helper.as_ref(), Some(&helper.id));
    assert!(!world.project.path().join("made.txt").exists());

    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    stage.until_said(session, "The helper is done.").await;
    assert!(world.project.path().join("made.txt").exists());
    stage.until_idle(session).await;
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

fn helpers(stage: &Stage, session: SessionId) -> Vec<Helper> {
    stage.desk.mirror.sessions[&session].helpers.clone()
}

/// Waits until the helper has left the list, and returns how it ended.
async fn end_of(stage: &mut Stage, session: SessionId, helper: &Helper) -> HelperEnd {
    let end_in = |known: &Mirror| {
        known.notices(session).into_iter().find_map(|notice| match notice {
            Notice::HelperEnded { title, end, .. } if *title == helper.title => Some(*end),
            _ => None,
        })
    };
    stage.desk.until("the transcript tells of the end", |known| end_in(known).is_some()).await;
    assert!(helpers(stage, session).iter().all(|known| known.id != helper.id), "it has left the list");
    end_in(&stage.desk.mirror).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_107_a_background_shell_outlives_the_turn_and_is_stopped_alone() {
    let shell = |title: &str| json!({"command": "while :; do sleep 1; done", "description": title, "run_in_background": true});
    let begin =
        [Block::tool("toolu_1", "Bash", shell("First")), Block::tool("toolu_2", "Bash", shell("Second"))];
    let script = vec![Reply::new(begin), Reply::text("Started both."), Reply::text("Second turn.")];
    let Some(world) = World::open("case_107_a_background_shell_is_stopped_alone", script).await else {
        return;
    };
    let (mut stage, session) = world.started().await;
    for command in 0..2 {
        stage.desk.until("a shell needs a permission", |known| known.open_approval(session).is_some()).await;
        let id = stage.desk.mirror.open_approval(session).unwrap().id;
        stage.desk.engine.decide_approval(id, decides(&["allow"])).await.unwrap();
        stage
            .desk
            .until("the shell works", move |known| known.sessions[&session].helpers.len() > command)
            .await;
    }
    stage.until_idle_after(session, "Started both.").await;
    let both = helpers(&stage, session);
    let [first, second] = both.as_slice() else { panic!("{both:?}") };
    assert_eq!((first.kind, first.title.as_str()), (HelperKind::Shell, "First"));

    stage.sessions.call(session, SessionCall::StopHelper(first.id.clone())).await.unwrap();
    assert_eq!(end_of(&mut stage, session, first).await, HelperEnd::ByUser);
    assert_eq!(helpers(&stage, session), std::slice::from_ref(second));
    assert!(stage.sessions.call(session, SessionCall::StopHelper(first.id.clone())).await.is_err());
    stage.sessions.call(session, SessionCall::message("Another thing.".to_owned())).await.unwrap();
    stage.until_idle_after(session, "Second turn.").await;
    assert_eq!(helpers(&stage, session), std::slice::from_ref(second));
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
    assert_eq!(end_of(&mut stage, session, second).await, HelperEnd::WithAgent);
}

/// Stops the agent between turns and within one, while the helper waits for a permission.
async fn stopped(world: &World, stage: &mut Stage, session: SessionId) -> (Helper, Approval) {
    let approval = asked(stage, session).await;
    let [helper] = helpers(stage, session).try_into().unwrap();
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.sessions.call(session, SessionCall::message("Another thing.".to_owned())).await.unwrap();
    world.mock.wait_for_request(3, REQUEST_WITHIN).await.expect("the model is asked");
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.desk.until("the turn ends", |known| known.turns(session).len() == 2).await;
    stage.until_idle(session).await;
    assert_eq!(helpers(stage, session), std::slice::from_ref(&helper));
    assert_eq!(stage.desk.mirror.approvals[&approval.id].state, ApprovalState::Open);
    (helper, approval)
}

#[tokio::test(flavor = "multi_thread")]
async fn case_139_stop_ends_the_turn_and_a_subagent_works_on_to_its_end() {
    let Some(world) = world("case_139_a_subagent_works_on", slow_turn()).await else { return };
    let (mut stage, session) = world.started().await;
    let (helper, approval) = stopped(&world, &mut stage, session).await;
    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    assert_eq!(end_of(&mut stage, session, &helper).await, HelperEnd::Finished);
    assert!(world.project.path().join("made.txt").exists());
    stage.until_said(session, "The helper is done.").await;
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_108_a_subagent_of_a_session_that_asks_asks_too() {
    // Every subagent works in the background (measured with 2.1.329).
    let begin =
        json!({"description": "Makes files", "prompt": "Make them.", "subagent_type": "general-purpose"});
    let script = vec![
        Reply::new([Block::tool("toolu_agent", "Agent", begin)]),
        Reply::text("Started it."),
        Reply::text("All done."),
    ];
    let Some(world) = World::open("case_108_claude_subagent", script).await else { return };
    let path = |name: &str| world.project.path().join(name);
    let writes = |id: &str, name: &str| {
        Reply::new([Block::tool(id, "Write", json!({"file_path": path(name), "content": "made"}))])
    };
    world.mock.push_for_subagents(writes("toolu_1", "denied.txt"));
    world.mock.push_for_subagents(writes("toolu_2", "allowed.txt"));
    world.mock.push_for_subagents(Reply::text("Made."));
    let (mut stage, session) = world.started().await;

    let mut asked = Vec::new();
    for (file, decision) in [("denied.txt", denies("Not that file.")), ("allowed.txt", decides(&["allow"]))] {
        let before = asked.clone();
        let next = |known: &Mirror| {
            known.open_approval(session).filter(|approval| !before.contains(&approval.id)).cloned()
        };
        stage.desk.until("the subagent asks", |known| next(known).is_some()).await;
        let approval = next(&stage.desk.mirror).unwrap();
        assert!(
            matches!(&approval.subject, ToolDetail::Write { path, .. } if path.ends_with(file)),
            "{approval:?}"
        );
        assert!(!path(file).exists());
        stage.desk.engine.decide_approval(approval.id, decision).await.unwrap();
        asked.push(approval.id);
    }
    stage.until_idle_after(session, "All done.").await;
    assert!(path("allowed.txt").exists());
    assert!(!path("denied.txt").exists());
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
