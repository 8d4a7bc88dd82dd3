//! What becomes of a permission request that a rule of the user's own matches.

use crate::support::desks::*;
use askdesk_domain::{
    ApprovalCommand, ApprovalDecision, ApprovalEvent, ApprovalOption, ApprovalOptionKind, ApprovalState,
    AskApproval, Command, Decision, Desk, Effect, EndedBy, Event, PermissionRule, Rejection, RuleAction,
    ToolDetail, decide,
};
use serde_json::json;

fn rule(action: RuleAction) -> PermissionRule {
    PermissionRule { action, tool: "Bash".to_owned(), argument: Some("ls *".to_owned()), folder: None }
}

fn asked(ask: AskApproval) -> (Desk, Decision) {
    let mut desk = desk(&[start(1)]);
    let decision = decide(&desk, &Command::from(ApprovalCommand::Ask(Box::new(ask)))).unwrap();
    for event in &decision.events {
        desk.fold(event);
    }
    (desk, decision)
}

fn matched_by(action: RuleAction) -> AskApproval {
    AskApproval { rule: Some(rule(action)), ..new_ask_approval(1, 1) }
}

#[test]
fn case_100_a_rule_denies_at_once_without_a_notification_and_is_on_record() {
    let (desk, decision) = asked(matched_by(RuleAction::Deny));
    let denial = ApprovalDecision {
        message: Some(
            "Denied by a permission rule that the user set in Askdesk: Bash(ls *). The user was not asked. Continue in \
             another way, or say what you need."
                .to_owned(),
        ),
        ..decides(&["deny"])
    };
    let [Event::Approval(ApprovalEvent::Asked { approval: asked }), Event::Approval(decided)] =
        decision.events.as_slice()
    else {
        panic!("{:?}", decision.events)
    };
    assert_eq!(asked.denied_by(), Some(&rule(RuleAction::Deny)));
    let expected = ApprovalEvent::Decided { approval: approval(1), decision: denial.clone(), at: at(10) };
    assert_eq!(*decided, expected);
    assert_eq!(
        decision.effects,
        [Effect::ResolveApproval { approval: approval(1), decision: denial.clone() }]
    );
    assert_eq!(desk.open_approvals(session(1)).count(), 0);
    let state = ApprovalState::Decided { decision: denial, at: at(10), error: None };
    assert_eq!(desk.approval(approval(1)).unwrap().state, state);
    // Nobody can allow it afterwards.
    let allowed = decide(&desk, &decide_approval(1, decides(&["allow"])));
    assert_eq!(allowed.unwrap_err(), Rejection::AlreadyEnded { by: EndedBy::User, at: at(10) });
}

#[test]
fn case_100_a_rule_that_asks_leaves_the_request_open_and_offers_no_lasting_permission() {
    let always = approval_option("always", ApprovalOptionKind::AllowAlways);
    let mut ask = matched_by(RuleAction::Ask);
    ask.options.insert(1, always);
    let (desk, decision) = asked(ask);
    assert_eq!(decision.effects, []);
    let open = desk.approval(approval(1)).unwrap();
    assert_eq!((open.state.clone(), open.denied_by()), (ApprovalState::Open, None));
    assert_eq!(open.rule, Some(rule(RuleAction::Ask)));
    let offered: Vec<&str> = open.options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(offered, ["allow", "deny"]);
}

#[test]
fn case_100_no_rule_decides_a_plan() {
    for action in [RuleAction::Deny, RuleAction::Ask] {
        let subject = ToolDetail::Plan { plan: "# Plan".to_owned(), path: None };
        let (desk, decision) = asked(AskApproval { subject, ..matched_by(action) });
        assert_eq!(decision.effects, []);
        assert_eq!(desk.approval(approval(1)).unwrap().rule, None);
    }
}

#[test]
fn a_request_that_can_only_be_denied_for_ever_is_left_to_the_user() {
    let options: Vec<ApprovalOption> = vec![
        approval_option("allow", ApprovalOptionKind::AllowOnce),
        approval_option("never", ApprovalOptionKind::RejectAlways),
    ];
    let (desk, _) = asked(AskApproval { options, ..matched_by(RuleAction::Deny) });
    let open = desk.approval(approval(1)).unwrap();
    assert_eq!((open.state.clone(), &open.rule), (ApprovalState::Open, &None));
}

#[test]
fn an_agent_that_takes_no_message_gets_none() {
    let (desk, _) = asked(AskApproval { takes_message: false, ..matched_by(RuleAction::Deny) });
    let state = ApprovalState::Decided { decision: decides(&["deny"]), at: at(10), error: None };
    assert_eq!(desk.approval(approval(1)).unwrap().state, state);
}

#[test]
fn a_request_of_an_earlier_version_has_no_rule() {
    let (desk, _) = asked(new_ask_approval(1, 1));
    let mut stored = serde_json::to_value(desk.approval(approval(1)).unwrap()).unwrap();
    stored.as_object_mut().unwrap().remove("rule");
    let read: askdesk_domain::Approval = serde_json::from_value(stored).unwrap();
    assert_eq!(json!(read)["rule"], json!(null));
}
