//! Lines of Claude Code that can't be read whole.

use askdesk_domain::text::bounded;
use askdesk_domain::{NativeRef, Notice};
use serde_json::Value;

use super::replies::{deny, failed};
use super::{ClaudeAdapter, QUESTION_TOOL, rules};
use crate::adapter::{Output, Partial, QuestionRefusal};
use crate::json::text;

impl ClaudeAdapter {
    /// Parses a part of a message. A request in it gets an answer, but not from the user, who would decide on what is not
    /// shown. Of a malformed message nothing else is used.
    pub(super) fn on_partial(&mut self, mut message: Value, why: Partial, malformed: bool, out: &mut Output) {
        match text(&message, "type") {
            Some("control_request") => self.on_partial_request(&message, why, out),
            Some("control_response") => {
                let pending = message.pointer_mut("/response/pending_permission_requests").map(Value::take);
                if malformed && let Some(Value::Object(response)) = message.get_mut("response") {
                    // Somebody may wait for it.
                    response.insert("subtype".to_owned(), "error".into());
                    response.insert("error".to_owned(), format!("the response can't be read: {why}").into());
                }
                self.on_message(&message, out);
                for request in pending.as_ref().and_then(Value::as_array).into_iter().flatten() {
                    self.on_partial_request(request, why, out);
                }
            }
            _ if malformed => out.invalid(why.into()),
            _ => self.on_message(&message, out),
        }
    }

    fn on_partial_request(&mut self, message: &Value, why: Partial, out: &mut Output) {
        let request = message.get("request").unwrap_or(&Value::Null);
        let id = text(message, "request_id").and_then(NativeRef::new);
        match (text(request, "subtype"), id) {
            (Some("can_use_tool"), Some(request_id)) => {
                self.begin_turn(out);
                self.refuse_partial(&request_id, request, why, out);
            }
            // Which rules match can't be told from a part of the call. If it needs a permission, that is refused.
            (Some("hook_callback"), Some(request_id)) => out.line(rules::reviewed(&request_id, true)),
            (_, Some(request_id)) if matches!(why, Partial::Unread(_)) => {
                out.invalid(why.into());
                out.line(failed(request_id.as_str(), &why.refusal()));
            }
            _ => self.on_control_request(message, out),
        }
    }

    fn refuse_partial(&mut self, request_id: &NativeRef, request: &Value, why: Partial, out: &mut Output) {
        let reason = format!("The request: {why}");
        let tool = text(request, "tool_name").unwrap_or_default();
        if tool == QUESTION_TOOL {
            let tool_use = text(request, "tool_use_id");
            let native_ref = tool_use.and_then(NativeRef::new).unwrap_or_else(|| request_id.clone());
            if let Some(tool_use) = tool_use {
                self.remember_question_use(tool_use);
            }
            self.withdraw(&native_ref, request_id, out);
            out.line(deny(request_id.as_str(), &QuestionRefusal::Unkept { reason: reason.clone() }.words()));
            return out.notice(Notice::QuestionRefused { reason });
        }
        // A whole request that is listed again among others is still open.
        if self.calls.find(request_id).is_ok_and(|call| !call.answered) {
            return;
        }
        out.line(deny(request_id.as_str(), &why.refusal()));
        let reason = bounded(&format!("{tool}: {why}"));
        out.notice(Notice::PermissionRefused { reason });
    }
}
