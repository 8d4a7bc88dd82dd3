//! Rules of the user's own, with whole sessions of the fake agent.

use std::path::Path;

use crate::support::agents::{Stage, fake_agent};
use crate::support::own_process::{handed_folder, kill_at};
use askdesk_desk::News;
use askdesk_domain::{
    Approval, ApprovalDecision, ApprovalState, PermissionRule, RequestState, RuleAction, SessionId, Settings,
    ToolStatus,
};
use rstest::rstest;
use serde_json::json;

fn rule(action: RuleAction, tool: &str, argument: Option<&str>) -> PermissionRule {
    PermissionRule { action, tool: tool.to_owned(), argument: argument.map(str::to_owned), folder: None }
}

fn set(stage: &Stage, rules: &[PermissionRule]) {
    let permission_rules = rules.to_vec().try_into().unwrap();
    stage.settings.send_replace(Settings { permission_rules, ..Settings::default() });
}

/// A session that runs a command, asks a question, and runs the command again.
async fn command_question_command(stage: &Stage, folder: &Path) -> SessionId {
    let command = json!({"tool": {"name": "Bash", "input": {"command": "cd notes && rm -rf old"}, "result": "gone",
        "ask_permission": true, "suggestions": []}});
    let options = json!([{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]);
    let question = json!({"ask": {"questions": [
        {"question": "Which one?", "header": "One", "multiSelect": false, "options": options}]}});
    let scenario = json!({"name": "cleaning", "title": "Cleaning", "description": "Cleans.",
        "turns": [[command, question, command, {"say": {"text": "Clean."}}]]});
    let path = folder.join("cleaning.json");
    std::fs::write(&path, scenario.to_string()).unwrap();
    stage.play(path.to_str().unwrap()).await
}

fn approvals(stage: &Stage) -> Vec<Approval> {
    stage.desk.mirror.approvals.values().cloned().collect()
}

#[tokio::test]
async fn case_100_a_rule_denies_without_a_notification_never_a_question_and_its_removal_takes_effect_at_once()
{
    let mut stage = Stage::open().await;
    let folder = tempfile::tempdir().unwrap();
    // The second one would match the question too, if rules did.
    let rules = [rule(RuleAction::Deny, "Bash", Some("rm *")), rule(RuleAction::Deny, "*", None)];
    set(&stage, &rules);
    let session = command_question_command(&stage, folder.path()).await;

    let question = stage.asked_one(session).await;
    assert_eq!(question.state, RequestState::Open);
    let message = rules[0].denial();
    assert_eq!(stage.responses(session), [json!({"behavior": "deny", "message": message})]);
    let [denied] = approvals(&stage).try_into().unwrap();
    assert_eq!(denied.denied_by(), Some(&rules[0]));
    assert!(matches!(
        &denied.state,
        ApprovalState::Decided { decision: ApprovalDecision { message: Some(said), .. }, error: None, .. } if *said == message
    ));
    // Nobody is notified of what a rule decided.
    assert_eq!(stage.desk.news(), [News::Asked(question.id)]);
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Denied]);

    set(&stage, &[]);
    stage.answer(&question, "A").await;
    stage.desk.until("an open approval", |known| known.open_approval(session).is_some()).await;
    assert_eq!(stage.desk.mirror.open_approval(session).unwrap().rule, None);
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_100_a_rule_reaches_a_session_that_runs_and_only_its_folder() {
    let mut stage = Stage::open().await;
    let folder = tempfile::tempdir().unwrap();
    let elsewhere =
        PermissionRule { folder: Some("/somewhere/else".to_owned()), ..rule(RuleAction::Deny, "Bash", None) };
    set(&stage, std::slice::from_ref(&elsewhere));
    let session = command_question_command(&stage, folder.path()).await;
    let open = stage.permission(session).await;
    let here =
        PermissionRule { folder: Some(stage.desk.mirror.sessions[&session].folder.clone()), ..elsewhere };
    set(&stage, std::slice::from_ref(&here));
    // A request that is open stays the user's.
    let denies = crate::support::agents::denies("not now");
    stage.desk.engine.decide_approval(open.id, denies).await.unwrap();
    let question = stage.asked_one(session).await;
    stage.answer(&question, "B").await;
    stage.until_said(session, "Clean.").await;
    let rules: Vec<_> = approvals(&stage).into_iter().map(|approval| approval.rule).collect();
    assert_eq!(rules, [None, Some(here)]);
}

/// A command that a rule denies. The test below kills it on the way, in its own process.
#[tokio::test]
async fn one_denial() {
    let own = tempfile::tempdir().unwrap();
    let folder = handed_folder().unwrap_or_else(|| own.path().to_owned());
    let mut stage = Stage::open_at(&folder).await;
    set(&stage, &[rule(RuleAction::Deny, "Bash", None)]);
    let session = stage.play("approval").await;
    stage.until_said(session, "Done with the commands.").await;
    assert_eq!(stage.responses(session).len(), 2);
}

#[rstest]
#[case::register("Deciding Approval Ask", false)]
#[case::commit("Committed Approval Ask", true)]
#[case::fold("Folded Approval Ask", true)]
#[case::publish("Published Approval Ask", true)]
#[tokio::test]
async fn case_100_after_a_kill_a_request_that_a_rule_matched_is_never_found_open(
    #[case] step: &str,
    #[case] on_record: bool,
) {
    let folder = tempfile::tempdir().unwrap();
    fake_agent();
    kill_at(step, module_path!(), "one_denial", folder.path());
    let mut stage = Stage::open_at(folder.path()).await;
    let now = stage.desk.snapshot().await;
    let found: Vec<_> = now.approvals.iter().map(|approval| approval.state == ApprovalState::Open).collect();
    assert!(!found.contains(&true), "{:?}", now.approvals);
    let page = stage.desk.engine.whole(now.sessions[0].id).await.unwrap();
    let denied: Vec<_> = page.approvals.iter().filter_map(Approval::denied_by).collect();
    assert_eq!(denied.len(), usize::from(on_record));
    // The agent had no permission: nothing was sent but what the rule says.
    assert!(stage.responses(now.sessions[0].id).is_empty());
    assert_eq!(stage.desk.news(), []);
}
