//! Whole sessions of the real `claude`: permissions, plans, modes and interrupts; its model is a mock on loopback.

use std::time::{Duration, Instant};

use super::{World, questions};
use crate::support::agents::{Stage, decides, denies, in_mode, is_alive};
use crate::support::desk::{poll, rejected};
use crate::support::mirror::Mirror;
use askdesk_domain::{
    Approval, ApprovalDecision, ApprovalOption, ChangeRefused, ConfigId, EntryBody, Notice, OptionLabel,
    OptionScope, Rejection, SessionId, SessionOptions, ToolDetail, ToolRule, ValueId,
};
use askdesk_testkit::mock_api::{Block, MockApi, Reply};
use serde_json::{Value, json};

/// A session of the real program in folders of its own.
struct Real {
    stage: Stage,
    session: SessionId,
    world: World,
}

impl Real {
    /// Starts a session with a first message, or reports that the test was skipped.
    async fn start(test: &str, options: SessionOptions, script: Vec<Reply>) -> Option<Self> {
        let world = World::open(test, script).await?;
        std::fs::write(world.project.path().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
        let stage = Stage::open().await;
        let session = world.start(&stage, options).await;
        Some(Self { stage, session, world })
    }

    /// Waits for the one approval that is open.
    async fn asked(&mut self) -> Approval {
        self.stage.permission(self.session).await
    }

    async fn decide(&self, approval: &Approval, decision: ApprovalDecision) {
        self.stage.desk.engine.decide_approval(approval.id, decision).await.unwrap();
    }

    async fn until_mode(&mut self, mode: &str) {
        self.stage.until_mode(self.session, mode).await;
    }

    /// Waits until so many turns have ended.
    async fn until_turns(&mut self, count: usize) {
        let session = self.session;
        let ended = |known: &Mirror| known.turns(session).len() >= count;
        self.stage.desk.until(&format!("{count} turns"), ended).await;
    }

    async fn say(&self, text: &str) {
        self.stage.sessions.send_message(self.session, text.to_owned()).await.unwrap();
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.world.project.path().join(name)).ok()
    }

    /// The last result of a call that the model got.
    fn result_of(&self, tool_use: &str) -> String {
        let conversation = self.world.mock.conversation();
        let messages = conversation.last().unwrap()["messages"].as_array().unwrap().clone();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        let mut results = blocks.filter(|block| block["tool_use_id"] == tool_use);
        results.next_back().map(|block| block["content"].to_string()).unwrap_or_default()
    }

    async fn stop(mut self) {
        self.stage.sessions.stop(self.session).await.unwrap();
        self.stage.until_ended(self.session).await;
        self.stage.desk.check_mirror().await;
    }
}

fn bash(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({"command": command, "description": "Runs it"}))])
}

fn write(id: &str, path: &str, content: &str) -> Reply {
    Reply::new([Block::tool(id, "Write", json!({"file_path": path, "content": content}))])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_allowed_once_then_by_a_rule_and_another_is_denied_with_a_message() {
    let script = vec![
        bash("toolu_1", "mkdir once"),
        bash("toolu_2", "mkdir ruled"),
        bash("toolu_3", "mkdir ruled -p"),
        bash("toolu_4", "mkdir denied"),
        Reply::text("Done."),
    ];
    let Some(mut real) = Real::start("a_command_is_allowed_once", SessionOptions::default(), script).await
    else {
        return;
    };
    let first = real.asked().await;
    let description = Some("Runs it".to_owned());
    assert_eq!(first.subject, ToolDetail::Command { command: "mkdir once".to_owned(), description });
    real.decide(&first, decides(&["allow"])).await;

    real.stage.desk.until("the second approval", |known| known.approvals.len() == 2).await;
    let second = real.asked().await;
    let rule = OptionLabel::Tool {
        tool: "Bash".to_owned(),
        content: Some("mkdir ruled *".to_owned()),
        behavior: ToolRule::Allow,
    };
    let is_rule = |it: &&ApprovalOption| it.label == rule && it.scope == Some(OptionScope::Local);
    let offered = second.options.iter().find(is_rule).unwrap().id.clone();
    real.decide(&second, ApprovalDecision::of(offered)).await;

    real.stage.desk.until("the third approval", |known| known.approvals.len() == 3).await;
    let third = real.asked().await;
    assert!(
        matches!(&third.subject, ToolDetail::Command { command, .. } if command == "mkdir denied"),
        "{third:?}"
    );
    real.decide(&third, denies("Not this one, please.")).await;
    real.until_turns(1).await;

    let made = ["once", "ruled", "denied"].map(|name| real.world.project.path().join(name).is_dir());
    assert_eq!(made, [true, true, false]);
    let kept: Value = serde_json::from_str(&real.file(".claude/settings.local.json").unwrap()).unwrap();
    assert_eq!(kept, json!({"permissions": {"allow": ["Bash(mkdir ruled *)"]}}));
    assert!(real.result_of("toolu_4").contains("Not this one, please."), "{}", real.result_of("toolu_4"));
    real.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_to_a_file_is_shown_as_a_difference_and_made_when_it_is_allowed() {
    let Some(mut real) = Real::start("a_change_to_a_file", SessionOptions::default(), vec![]).await else {
        return;
    };
    real.until_turns(1).await;
    let path = real.world.project.path().join("notes.txt").display().to_string();
    let input = json!({"file_path": path, "old_string": "two", "new_string": "zwei\nund mehr"});
    real.world.mock.push(Reply::new([Block::tool("toolu_r", "Read", json!({"file_path": path}))]));
    real.world.mock.push(Reply::new([Block::tool("toolu_e", "Edit", input)]));
    real.world.mock.push(Reply::text("Changed."));
    real.say("Change it.").await;
    let approval = real.asked().await;
    let diff = "@@ -1 +1,2 @@\n-two\n+zwei\n+und mehr\n".to_owned();
    assert_eq!(approval.subject, ToolDetail::Edit { path, diff });
    let accept =
        OptionLabel::Config { option: ConfigId::literal("mode"), value: ValueId::literal("accept_edits") };
    let rule = approval.options.iter().find(|it| it.label == accept).unwrap().id.clone();
    real.decide(&approval, ApprovalDecision::of(rule)).await;
    real.until_mode("accept_edits").await;
    real.until_turns(2).await;
    assert_eq!(real.file("notes.txt").unwrap(), "one\nzwei\nund mehr\nthree\n");
    real.stop().await;
}

/// Starts planning; the model has written its plan and hands it in.
async fn planning(test: &str) -> Option<(Real, Approval)> {
    let mut real = Real::start(test, in_mode("plan"), vec![]).await?;
    real.until_turns(1).await;
    real.until_mode("plan").await;
    let file = plan_file(&real.world.mock);
    real.world.mock.push(write("toolu_w", &file, "# Plan\n\n1. Do it\n"));
    real.world.mock.push(Reply::new([Block::tool("toolu_p", "ExitPlanMode", json!({}))]));
    real.world.mock.push(Reply::text("Well."));
    real.say("Hand in the plan.").await;
    let approval = real.asked().await;
    let plan = ToolDetail::Plan { plan: "# Plan\n\n1. Do it\n".to_owned(), path: Some(file) };
    assert_eq!(approval.subject, plan);
    Some((real, approval))
}

/// The plan file that the prompt names.
fn plan_file(mock: &MockApi) -> String {
    let asked = mock.conversation().last().unwrap().to_string();
    let folder = "/.claude/plans/";
    let middle = asked.find(folder).unwrap_or_else(|| panic!("no plan file is named in {asked}"));
    let start = asked[..middle].rfind(|it: char| it.is_whitespace() || "\"'`(".contains(it)).unwrap() + 1;
    let end = middle + asked[middle..].find(".md").unwrap() + ".md".len();
    asked[start..end].to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_gets_an_edited_plan_and_the_chosen_mode_follows() {
    let Some((mut real, approval)) = planning("an_edited_plan").await else { return };
    let plan = Some("# Plan\n\n1. Do it twice\n".to_owned());
    let decision = ApprovalDecision { plan, ..decides(&["allow:accept_edits"]) };
    real.decide(&approval, decision).await;
    real.until_turns(2).await;
    real.until_mode("accept_edits").await;
    let told = real.result_of("toolu_p");
    assert!(told.contains("1. Do it twice") && told.contains("edited"), "{told}");
    real.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stops_a_running_command_and_the_session_continues() {
    let command = "echo $$ > begun; until [ -e never ]; do sleep 1; done; touch late";
    let script = vec![bash("toolu_s", command), Reply::text("Here again.")];
    let Some(mut real) = Real::start("an_interrupt_stops_a_command", SessionOptions::default(), script).await
    else {
        return;
    };
    let approval = real.asked().await;
    real.decide(&approval, decides(&["allow"])).await;
    let begun = || real.file("begun").filter(|text| text.ends_with('\n'));
    poll("the command begins", || begun().is_some()).await;
    let shell = begun().unwrap();
    let real = interrupted(real).await;
    poll("the command ends", || !is_alive(shell.trim())).await;
    real.stop().await;
}

/// Interrupts a turn, and fails unless it stops soon without an error and the session takes another message.
async fn interrupted(mut real: Real) -> Real {
    let asked = Instant::now();
    real.stage.sessions.interrupt(real.session).unwrap();
    real.until_turns(1).await;
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let ended = real.stage.desk.mirror.turns(real.session)[0].clone();
    assert!(matches!(ended, EntryBody::TurnEnded { error: None, .. }), "{ended:?}");
    assert!(real.stage.desk.mirror.notices(real.session).contains(&&Notice::Interrupted));
    assert!(!real.stage.desk.mirror.live.contains_key(&real.session));
    real.say("Are you there?").await;
    real.stage.until_said(real.session, "Here again.").await;
    real.until_turns(2).await;
    assert_eq!(real.file("late"), None);
    real
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_and_model_change_between_turns_and_a_refusal_has_the_agents_words() {
    let Some(mut real) = Real::start("mode_and_model_change", SessionOptions::default(), vec![]).await else {
        return;
    };
    real.until_turns(1).await;
    real.stage.set(real.session, "mode", "accept_edits").await.unwrap();
    real.until_mode("accept_edits").await;
    let refused = real.stage.set(real.session, "mode", "bypass").await.unwrap_err();
    let Rejection::AgentRefused { why: ChangeRefused::InWords { words } } = rejected(refused) else {
        panic!("no refusal")
    };
    assert!(words.contains("bypassPermissions"), "{words}");
    real.stage.set(real.session, "model", "claude-sonnet-4-5").await.unwrap();

    let path = real.world.project.path().join("made.txt").display().to_string();
    real.world.mock.push(write("toolu_w", &path, "made\n"));
    real.say("Write it.").await;
    real.until_turns(2).await;
    assert_eq!(real.file("made.txt").as_deref(), Some("made\n"));
    assert!(real.stage.desk.mirror.approvals.is_empty());
    assert_eq!(real.world.mock.conversation().last().unwrap()["model"], "claude-sonnet-4-5");
    let session = &real.stage.desk.mirror.sessions[&real.session];
    assert_eq!(session.model.as_deref(), Some("claude-sonnet-4-5"));
    // Any name is accepted; the model may refuse it later.
    real.stage.set(real.session, "model", "no-such-model").await.unwrap();
    real.say("Who are you?").await;
    real.until_turns(3).await;
    assert_eq!(real.world.mock.conversation().last().unwrap()["model"], "no-such-model");
    real.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_42_with_bypass_commands_need_no_permission_and_a_question_still_waits_for_the_user() {
    let asks = Reply::question("toolu_q", &questions());
    let script = vec![bash("toolu_1", "mkdir free"), asks, Reply::text("Thank you.")];
    let Some(mut real) = Real::start("with_bypass_commands_run", in_mode("bypass"), script).await else {
        return;
    };
    let request = real.stage.asked_one(real.session).await;
    assert!(real.world.project.path().join("free").is_dir());
    // It can return to this mode, because it was started in it.
    for mode in ["default", "bypass"] {
        real.stage.set(real.session, "mode", mode).await.unwrap();
        real.until_mode(mode).await;
    }
    real.stage.answer(&request, "PostgreSQL").await;
    real.until_turns(1).await;
    assert!(real.result_of("toolu_q").contains("PostgreSQL"), "{}", real.result_of("toolu_q"));
    assert!(real.stage.desk.mirror.approvals.is_empty());
    real.stop().await;
}
