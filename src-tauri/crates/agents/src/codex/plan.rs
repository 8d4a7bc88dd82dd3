//! Plans of Codex. A plan that it proposes in plan mode is no request: the server waits for nothing, and whoever approves the
//! plan starts the next turn outside plan mode.

use askdesk_domain::text::bounded;
use askdesk_domain::{
    ApprovalDecision, ApprovalOptionKind, NativeRef, OptionLabel, TodoItem, TodoStatus, ToolDetail,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Call, CallKind, CodexAdapter, DEFAULT, MODE, Sent, approvals};
use crate::adapter::{EncodeError, Output};
use crate::event::{ApprovalAsked, Conversation};
use crate::json::{list, text};

const ALLOW: &str = "implement";
const DENY: &str = "keep-planning";
const IMPLEMENT: &str = "Implement the plan.";

impl CodexAdapter {
    /// Keeps a plan that was proposed until the turn has ended: the words that introduce it may arrive after it.
    pub(super) fn on_proposed(&mut self, plan: &str, out: &mut Output) {
        if let Some(earlier) = self.turn.proposed.replace(plan.to_owned()) {
            out.event(Conversation::Finished { thinking: false, text: bounded(&earlier) });
        }
    }

    /// Shows the plan of a turn that ended as a text of the agent, which stays whatever is decided; in plan mode, it is also
    /// submitted for approval.
    pub(super) fn submit_plan(&mut self, turn: &str, ended_well: bool, out: &mut Output) {
        let Some(plan) = self.turn.proposed.take() else { return };
        out.event(Conversation::Finished { thinking: false, text: bounded(&plan) });
        let native_ref = NativeRef::new(format!("{}/plan/{turn}", self.run));
        let options = [(ALLOW, ApprovalOptionKind::AllowOnce), (DENY, ApprovalOptionKind::RejectOnce)];
        let options = options.map(|(id, kind)| approvals::option(id, kind, OptionLabel::Plain, None));
        let Some(native_ref) = native_ref.filter(|_| ended_well && self.is_planning()) else { return };
        let decisions = options.iter().map(|option| (option.clone(), Value::Null)).collect();
        let asked = ApprovalAsked {
            native_ref,
            helper: None,
            asked_by: None,
            tool_use: None,
            call: None,
            title: "Plan".to_owned(),
            description: None,
            remark: None,
            subject: ToolDetail::Plan { plan, path: None }.bounded(),
            options: options.into(),
            takes_message: true,
        };
        self.calls.ask_permission(asked, Call { id: None, kind: CallKind::Permission(decisions) }, out);
    }

    /// Begins the turn that follows a decision on a plan; none follows a refusal without words.
    pub(super) fn decide_plan(
        &mut self,
        decision: &ApprovalDecision,
        allows: bool,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        let message = decision.message.as_deref().filter(|words| !words.trim().is_empty());
        let (words, mode) = match (allows, message) {
            (true, _) => {
                let words = match &decision.plan {
                    Some(edited) => format!("{IMPLEMENT} The user edited it:\n\n{edited}"),
                    None => IMPLEMENT.to_owned(),
                };
                (words, Some(self.change(&MODE, &DEFAULT)?))
            }
            (false, Some(message)) => (message.to_owned(), None),
            (false, None) => return Ok(()),
        };
        let input = json!([{"type": "text", "text": words, "text_elements": []}]);
        let mut params = json!({"input": input});
        if let (Value::Object(params), Some(Value::Object(mode))) = (&mut params, mode) {
            params.extend(mode);
        }
        let id = Uuid::new_v4();
        self.request_of_thread(Sent::Message { id, input, steers: false }, "turn/start", params, out);
        Ok(())
    }
}

/// Reads the list of steps that the agent works through.
pub(super) fn steps(params: &Value) -> Vec<TodoItem> {
    let step = |step: &Value| TodoItem {
        text: bounded(text(step, "step").unwrap_or_default()),
        status: match text(step, "status") {
            Some("completed") => TodoStatus::Done,
            Some("inProgress") => TodoStatus::InProgress,
            _ => TodoStatus::Pending,
        },
    };
    list(params, "plan").iter().map(step).collect()
}
