//! Whole sessions of the real `claude`: changes of files, plans, modes and interrupts; its model is a mock on loopback.

use super::{Real, bash, interrupted, questions};
use crate::support::agents::{decides, in_mode, is_alive};
use crate::support::desk::{poll, rejected};
use askdesk_domain::{
    Approval, ApprovalDecision, ChangeRefused, ConfigId, OptionLabel, Rejection, SessionOptions, ToolDetail,
    ValueId,
};
use askdesk_testkit::mock_api::{Block, MockApi, Reply};
use serde_json::json;

fn write(id: &str, path: &str, content: &str) -> Reply {
    Reply::new([Block::tool(id, "Write", json!({"file_path": path, "content": content}))])
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
