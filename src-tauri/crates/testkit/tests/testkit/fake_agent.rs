//! The fake agent's protocol, driven over pipes.

use crate::support::fake::{STORE, kinds, start_asking};
use crate::support::host::{kind, texts, user};
use serde_json::json;

#[test]
fn a_message_while_a_question_is_open_is_folded_in_behind_the_answer() {
    let (mut host, request) = start_asking("technology");
    host.send(&user(&json!("Use little memory."), Some("u-2")));
    assert_eq!(kind(&host.next()), "command_lifecycle queued");
    host.check_silent();
    host.answer(&request, &json!({STORE: "Plain files"}));
    let events = host.turn_end();
    assert_eq!(
        kinds(&events),
        [
            "user tool_result",
            "command_lifecycle started",
            "assistant text",
            "assistant text",
            "command_lifecycle completed",
            "result success"
        ]
    );
    assert_eq!(texts(&events)[0], "Read on the way: Use little memory.");
}

#[test]
fn a_second_handshake_returns_the_open_request_whole() {
    let (mut host, request) = start_asking("technology");
    let response = host.control(&json!({"subtype": "initialize"}));
    assert_eq!(response["pending_permission_requests"], json!([request]));
    assert_eq!(response["response"]["session_state"], "requires_action");
    host.answer(&request, &json!({STORE: "SQLite"}));
    host.turn_end();
    let response = host.control(&json!({"subtype": "initialize"}));
    assert_eq!(response["pending_permission_requests"], json!([]));
}

#[test]
fn stdin_closed_with_a_question_open_withdraws_it_and_ends_with_1() {
    let (mut host, request) = start_asking("technology");
    host.close_stdin();
    let events = host.turn_end();
    assert_eq!(events[0], json!({"type": "control_cancel_request", "request_id": request["request_id"]}));
    assert_eq!(kind(events.last().unwrap()), "result error_during_execution");
    assert_eq!(host.exit_code(), Some(1));
}
