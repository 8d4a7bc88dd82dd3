//! Elicitations of MCP servers: forms, and pages to open.

use askdesk_domain::text::bounded;
use askdesk_domain::{Asker, NativeRef, Notice};
use serde_json::Value;

use super::replies::{failed, form_reply};
use super::{Call, CallKind, ClaudeAdapter};
use crate::adapter::Output;
use crate::elicitation::{self, Elicitation, ElicitationEnd};
use crate::event::{Asked, Requests};
use crate::json::text;
use crate::open_calls::OpenCall;

impl ClaudeAdapter {
    /// Asks what an MCP server asks. It may do so outside a turn, so this begins none.
    pub(super) fn on_elicitation(&mut self, native_ref: NativeRef, request: &Value, out: &mut Output) {
        match self.calls.find(&native_ref) {
            // The agent lists it once more.
            Ok(OpenCall { own: Call { kind: CallKind::Form { .. }, .. }, answered: false, .. }) => return,
            Ok(_) => return out.line(failed(native_ref.as_str(), "request_id: already used.")),
            Err(_) => {}
        }
        if let Err(words) = self.calls.room() {
            return out.line(failed(native_ref.as_str(), &words));
        }
        let order = request.get("property_order").and_then(Value::as_array);
        let fields = elicitation::read(Elicitation {
            mode: text(request, "mode").unwrap_or_default(),
            message: text(request, "message").unwrap_or_default(),
            url: text(request, "url"),
            schema: request.get("requested_schema").unwrap_or(&Value::Null),
            order: order.map_or(&[], Vec::as_slice),
        });
        match fields.and_then(|fields| Ok((elicitation::accept(&fields)?, fields))) {
            Ok((questions, fields)) => {
                let kind =
                    CallKind::Form { fields, page: text(request, "elicitation_id").map(str::to_owned) };
                let request_id = native_ref.to_string();
                let own = Call { request_id, tool_use: None, input: Value::Null, kind };
                let asked_by = text(request, "mcp_server_name").map(bounded);
                let asked = Asked { native_ref, helper: None, asked_by, questions, asker: Asker::Waits };
                self.calls.ask(asked, own, out);
            }
            Err(refusal) => {
                // A form has no place for words.
                out.line(form_reply(native_ref.as_str(), ElicitationEnd::DECLINED));
                out.notice(Notice::QuestionRefused { reason: refusal.to_string() });
            }
        }
    }

    /// Ends the question about a page that has done its part. The agent still waits for a reply to it (2.1.329).
    pub(super) fn on_elicitation_complete(&mut self, message: &Value, out: &mut Output) {
        let Some(done) = text(message, "elicitation_id") else { return };
        let is_done = |call: &OpenCall<Call>| match &call.own.kind {
            CallKind::Form { page, .. } => !call.answered && page.as_deref() == Some(done),
            _ => false,
        };
        let Some(OpenCall { native_ref, .. }) = self.calls.forget(is_done) else { return };
        out.line(form_reply(native_ref.as_str(), ElicitationEnd::CANCELED));
        out.event(Requests::Withdrawn { native_ref });
    }
}
