//! Approvals: what is registered, and which decision fits which of them.

use super::{Decision, Effect, running};
use crate::answer::{words, words_within};
use crate::approval::{Approval, ApprovalDecision, ApprovalState};
use crate::breach::Breach;
use crate::command::AskApproval;
use crate::desk::Desk;
use crate::event::Event;
use crate::id::{ApprovalId, Timestamp};
use crate::options::PermissionMode;
use crate::reject::Reject;
use crate::request::EndedBy;
use crate::rule::RuleId;
use crate::tool::{DETAIL_BYTES, ToolDetail};

pub(super) fn register(desk: &Desk, ask: &AskApproval) -> Result<Decision, Reject> {
    running(desk, ask.session)?;
    if desk.open_approvals(ask.session).any(|approval| approval.native_ref == ask.native_ref) {
        return Ok(Decision::default());
    }
    let approval = Approval {
        id: ask.id,
        session: ask.session,
        native_ref: ask.native_ref.clone(),
        tool: ask.tool.clone(),
        description: ask.description.clone(),
        what: ask.what.clone(),
        rules: ask.rules.clone(),
        asked_at: ask.at,
        state: ApprovalState::Open,
    };
    let effects = vec![Effect::NotifyApproval { approval: ask.id }];
    Ok(Decision { events: vec![Event::ApprovalAsked { approval }], effects, request: None })
}

pub(super) fn decide(
    desk: &Desk,
    id: ApprovalId,
    wanted: &ApprovalDecision,
    at: Timestamp,
) -> Result<Decision, Reject> {
    let approval = desk.approval(id).ok_or(Reject::NotFound { what: "approval" })?;
    let wanted = check(desk, approval, wanted)?;
    match &approval.state {
        ApprovalState::Open => Ok(Decision {
            events: vec![Event::ApprovalDecided { approval: id, decision: wanted.clone(), at }],
            effects: vec![
                Effect::WithdrawApprovalNotification { approval: id },
                Effect::ResolveApproval { approval: id, decision: wanted },
            ],
            request: None,
        }),
        ApprovalState::Decided { decision, .. } if *decision == wanted => Ok(Decision::default()),
        ApprovalState::Decided { at, .. } => Err(Reject::AlreadyEnded { by: EndedBy::Person, at: *at }),
        ApprovalState::Withdrawn { at } => Err(Reject::AlreadyEnded { by: EndedBy::Agent, at: *at }),
    }
}

/// Puts a decision into its plain form, or names the field that does not fit the approval.
fn check(desk: &Desk, approval: &Approval, wanted: &ApprovalDecision) -> Result<ApprovalDecision, Reject> {
    Ok(match wanted {
        ApprovalDecision::AllowOnce => ApprovalDecision::AllowOnce,
        ApprovalDecision::AllowWithRules { rules } => {
            ApprovalDecision::AllowWithRules { rules: known_rules(approval, rules)? }
        }
        ApprovalDecision::ApprovePlan { mode, plan } => {
            let ToolDetail::Plan { plan: shown, .. } = &approval.what else {
                return Err(Reject::invalid("decision", Breach::NoPlan));
            };
            match mode {
                Some(PermissionMode::Plan) => {
                    return Err(Reject::invalid("decision.mode", Breach::PlanningEnds));
                }
                Some(PermissionMode::Bypass) if !may_bypass(desk, approval) => {
                    return Err(Reject::invalid("decision.mode", Breach::NotStartedSo));
                }
                _ => {}
            }
            ApprovalDecision::ApprovePlan { mode: *mode, plan: edited(approval, shown, plan.as_deref())? }
        }
        ApprovalDecision::Deny { message } => {
            ApprovalDecision::Deny { message: words(message.as_deref(), "decision.message")? }
        }
    })
}

fn may_bypass(desk: &Desk, approval: &Approval) -> bool {
    let started_in = desk.session(approval.session).and_then(|session| session.options.mode);
    started_in == Some(PermissionMode::Bypass)
}

/// Checks that the rules were suggested with this approval; returns them in order, each once.
fn known_rules(approval: &Approval, rules: &[RuleId]) -> Result<Vec<RuleId>, Reject> {
    let field = "decision.rules";
    if rules.is_empty() {
        return Err(Reject::invalid(field, Breach::NoRule));
    }
    for (place, id) in rules.iter().enumerate() {
        if !approval.rules.iter().any(|rule| rule.id == *id) {
            let rule = format!("no rule {id} was suggested with this approval");
            return Err(Reject::invalid(format!("{field}[{place}]"), rule));
        }
    }
    let mut rules = rules.to_vec();
    rules.sort_unstable();
    rules.dedup();
    Ok(rules)
}

/// Checks an edited plan; one that was not changed counts as not edited.
fn edited(approval: &Approval, shown: &str, plan: Option<&str>) -> Result<Option<String>, Reject> {
    let field = "decision.plan";
    let Some(plan) = plan.filter(|plan| *plan != shown) else { return Ok(None) };
    if approval.what.is_cut() {
        // What was cut off would be lost in silence.
        return Err(Reject::invalid(field, Breach::PlanCutOff));
    }
    let plan = words_within(Some(plan), field, DETAIL_BYTES)?;
    let plan = plan.ok_or_else(|| Reject::invalid(field, Breach::Empty))?;
    Ok((plan != shown).then_some(plan))
}
