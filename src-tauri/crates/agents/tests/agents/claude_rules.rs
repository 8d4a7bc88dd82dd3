//! The hook by which Claude Code tells of a tool call before its own rules decide.

use crate::support::claude::{Claude, lines, native, sent};
use askdesk_agents::{Action, AgentEvent, InputError};
use askdesk_domain::{CallArgument, PermissionCall};
use serde_json::{Value, json};

/// A call of the hook in the shape of 2.1.329.
fn proposed(tool: &str, input: &Value) -> Vec<u8> {
    let request = json!({"subtype": "hook_callback", "callback_id": "askdesk-rules", "tool_use_id": "toolu_1", "input": {
        "session_id": "s", "transcript_path": "/t", "cwd": "/proj", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1"}});
    json!({"type": "control_request", "request_id": "hook-1", "request": request}).to_string().into_bytes()
}

#[test]
fn case_100_a_call_is_proposed_and_asked_for_or_left_to_the_agent() {
    let mut claude = Claude::new();
    let out = claude.line(&proposed("Bash", &json!({"command": "ls -l", "description": "Lists"})));
    let call = PermissionCall {
        tools: vec!["Bash".to_owned()],
        arguments: vec![CallArgument::Command("ls -l".to_owned())],
    };
    assert_eq!(out.events, [AgentEvent::ToolCallProposed { native_ref: native("hook-1"), call }]);
    assert!(out.outbound.is_empty(), "the engine compares it with the rules first");
    let review = |ask| Action::ReviewToolCall { native_ref: native("hook-1"), ask };
    let answer = |line: &str| sent(line)["response"].clone();
    let asked = claude.send(review(true)).unwrap();
    assert_eq!(
        answer(lines(&asked.outbound)[0]),
        json!({"subtype": "success", "request_id": "hook-1", "response": {"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "ask",
            "permissionDecisionReason": "A permission rule of the user applies."}}})
    );
    let left = claude.send(review(false)).unwrap();
    assert_eq!(answer(lines(&left.outbound)[0])["response"], json!({}));
}

#[test]
fn case_100_a_question_that_reaches_the_hook_is_let_through_at_once() {
    for tool in ["AskUserQuestion", "ExitPlanMode", "mcp__askdesk__ask_user_question"] {
        let out = Claude::new().line(&proposed(tool, &json!({"questions": []})));
        assert_eq!(out.events, []);
        assert_eq!(sent(lines(&out.outbound)[0])["response"]["response"], json!({}), "{tool}");
    }
}

#[test]
fn a_hook_call_without_a_tool_is_answered_and_counted() {
    let line =
        json!({"type": "control_request", "request_id": "hook-1", "request": {"subtype": "hook_callback"}});
    let out = Claude::new().line(line.to_string().as_bytes());
    let why = InputError::Incomplete { field: "tool_name" };
    assert_eq!(out.events, [AgentEvent::InvalidInput { why }]);
    assert_eq!(sent(lines(&out.outbound)[0])["response"]["response"], json!({}));
}
