//! Approvals: their registration, and which decisions are valid.

use super::{Decision, Effect, running};
use crate::answer::{optional_text, optional_text_within};
use crate::approval::{
    Approval, ApprovalDecision, ApprovalOption, ApprovalOptionKind, ApprovalState, RemarkStance,
};
use crate::command::{ApprovalCommand, AskApproval};
use crate::desk::Desk;
use crate::ended_by::EndedBy;
use crate::error::ValidationError;
use crate::event::ApprovalEvent;
use crate::id::{ApprovalId, ApprovalOptionId, NativeRef, SessionId, Timestamp};
use crate::permission_rule::{PermissionRule, RuleAction};
use crate::rejection::Rejection;
use crate::tool::{DETAIL_BYTES, ToolDetail};

pub(super) fn decide(desk: &Desk, command: &ApprovalCommand) -> Result<Decision, Rejection> {
    match command {
        ApprovalCommand::Ask(ask) => register(desk, ask),
        ApprovalCommand::Decide { approval, decision, at } => settle(desk, *approval, decision, *at),
        ApprovalCommand::NoteRefused { session, native_ref, at } => {
            Ok(note_refused(desk, *session, native_ref, *at))
        }
        ApprovalCommand::NoteNotDelivered { approval, error } => {
            let approval = find(desk, *approval)?.id;
            Ok(Decision::of(ApprovalEvent::DeliveryFailed { approval, error: error.clone() }))
        }
    }
}

fn find(desk: &Desk, id: ApprovalId) -> Result<&Approval, Rejection> {
    desk.approval(id).ok_or(Rejection::NotFound { what: "approval" })
}

fn register(desk: &Desk, ask: &AskApproval) -> Result<Decision, Rejection> {
    running(desk, ask.session)?;
    if desk.open_approvals(ask.session).any(|approval| approval.native_ref == ask.native_ref) {
        return Ok(Decision::default());
    }
    let refusal = ask.options.iter().find(|option| option.kind == ApprovalOptionKind::RejectOnce);
    let rule = ask.rule.clone().filter(|rule| {
        let applies = rule.action == RuleAction::Ask || refusal.is_some();
        applies && !matches!(ask.subject, ToolDetail::Plan { .. })
    });
    let approval = Approval {
        id: ask.id,
        session: ask.session,
        native_ref: ask.native_ref.clone(),
        helper: ask.helper.clone(),
        asked_by: ask.asked_by.clone(),
        title: ask.title.clone(),
        description: ask.description.clone(),
        remark: ask.remark.clone(),
        subject: ask.subject.clone(),
        options: offered(ask, rule.as_ref()),
        takes_message: ask.takes_message,
        asked_at: ask.at,
        rule,
        state: ApprovalState::Open,
    };
    let denial = approval.denied_by().zip(refusal).map(|(rule, refusal)| ApprovalDecision {
        message: ask.takes_message.then(|| rule.denial()),
        ..ApprovalDecision::of(refusal.id.clone())
    });
    let mut decision = Decision::of(ApprovalEvent::Asked { approval });
    // It is never open, so nobody is notified and no card appears.
    if let Some(denial) = denial {
        let (approval, at) = (ask.id, ask.at);
        decision.push(ApprovalEvent::Decided { approval, decision: denial.clone(), at });
        decision.effects.push(Effect::ResolveApproval { approval, decision: denial });
    }
    Ok(decision)
}

/// A user who always wants to be asked isn't offered a lasting permission, nor is anybody where the agent warns.
fn offered(ask: &AskApproval, rule: Option<&PermissionRule>) -> Vec<ApprovalOption> {
    let warns = ask.remark.as_ref().is_some_and(|remark| remark.stance == RemarkStance::NoByDefault);
    let once = ask.options.iter().any(|option| option.kind == ApprovalOptionKind::AllowOnce);
    let asks = once && rule.is_some_and(|rule| rule.action == RuleAction::Ask);
    let offered =
        |option: &&ApprovalOption| !(asks || warns) || option.kind != ApprovalOptionKind::AllowAlways;
    ask.options.iter().filter(offered).cloned().collect()
}

fn settle(
    desk: &Desk,
    id: ApprovalId,
    wanted: &ApprovalDecision,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let approval = find(desk, id)?;
    let wanted = check(approval, wanted)?;
    match &approval.state {
        ApprovalState::Open => Ok(Decision {
            effects: vec![Effect::ResolveApproval { approval: id, decision: wanted.clone() }],
            ..Decision::of(ApprovalEvent::Decided { approval: id, decision: wanted, at })
        }),
        ApprovalState::Decided { decision, .. } if *decision == wanted => Ok(Decision::default()),
        ApprovalState::Decided { at, .. } => Err(Rejection::AlreadyEnded { by: EndedBy::User, at: *at }),
        ApprovalState::Withdrawn { at } | ApprovalState::Refused { at } => {
            Err(Rejection::AlreadyEnded { by: EndedBy::Agent, at: *at })
        }
    }
}

/// An agent may take a request back first, and say only then that it refused it.
fn note_refused(desk: &Desk, session: SessionId, native_ref: &NativeRef, at: Timestamp) -> Decision {
    let of_call = |it: &&Approval| it.session == session && it.native_ref == *native_ref;
    let Some(approval) = desk.approvals().filter(of_call).max_by_key(|it| it.asked_at) else {
        return Decision::default();
    };
    let at = match approval.state {
        ApprovalState::Open => at,
        ApprovalState::Withdrawn { at } => at,
        ApprovalState::Decided { .. } | ApprovalState::Refused { .. } => return Decision::default(),
    };
    Decision::of(ApprovalEvent::Refused { approval: approval.id, at })
}

/// Normalizes a decision, or names the field that doesn't fit the approval.
fn check(approval: &Approval, wanted: &ApprovalDecision) -> Result<ApprovalDecision, Rejection> {
    let chosen = chosen(approval, &wanted.options)?;
    let allows = chosen.iter().all(|option| option.kind.allows());
    let message = optional_text(wanted.message.as_deref(), "decision.message")?;
    if message.is_some() && (allows || !approval.takes_message) {
        return Err(Rejection::invalid("decision.message", "only a denial can have a message"));
    }
    let plan = match (&approval.subject, wanted.plan.as_deref()) {
        (_, None) => None,
        (ToolDetail::Plan { plan: shown, .. }, Some(plan)) if allows => edited(approval, shown, plan)?,
        (_, Some(_)) => return Err(Rejection::invalid("decision", ValidationError::NoPlan)),
    };
    let options = chosen.into_iter().map(|option| option.id.clone()).collect();
    Ok(ApprovalDecision { options, message, plan })
}

/// Finds the chosen options, in the approval's order and each once: one, or several that can be combined.
fn chosen<'a>(
    approval: &'a Approval,
    wanted: &[ApprovalOptionId],
) -> Result<Vec<&'a ApprovalOption>, Rejection> {
    let field = "decision.options";
    if wanted.is_empty() {
        return Err(Rejection::invalid(field, ValidationError::NoOption));
    }
    if let Some(place) = wanted.iter().position(|id| approval.option(id).is_none()) {
        let rule = format!("this permission request has no option {}", wanted[place]);
        return Err(Rejection::invalid(format!("{field}[{place}]"), rule));
    }
    let chosen: Vec<_> = approval.options.iter().filter(|option| wanted.contains(&option.id)).collect();
    let kind = chosen.first().map(|option| option.kind);
    let together = |option: &&&ApprovalOption| option.combines && Some(option.kind) == kind;
    if chosen.len() > 1 && chosen.iter().filter(together).count() < chosen.len() {
        return Err(Rejection::invalid(field, "these options can't be combined"));
    }
    Ok(chosen)
}

/// Checks an edited plan; an unchanged one counts as not edited.
fn edited(approval: &Approval, shown: &str, plan: &str) -> Result<Option<String>, Rejection> {
    let field = "decision.plan";
    if plan == shown {
        return Ok(None);
    }
    if approval.subject.is_cut() {
        // The part that was cut off would be lost silently.
        return Err(Rejection::invalid(field, ValidationError::PlanCutOff));
    }
    let plan = optional_text_within(Some(plan), field, DETAIL_BYTES)?;
    let plan = plan.ok_or_else(|| Rejection::invalid(field, ValidationError::Empty))?;
    Ok((plan != shown).then_some(plan))
}

pub(super) fn withdraw_approvals(desk: &Desk, decision: &mut Decision, session: SessionId, at: Timestamp) {
    for approval in desk.open_approvals(session) {
        withdraw_approval(decision, approval.id, at);
    }
}

pub(super) fn withdraw_approval(decision: &mut Decision, approval: ApprovalId, at: Timestamp) {
    decision.push(ApprovalEvent::Withdrawn { approval, at });
}
