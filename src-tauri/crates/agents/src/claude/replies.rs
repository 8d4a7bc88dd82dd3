//! The lines that reply to what Claude Code asks of us.

use serde_json::{Value, json};

use crate::elicitation::ElicitationEnd;

pub(super) fn allow(request_id: &str, input: &Value) -> String {
    reply(request_id, &json!({"behavior": "allow", "updatedInput": input}))
}

pub(super) fn deny(request_id: &str, message: &str) -> String {
    reply(request_id, &json!({"behavior": "deny", "message": message}))
}

pub(super) fn failed(request_id: &str, error: &str) -> String {
    let response = json!({"subtype": "error", "request_id": request_id, "error": error});
    json!({"type": "control_response", "response": response}).to_string()
}

pub(super) fn reply(request_id: &str, response: &Value) -> String {
    let response = json!({"subtype": "success", "request_id": request_id, "response": response});
    json!({"type": "control_response", "response": response}).to_string()
}

/// The reply to an elicitation. It leaves out what there is none of.
pub(super) fn form_reply(request_id: &str, ended: ElicitationEnd) -> String {
    let mut response = json!({"action": ended.action});
    if let Some(content) = ended.content {
        response["content"] = content;
    }
    reply(request_id, &response)
}
