//! The events that the host receives, as in Claude Code 2.1.329, without the fields that no host reads.

use serde_json::{Value, json};

use super::PROTOCOL_VERSION;

const TOOLS: [&str; 9] = [
    "AskUserQuestion",
    "Bash",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Read",
    "TodoWrite",
    "WebSearch",
    "Write",
];

/// The capabilities that a host may rely on.
const CAPABILITIES: [&str; 3] =
    ["interrupt_receipt_v1", "msg_lifecycle_v1", "ask_user_question_unanswered_v1"];

pub(super) fn fresh_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The values that most events of a session contain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope<'a> {
    pub(super) session_id: &'a str,
    pub(super) model: &'a str,
    pub(super) permission_mode: &'a str,
}

impl Envelope<'_> {
    pub(super) fn init(self) -> Value {
        let cwd = std::env::current_dir().unwrap_or_default();
        json!({
            "type": "system", "subtype": "init", "cwd": cwd.to_string_lossy(), "session_id": self.session_id,
            "tools": TOOLS, "mcp_servers": [], "model": self.model, "permissionMode": self.permission_mode,
            "slash_commands": [], "apiKeySource": "none", "claude_code_version": PROTOCOL_VERSION,
            "output_style": "default", "agents": [], "skills": [], "plugins": [],
            "capabilities": CAPABILITIES, "uuid": fresh_uuid(),
        })
    }

    /// The `response` part of the answer to `initialize`.
    pub(super) fn initialized(self, state: &str) -> Value {
        json!({
            "commands": [], "agents": [], "output_style": "default", "available_output_styles": ["default"],
            "models": [{"value": self.model, "displayName": self.model, "description": "Plays a scenario"}],
            "account": {}, "pid": std::process::id(), "claude_code_version": PROTOCOL_VERSION,
            "current_permission_mode": self.permission_mode, "session_state": state, "capabilities": [],
        })
    }

    pub(super) fn state_changed(self, state: &str) -> Value {
        json!({
            "type": "system", "subtype": "session_state_changed", "state": state,
            "uuid": fresh_uuid(), "session_id": self.session_id,
        })
    }

    pub(super) fn requesting(self) -> Value {
        json!({
            "type": "system", "subtype": "status", "status": "requesting",
            "session_id": self.session_id, "uuid": fresh_uuid(),
        })
    }

    pub(super) fn mode_changed(self) -> Value {
        json!({
            "type": "system", "subtype": "status", "status": null, "permissionMode": self.permission_mode,
            "uuid": fresh_uuid(), "session_id": self.session_id,
        })
    }

    pub(super) fn lifecycle(self, command_uuid: &str, state: &str) -> Value {
        json!({
            "type": "command_lifecycle", "command_uuid": command_uuid, "state": state,
            "uuid": fresh_uuid(), "session_id": self.session_id,
        })
    }

    pub(super) fn replay(self, message: &Value, uuid: Option<&str>) -> Value {
        json!({
            "type": "user", "message": message, "session_id": self.session_id, "parent_tool_use_id": null,
            "uuid": uuid.map_or_else(fresh_uuid, str::to_owned), "isReplay": true,
        })
    }

    pub(super) fn stream(self, event: &Value, message_id: &str) -> Value {
        json!({
            "type": "stream_event", "event": event, "session_id": self.session_id,
            "parent_tool_use_id": null, "uuid": fresh_uuid(), "api_message_id": message_id,
        })
    }

    /// The `message` of an assistant event and of `message_start`.
    pub(super) fn model_message(self, message_id: &str, content: &Value, output_tokens: u64) -> Value {
        json!({
            "id": message_id, "type": "message", "role": "assistant", "model": self.model, "content": content,
            "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 0, "output_tokens": output_tokens},
        })
    }

    pub(super) fn assistant(self, message: &Value) -> Value {
        json!({
            "type": "assistant", "message": message, "parent_tool_use_id": null,
            "session_id": self.session_id, "uuid": fresh_uuid(),
        })
    }

    pub(super) fn user(self, content: &Value) -> Value {
        json!({
            "type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null,
            "session_id": self.session_id, "uuid": fresh_uuid(),
        })
    }
}

pub(super) fn control_success(request_id: &Value, response: &Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request_id, "response": response},
    })
}

pub(super) fn control_error(request_id: &Value, error: &str, code: &str) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "error", "request_id": request_id, "error": error, "error_code": code},
    })
}

pub(super) fn control_cancel(request_id: &str) -> Value {
    json!({"type": "control_cancel_request", "request_id": request_id})
}
