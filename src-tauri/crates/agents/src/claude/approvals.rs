//! Approvals of Claude Code: what can be decided, and how a decision is written.

use askdesk_domain::{
    ApprovalDecision, ApprovalOption, ApprovalOptionId, ApprovalOptionKind, NativeRef, OptionLabel,
    OptionScope, ValueId,
};
use serde_json::{Map, Value, json};

use super::permissions::{Suggestions, mode_update, mode_word};
use super::replies::{deny, reply};
use super::{ACCEPT_EDITS, ASK, BYPASS, CallKind, ClaudeAdapter, MODE};
use crate::adapter::EncodeError;

/// Allows once; a plan's agent goes back to the mode before.
const ALLOW: ApprovalOptionId = ApprovalOptionId::literal("allow");
/// Refuses once; a plan goes back to the agent.
const DENY: ApprovalOptionId = ApprovalOptionId::literal("deny");
const NOT_ALLOWED: &str = "The user did not allow this.";
const PLAN_SENT_BACK: &str = "The user did not approve the plan. Keep planning and submit a better one.";

/// Lists what can be decided on a tool call: the suggested rules come between allow and deny.
pub(super) fn of_tool(suggestions: &Suggestions) -> Vec<ApprovalOption> {
    let rule = |(place, (label, scope)): (usize, (&OptionLabel, OptionScope))| {
        let id = ApprovalOptionId::new(format!("r{}", place + 1))?;
        Some(ApprovalOption {
            id,
            kind: ApprovalOptionKind::AllowAlways,
            label: label.clone(),
            scope: Some(scope),
            combines: true,
        })
    };
    let rules = suggestions.rules().enumerate().filter_map(rule);
    let allow = plain(ALLOW, ApprovalOptionKind::AllowOnce);
    [allow].into_iter().chain(rules).chain([plain(DENY, ApprovalOptionKind::RejectOnce)]).collect()
}

/// Lists what can be decided on a plan: the mode that follows it is part of its approval.
pub(super) fn of_plan(may_bypass: bool) -> Vec<ApprovalOption> {
    let then = |value: ValueId| {
        Some(ApprovalOption {
            id: ApprovalOptionId::new(format!("{ALLOW}:{value}"))?,
            kind: ApprovalOptionKind::AllowOnce,
            label: OptionLabel::Config { option: MODE, value },
            scope: None,
            combines: false,
        })
    };
    // The agent takes bypass only where it was started so.
    let modes = [Some(ASK), Some(ACCEPT_EDITS), may_bypass.then_some(BYPASS)].into_iter().flatten();
    let allow = plain(ALLOW, ApprovalOptionKind::AllowOnce);
    let deny = plain(DENY, ApprovalOptionKind::RejectOnce);
    [allow].into_iter().chain(modes.filter_map(then)).chain([deny]).collect()
}

const fn plain(id: ApprovalOptionId, kind: ApprovalOptionKind) -> ApprovalOption {
    ApprovalOption { id, kind, label: OptionLabel::Plain, scope: None, combines: false }
}

impl ClaudeAdapter {
    pub(super) fn decide(
        &mut self,
        native_ref: &NativeRef,
        decision: &ApprovalDecision,
    ) -> Result<String, EncodeError> {
        let call = self.calls.find(native_ref)?;
        let CallKind::Permission { suggestions, options, plan } = &call.own.kind else {
            return Err(EncodeError::gone(native_ref));
        };
        let offered = |id: &ApprovalOptionId| options.iter().position(|option| option.id == *id);
        let chosen: Option<Vec<usize>> = decision.options.iter().map(offered).collect();
        let unknown = EncodeError::Refused { what: "a decision it did not offer" };
        let chosen = chosen.filter(|chosen| !chosen.is_empty()).ok_or(unknown)?;
        let refused = chosen.iter().any(|place| !options[*place].kind.allows());
        let line = if refused {
            let otherwise = if *plan { PLAN_SENT_BACK } else { NOT_ALLOWED };
            let words = decision.message.as_deref().filter(|words| !words.trim().is_empty());
            deny(native_ref.as_str(), words.unwrap_or(otherwise))
        } else {
            let (input, updates) = if *plan {
                let updates = chosen.iter().filter_map(|place| mode_of_plan(&options[*place])).collect();
                (plan_input(&call.own.input, decision.plan.as_deref()), updates)
            } else {
                // The rules come after the option that allows once.
                let rules: Vec<usize> = chosen.iter().filter_map(|place| place.checked_sub(1)).collect();
                (call.own.input.clone(), suggestions.chosen(&rules))
            };
            let mut response = json!({"behavior": "allow", "updatedInput": input});
            if !updates.is_empty() {
                response["updatedPermissions"] = Value::Array(updates);
            }
            reply(native_ref.as_str(), &response)
        };
        call.answered = true;
        Ok(line)
    }
}

fn mode_of_plan(option: &ApprovalOption) -> Option<Value> {
    match &option.label {
        OptionLabel::Config { value, .. } => mode_word(value).map(mode_update),
        _ => None,
    }
}

/// The input of an approved plan: what was shown, and nothing the call may hold beside it.
fn plan_input(input: &Value, edited: Option<&str>) -> Value {
    let mut shown = Map::new();
    for name in ["plan", "planFilePath"] {
        if let Some(value) = input.get(name) {
            shown.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(plan) = edited {
        shown.insert("plan".to_owned(), json!(plan));
    }
    Value::Object(shown)
}
