//! What the real `claude` warns of, and what it refuses itself.

use askdesk_domain::{AgentRemark, ApprovalOptionKind, ApprovalState, RemarkStance, ToolStatus};
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use super::World;
use crate::support::agents::{Stage, denies};

fn bash(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({"command": command, "description": "clean"}))])
}

#[tokio::test(flavor = "multi_thread")]
async fn case_138_the_real_agent_warns_of_a_deletion_of_its_home_and_a_denial_keeps_the_home() {
    let script = vec![bash("toolu_1", "rm -rf ~/"), Reply::text("Denied.")];
    let Some(world) = World::open("case_138_the_real_agent_warns", script).await else { return };
    let kept = world.home.path().join("kept.txt");
    std::fs::write(&kept, "mine").unwrap();
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    stage.desk.until("the permission", |known| known.open_approval(session).is_some()).await;
    let asked = stage.desk.mirror.open_approval(session).unwrap().clone();
    let Some(AgentRemark { words: Some(words), stance: RemarkStance::NoByDefault }) = &asked.remark else {
        panic!("{asked:?}")
    };
    assert!(words.contains("Dangerous rm operation"), "{words}");
    assert_eq!(asked.description.as_deref(), Some("clean"), "what the model says stays its own");
    assert!(asked.options.iter().all(|option| option.kind != ApprovalOptionKind::AllowAlways), "{asked:?}");
    stage.desk.engine.decide_approval(asked.id, denies("keep it")).await.unwrap();
    stage.until_said(session, "Denied.").await;
    stage.until_idle(session).await;
    assert!(kept.exists());
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Denied], "the user's own denial");
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_139_what_the_real_agents_rules_forbid_was_refused_by_it_and_a_stop_is_nobodys_refusal() {
    let script = vec![bash("toolu_1", "mkdir forbidden"), bash("toolu_2", "mkdir asked")];
    let Some(world) = World::open("case_139_what_the_real_agents_rules_forbid", script).await else { return };
    let settings = world.home.path().join(".claude");
    std::fs::create_dir_all(&settings).unwrap();
    let rules = json!({"permissions": {"deny": ["Bash(mkdir forbidden)"]}});
    std::fs::write(settings.join("settings.json"), rules.to_string()).unwrap();
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    stage.desk.until("the permission", |known| known.open_approval(session).is_some()).await;
    let asked = stage.desk.mirror.open_approval(session).unwrap().id;
    let statuses = [ToolStatus::Refused, ToolStatus::AwaitingPermission];
    stage
        .desk
        .until("a refused call and one that waits", |known| known.tool_statuses(session) == statuses)
        .await;
    stage.sessions.interrupt(session).unwrap();
    stage.until_idle(session).await;
    let state = &stage.desk.mirror.approvals[&asked].state;
    assert!(matches!(state, ApprovalState::Withdrawn { .. }), "{state:?}");
    let statuses = stage.desk.mirror.tool_statuses(session);
    assert!(!statuses[1..].contains(&ToolStatus::Refused), "{statuses:?}");
    assert!(!world.project.path().join("forbidden").exists());
    stage.sessions.stop(session).await.unwrap();
}
