//! Which decisions are valid for an approval.

use crate::support::desks::*;
use askdesk_domain::tool::{DETAIL_BYTES, DETAIL_CUT_MARK};
use askdesk_domain::{
    AgentRemark, ApprovalCommand, ApprovalDecision, ApprovalOption, ApprovalOptionKind, ApprovalState,
    AskApproval, Command, Desk, Effect, EndedBy, OptionLabel, OptionScope, Rejection, RemarkStance,
    SessionCommand, ToolDetail, ToolRule, ValidationError, decide,
};
use rstest::rstest;

const PLAN: &str = "# Plan\n\n1. Build it";

fn rule(id: &'static str) -> ApprovalOption {
    let label = OptionLabel::Tool {
        tool: "Bash".to_owned(),
        content: Some(id.to_owned()),
        behavior: ToolRule::Allow,
    };
    ApprovalOption {
        label,
        scope: Some(OptionScope::Local),
        combines: true,
        ..approval_option(id, ApprovalOptionKind::AllowAlways)
    }
}

/// The options of every approval here: opaque ids in the agent's order.
fn offered() -> Vec<ApprovalOption> {
    let text = OptionLabel::Text { text: "Never ask again".to_owned() };
    vec![
        approval_option("allow", ApprovalOptionKind::AllowOnce),
        rule("r1"),
        rule("r2"),
        rule("r3"),
        ApprovalOption { label: text, ..approval_option("always", ApprovalOptionKind::AllowAlways) },
        approval_option("deny", ApprovalOptionKind::RejectOnce),
        approval_option("never", ApprovalOptionKind::RejectAlways),
    ]
}

fn plan(text: &str) -> ToolDetail {
    ToolDetail::Plan { plan: text.to_owned(), path: None }
}

/// A desk with one open approval.
fn waiting(subject: ToolDetail) -> Desk {
    waiting_with(subject, true)
}

fn waiting_with(subject: ToolDetail, takes_message: bool) -> Desk {
    let ask = AskApproval { subject, options: offered(), takes_message, ..new_ask_approval(1, 1) };
    desk(&[start(1), ApprovalCommand::Ask(Box::new(ask)).into()])
}

fn command() -> ToolDetail {
    ToolDetail::Command { command: "ls".to_owned(), description: None }
}

fn edited(plan: &str) -> ApprovalDecision {
    ApprovalDecision { plan: Some(plan.to_owned()), ..decides(&["allow"]) }
}

fn saying(option: &'static str, message: &str) -> ApprovalDecision {
    ApprovalDecision { message: Some(message.to_owned()), ..decides(&[option]) }
}

fn decided(desk: &Desk, decision: ApprovalDecision) -> Result<ApprovalDecision, Rejection> {
    match decide(desk, &decide_approval(1, decision))?.effects.as_slice() {
        [Effect::ResolveApproval { decision, .. }] => Ok(decision.clone()),
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::rules_in_order_and_once(decides(&["r3", "r1", "r3"]), decides(&["r1", "r3"]))]
#[case::once(decides(&["allow"]), decides(&["allow"]))]
#[case::one_that_does_not_combine(decides(&["always"]), decides(&["always"]))]
#[case::never(decides(&["never"]), decides(&["never"]))]
#[case::with_a_message(saying("deny", "use pnpm"), saying("deny", "use pnpm"))]
#[case::a_blank_message(saying("deny", " "), decides(&["deny"]))]
fn an_offered_option_can_be_chosen(#[case] wanted: ApprovalDecision, #[case] expected: ApprovalDecision) {
    assert_eq!(decided(&waiting(command()), wanted), Ok(expected));
}

#[rstest]
#[case::unknown(decides(&["r1", "r4"]), "decision.options[1]", "this permission request has no option r4")]
#[case::none(decides(&[]), "decision.options", ValidationError::NoOption)]
#[case::one_alone_with_another(decides(&["allow", "r1"]), "decision.options", "these options can't be combined")]
#[case::both_directions(decides(&["r1", "deny"]), "decision.options", "these options can't be combined")]
#[case::no_plan(edited("# Less"), "decision", ValidationError::NoPlan)]
#[case::a_message_with_a_permission(
    saying("allow", "go"),
    "decision.message",
    "only a denial can have a message"
)]
fn an_invalid_decision_is_refused(
    #[case] wanted: ApprovalDecision,
    #[case] field: &str,
    #[case] rule: impl Into<ValidationError>,
) {
    assert_eq!(decided(&waiting(command()), wanted), Err(Rejection::invalid(field, rule)));
}

#[test]
fn a_denial_carries_a_message_only_if_the_agent_accepts_one() {
    let refused = decided(&waiting_with(command(), false), saying("deny", "use pnpm"));
    assert!(matches!(refused, Err(Rejection::Invalid { field, .. }) if field == "decision.message"));
}

#[rstest]
#[case::as_it_is(decides(&["allow"]), decides(&["allow"]))]
#[case::unchanged(edited(PLAN), decides(&["allow"]))]
#[case::edited(edited("# Less\r\n"), edited("# Less\n"))]
#[case::sent_back(saying("deny", "smaller"), saying("deny", "smaller"))]
fn a_plan_is_approved_edited_or_sent_back(
    #[case] wanted: ApprovalDecision,
    #[case] expected: ApprovalDecision,
) {
    assert_eq!(decided(&waiting(plan(PLAN)), wanted), Ok(expected));
}

#[rstest]
#[case::blank(edited(" "), "decision.plan")]
#[case::too_long(edited(&"p".repeat(DETAIL_BYTES + 1)), "decision.plan")]
#[case::edited_and_sent_back(ApprovalDecision { plan: Some("# Less".to_owned()), ..decides(&["deny"]) }, "decision")]
fn an_invalid_decision_on_a_plan_names_its_field(#[case] wanted: ApprovalDecision, #[case] expected: &str) {
    match decided(&waiting(plan(PLAN)), wanted) {
        Err(Rejection::Invalid { field, .. }) => assert_eq!(field, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plan_that_was_cut_cannot_be_edited_because_the_rest_would_be_lost() {
    let desk = waiting(plan(&format!("# Plan{DETAIL_CUT_MARK}")));
    assert_eq!(decided(&desk, decides(&["allow"])), Ok(decides(&["allow"])));
    assert!(
        matches!(decided(&desk, edited("# Less")), Err(Rejection::Invalid { field, .. }) if field == "decision.plan")
    );
}

#[test]
fn config_options_are_noted_when_they_change() {
    let mut desk = desk(&[start(1)]);
    for (current, events) in
        [(Some("plan"), vec!["config_changed"]), (Some("plan"), vec![]), (None, vec!["config_changed"])]
    {
        let config = vec![mode(current)];
        let note = SessionCommand::NoteConfig { session: session(1), config: config.clone() }.into();
        assert_eq!(names(&take(&mut desk, &note).unwrap().events), events);
        assert_eq!(desk.session(session(1)).unwrap().config, config);
    }
}

#[test]
fn case_138_where_the_agent_warns_nothing_is_allowed_for_good() {
    let kinds = |stance| {
        let remark = AgentRemark::new(Some("Dangerous"), stance);
        let ask = AskApproval { remark, options: offered(), ..new_ask_approval(1, 1) };
        let desk = desk(&[start(1), ApprovalCommand::Ask(Box::new(ask)).into()]);
        let options = desk.approval(approval(1)).unwrap().options.len();
        (options, decided(&desk, decides(&["r1"])).is_ok(), decided(&desk, decides(&["allow"])).is_ok())
    };
    assert_eq!(kinds(RemarkStance::Reason), (7, true, true));
    assert_eq!(kinds(RemarkStance::NoByDefault), (3, false, true));
}

#[test]
fn case_138_a_mark_without_words_is_kept_and_a_reason_without_words_is_none() {
    assert_eq!(AgentRemark::new(Some(" "), RemarkStance::Reason), None);
    let marked = AgentRemark { words: None, stance: RemarkStance::NoByDefault };
    assert_eq!(AgentRemark::new(None, RemarkStance::NoByDefault), Some(marked));
}

#[test]
fn case_139_what_the_agent_refuses_itself_is_no_decision_and_ended_when_it_was_taken_back() {
    let waiting = [start(1), ask_approval(1, 1)];
    let refused = |before: &[Command]| {
        let mut desk = desk(before);
        take(&mut desk, &refuse_approval(1, 1)).unwrap();
        (desk.approval(approval(1)).unwrap().state.clone(), desk)
    };
    let withdrawn = [waiting.as_slice(), &[withdraw_approval(1)]].concat();
    let (state, desk) = refused(&withdrawn);
    assert_eq!(state, ApprovalState::Refused { at: at(50) });
    let ended = Err(Rejection::AlreadyEnded { by: EndedBy::Agent, at: at(50) });
    assert_eq!(decide(&desk, &decide_approval(1, decides(&["allow"]))), ended);
    assert_eq!(refused(&waiting).0, ApprovalState::Refused { at: at(90) });
    let denied = [waiting.as_slice(), &[decide_approval(1, decides(&["deny"]))]].concat();
    assert!(matches!(refused(&denied).0, ApprovalState::Decided { .. }), "the user's own decision stays");
}
