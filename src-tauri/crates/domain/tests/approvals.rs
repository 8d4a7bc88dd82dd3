//! Which decision fits which approval, and what earlier versions have kept of one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what tests share may fail the test")]

#[path = "support/desks.rs"]
mod desks;

use askdesk_domain::tool::{DETAIL_BYTES, DETAIL_CUT_MARK};
use askdesk_domain::{
    Approval, ApprovalDecision, AskApproval, Breach, Command, Desk, Effect, EntryBody, Event, PermissionMode,
    Reject, RuleBehaviour, RuleId, RuleScope, RuleWords, Session, SessionOptions, SuggestedRule, ToolDetail,
    decide,
};
use desks::*;
use rstest::rstest;
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Build it";

fn rule(index: usize) -> SuggestedRule {
    let words = RuleWords::Tool {
        tool: "Bash".to_owned(),
        content: Some(format!("ls {index}")),
        behaviour: RuleBehaviour::Allow,
    };
    SuggestedRule { id: RuleId::at(index), rule: words, scope: RuleScope::Local }
}

fn plan(text: &str) -> ToolDetail {
    ToolDetail::Plan { plan: text.to_owned(), path: None }
}

/// A desk whose one session, started in a mode, waits for leave to do something.
fn waiting(what: ToolDetail, mode: Option<PermissionMode>) -> Desk {
    let Command::StartSession { id, agent, name, folder, at, .. } = start(1) else { unreachable!() };
    let options = SessionOptions { mode, ..SessionOptions::default() };
    let Command::AskApproval(ask) = ask_approval(1, 1) else { unreachable!() };
    let ask = AskApproval { what, rules: (0..3).map(rule).collect(), ..ask };
    desk(&[Command::StartSession { id, agent, name, folder, options, at }, Command::AskApproval(ask)])
}

fn command() -> ToolDetail {
    ToolDetail::Command { command: "ls".to_owned(), description: None }
}

fn with_rules(places: &[usize]) -> ApprovalDecision {
    ApprovalDecision::AllowWithRules { rules: places.iter().map(|place| RuleId::at(*place)).collect() }
}

fn approve(mode: Option<PermissionMode>, plan: Option<&str>) -> ApprovalDecision {
    ApprovalDecision::ApprovePlan { mode, plan: plan.map(str::to_owned) }
}

fn decided(desk: &Desk, decision: ApprovalDecision) -> Result<ApprovalDecision, Reject> {
    let command = Command::DecideApproval { approval: approval(1), decision, at: at(100) };
    let decision = decide(desk, &command)?;
    match decision.effects.as_slice() {
        [Effect::WithdrawApprovalNotification { .. }, Effect::ResolveApproval { decision, .. }] => {
            Ok(decision.clone())
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::rules_in_order_and_once(with_rules(&[2, 0, 2]), with_rules(&[0, 2]))]
#[case::once(ApprovalDecision::AllowOnce, ApprovalDecision::AllowOnce)]
fn what_was_suggested_can_be_chosen(#[case] wanted: ApprovalDecision, #[case] expected: ApprovalDecision) {
    assert_eq!(decided(&waiting(command(), None), wanted), Ok(expected));
}

#[rstest]
#[case::unknown(with_rules(&[0, 3]), "decision.rules[1]", "no rule r4 was suggested with this approval")]
#[case::none(with_rules(&[]), "decision.rules", Breach::NoRule)]
#[case::no_plan(approve(None, None), "decision", Breach::NoPlan)]
fn what_was_not_suggested_is_refused(
    #[case] wanted: ApprovalDecision,
    #[case] field: &str,
    #[case] rule: impl Into<Breach>,
) {
    assert_eq!(decided(&waiting(command(), None), wanted), Err(Reject::invalid(field, rule)));
}

#[rstest]
#[case::as_it_is(approve(None, None), approve(None, None))]
#[case::unchanged(approve(None, Some(PLAN)), approve(None, None))]
#[case::edited(
    approve(Some(PermissionMode::AcceptEdits), Some("# Less\r\n")),
    approve(Some(PermissionMode::AcceptEdits), Some("# Less\n"))
)]
#[case::sent_back(ApprovalDecision::Deny { message: Some("smaller".to_owned()) },
    ApprovalDecision::Deny { message: Some("smaller".to_owned()) })]
fn a_plan_is_approved_edited_or_sent_back(
    #[case] wanted: ApprovalDecision,
    #[case] expected: ApprovalDecision,
) {
    assert_eq!(decided(&waiting(plan(PLAN), None), wanted), Ok(expected));
}

#[rstest]
#[case::blank(approve(None, Some(" ")), "decision.plan")]
#[case::too_long(approve(None, Some(&"p".repeat(DETAIL_BYTES + 1))), "decision.plan")]
#[case::still_planning(approve(Some(PermissionMode::Plan), None), "decision.mode")]
#[case::everything_without_asking(approve(Some(PermissionMode::Bypass), None), "decision.mode")]
fn a_decision_on_a_plan_that_does_not_fit_names_its_field(
    #[case] wanted: ApprovalDecision,
    #[case] expected: &str,
) {
    match decided(&waiting(plan(PLAN), Some(PermissionMode::Plan)), wanted) {
        Err(Reject::Invalid { field, .. }) => assert_eq!(field, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_that_began_without_asking_goes_back_to_it_after_a_plan() {
    let wanted = approve(Some(PermissionMode::Bypass), None);
    let desk = waiting(plan(PLAN), Some(PermissionMode::Bypass));
    assert_eq!(decided(&desk, wanted.clone()), Ok(wanted));
}

#[test]
fn a_plan_that_was_cut_cannot_be_edited_because_the_rest_would_be_lost() {
    let desk = waiting(plan(&format!("# Plan{DETAIL_CUT_MARK}")), None);
    assert_eq!(decided(&desk, approve(None, None)), Ok(approve(None, None)));
    assert!(
        matches!(decided(&desk, approve(None, Some("# Less"))), Err(Reject::Invalid { field, .. }) if field == "decision.plan")
    );
}

#[test]
fn the_mode_is_noted_when_it_changes() {
    let mut desk = desk(&[start(1)]);
    let note = |mode| Command::NoteMode { session: session(1), mode };
    for (mode, events) in [
        (Some(PermissionMode::Plan), vec!["mode_changed"]),
        (Some(PermissionMode::Plan), vec![]),
        (None, vec!["mode_changed"]),
    ] {
        assert_eq!(names(&take(&mut desk, &note(mode)).unwrap().events), events);
        assert_eq!(desk.session(session(1)).unwrap().mode, mode);
    }
}

#[test]
fn what_earlier_versions_kept_is_still_read() {
    let id = "00000000-0000-0000-0000-000000000001";
    let approval: Approval = serde_json::from_value(json!({
        "id": id, "session": id, "nativeRef": "r", "tool": "Bash", "description": null, "input": "ls -l",
        "askedAt": 1, "state": {"state": "open"},
    }))
    .unwrap();
    let text = ToolDetail::Other { input: "ls -l".to_owned() };
    assert_eq!((&approval.what, approval.rules.len()), (&text, 0));
    let tool: EntryBody = serde_json::from_value(json!({
        "kind": "tool", "toolUse": "t", "name": "Bash", "summary": "ls", "input": "ls -l", "status": "done", "output": null,
    }))
    .unwrap();
    let EntryBody::Tool { detail, .. } = &tool else { panic!("{tool:?}") };
    assert_eq!(*detail, text);
    let turn: EntryBody = serde_json::from_value(
        json!({"kind": "turn_ended", "millis": 1, "inputTokens": 2, "outputTokens": 3, "error": null}),
    )
    .unwrap();
    assert!(matches!(turn, EntryBody::TurnEnded { cost_usd: None, .. }));
    let session: Session = serde_json::from_value(json!({
        "id": id, "agent": "demo", "name": "n", "folder": "/", "startedAt": 1, "state": {"state": "idle"},
        "version": null, "model": null, "unusableLines": 0,
    }))
    .unwrap();
    assert_eq!((session.options, session.mode), (SessionOptions::default(), None));
}

#[test]
fn what_is_kept_now_is_read_as_it_was_written() {
    let desk = waiting(plan(PLAN), Some(PermissionMode::Plan));
    let kept = Event::ApprovalAsked { approval: desk.approval(approval(1)).unwrap().clone() };
    let written = serde_json::to_string(&kept).unwrap();
    assert_eq!(serde_json::from_str::<Event>(&written).unwrap(), kept);
    let entry = EntryBody::Tool {
        tool_use: "t".to_owned(),
        name: "Bash".to_owned(),
        summary: "ls".to_owned(),
        detail: command(),
        status: askdesk_domain::ToolStatus::Done,
        output: None,
    };
    let written = serde_json::to_string(&entry).unwrap();
    assert_eq!(serde_json::from_str::<EntryBody>(&written).unwrap(), entry);
}
