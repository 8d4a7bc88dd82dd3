//! Lines of Claude Code that are too long to be passed on whole.

use askdesk_domain::text::bounded;
use askdesk_domain::{NativeRef, Notice};
use serde_json::Value;

use super::replies::deny;
use super::{ClaudeAdapter, QUESTION_TOOL, rules};
use crate::adapter::{Output, QuestionRefusal, refusal_of_too_large, too_large};
use crate::event::{AgentEvent, InputError};
use crate::json::text;

impl ClaudeAdapter {
    /// Parses an abridged line. A request in it gets an answer, but not from the user, who would decide on what is not shown.
    pub(super) fn on_abridged(&mut self, line: &[u8], bytes: usize, out: &mut Output) {
        let Ok(mut message) = serde_json::from_slice::<Value>(line) else {
            return out.invalid(InputError::TooLong { bytes });
        };
        match text(&message, "type") {
            Some("control_request") => self.on_abridged_request(&message, bytes, out),
            Some("control_response") => {
                let pending = message.pointer_mut("/response/pending_permission_requests").map(Value::take);
                self.on_message(&message, out);
                for request in pending.as_ref().and_then(Value::as_array).into_iter().flatten() {
                    self.on_abridged_request(request, bytes, out);
                }
            }
            _ => self.on_message(&message, out),
        }
    }

    fn on_abridged_request(&mut self, message: &Value, bytes: usize, out: &mut Output) {
        let request = message.get("request").unwrap_or(&Value::Null);
        let id = text(message, "request_id").and_then(NativeRef::new);
        match (text(request, "subtype"), id) {
            (Some("can_use_tool"), Some(request_id)) => {
                self.begin_turn(out);
                self.refuse_abridged(&request_id, request, bytes, out);
            }
            // Which rules match can't be told from a part of the call. If it needs a permission, that is refused.
            (Some("hook_callback"), Some(request_id)) => out.line(rules::reviewed(&request_id, true)),
            _ => self.on_control_request(message, out),
        }
    }

    fn refuse_abridged(&mut self, request_id: &NativeRef, request: &Value, bytes: usize, out: &mut Output) {
        let reason = format!("The request: {}", too_large(bytes));
        let tool = text(request, "tool_name").unwrap_or_default();
        if tool == QUESTION_TOOL {
            let tool_use = text(request, "tool_use_id");
            let native_ref = tool_use.and_then(NativeRef::new).unwrap_or_else(|| request_id.clone());
            if let Some(tool_use) = tool_use {
                self.remember_question_use(tool_use);
            }
            self.withdraw(&native_ref, request_id, out);
            out.line(deny(request_id.as_str(), &QuestionRefusal::Unkept { reason: reason.clone() }.words()));
            return out.event(AgentEvent::Refused { native_ref, reason });
        }
        // A whole request that is listed again among others is still open.
        if self.call(request_id).is_some_and(|call| !call.answered) {
            return;
        }
        out.line(deny(request_id.as_str(), &refusal_of_too_large(bytes)));
        let reason = bounded(&format!("{tool}: {}", too_large(bytes)));
        out.event(AgentEvent::Noticed { notice: Notice::PermissionRefused { reason } });
    }
}
