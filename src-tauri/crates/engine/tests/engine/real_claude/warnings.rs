//! What the real `claude` warns of, and what it refuses itself.

use askdesk_domain::{AgentRemark, ApprovalOptionKind, RemarkStance, ToolStatus};
use askdesk_testkit::mock_api::Reply;

use super::{World, bash};
use crate::support::agents::denies;

#[tokio::test(flavor = "multi_thread")]
async fn case_138_the_real_agent_warns_of_a_deletion_of_its_home_and_a_denial_keeps_the_home() {
    let script = vec![bash("toolu_1", "rm -rf ~/"), Reply::text("Denied.")];
    let Some(world) = World::open("case_138_the_real_agent_warns", script).await else { return };
    let kept = world.home.path().join("kept.txt");
    std::fs::write(&kept, "mine").unwrap();
    let (mut stage, session) = world.started().await;
    let asked = stage.permission(session).await;
    let Some(AgentRemark { words: Some(words), stance: RemarkStance::NoByDefault }) = &asked.remark else {
        panic!("{asked:?}")
    };
    assert!(words.contains("Dangerous rm operation"), "{words}");
    assert_eq!(asked.description.as_deref(), Some("Runs it"), "what the model says stays its own");
    assert!(asked.options.iter().all(|option| option.kind != ApprovalOptionKind::AllowAlways), "{asked:?}");
    stage.desk.engine.decide_approval(asked.id, denies("keep it")).await.unwrap();
    stage.until_idle_after(session, "Denied.").await;
    assert!(kept.exists());
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Denied], "the user's own denial");
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
