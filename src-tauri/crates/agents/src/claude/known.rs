//! What this adapter knows of Claude Code's protocol (2.1.332): closed lists. A word in none of them is unknown: what it says is
//! shown or counted, and a request is refused.

/// Message types that are known and ignored.
pub const SILENT_TYPES: &[&str] = &[
    "active_goal",
    "attachment",
    "auth_status",
    "keep_alive",
    "prompt_suggestion",
    "rate_limit_event",
    "tool_progress",
    "tool_use_summary",
];

/// System message types that are known and ignored.
pub const SILENT_SYSTEM: &[&str] = &[
    "control_request_progress",
    "files_persisted",
    "hook_progress",
    "hook_started",
    "local_command_output",
    "memory_recall",
    "model_refusal_no_fallback",
    "permission_denied",
    "session_state_changed",
    "session_title_changed",
    "task_progress",
    "task_updated",
    "thinking_tokens",
    "worker_shutting_down",
];

/// Message types that are read.
pub const TYPES: &[&str] = &[
    "assistant",
    "command_lifecycle",
    "control_cancel_request",
    "control_request",
    "control_response",
    "conversation_reset",
    "result",
    "stream_event",
    "system",
    "user",
];

/// System message types that are read.
pub const SYSTEM: &[&str] = &[
    "api_retry",
    "background_tasks_changed",
    "commands_changed",
    "compact_boundary",
    "elicitation_complete",
    "hook_response",
    "informational",
    "init",
    "mirror_error",
    "model_refusal_fallback",
    "notification",
    "plugin_install",
    "session_writes_lost",
    "status",
    "task_notification",
    "task_started",
];

/// Control requests that are answered.
pub const REQUESTS: &[&str] = &["can_use_tool", "elicitation", "hook_callback"];

/// Control requests that reach only programs which declare more than this one. They are refused like unknown ones.
pub const FOR_OTHERS: &[&str] = &["mcp_message", "request_user_dialog"];

/// Blocks of the agent's messages that are read, besides results of tools.
pub const BLOCKS: &[&str] =
    &["mcp_tool_use", "redacted_thinking", "server_tool_use", "text", "thinking", "tool_use"];

/// What the block of a tool's result ends with.
pub const RESULT_BLOCK: &str = "_tool_result";
