//! The fake agent's protocol, driven over pipes.

use crate::support::fake::{STORE, kinds, start, start_asking, start_with};
use crate::support::host::{MANAGED, kind, texts, tool_results, user};
use serde_json::{Value, json};

#[test]
fn the_agent_says_nothing_until_it_is_spoken_to() {
    let mut host = start("technology");
    host.check_silent();
    let response = host.control(&json!({"subtype": "initialize", "hooks": null}));
    assert_eq!(response["subtype"], "success");
    assert_eq!(response["pending_permission_requests"], json!([]));
    assert_eq!(response["response"]["current_permission_mode"], "default");
    assert_eq!(response["response"]["claude_code_version"], askdesk_demo_agent::PROTOCOL_VERSION);
    assert_eq!(host.exit_code(), Some(0));
}

#[test]
fn a_refusal_with_interrupt_ends_the_turn() {
    let (mut host, request) = start_asking("technology");
    host.respond(&request, &json!({"behavior": "deny", "message": "Stop.", "interrupt": true}));
    let events = host.turn_end();
    assert_eq!(kinds(&events), ["user tool_result", "user text", "result error_during_execution"]);
    assert_eq!(events[2]["terminal_reason"], "aborted_tools");
    assert_eq!(host.exit_code(), Some(1));
}

#[test]
fn answers_without_the_agreed_form_become_errors_and_the_turn_goes_on() {
    #[track_caller]
    fn check(response: &Value, words: &str) {
        let (mut host, request) = start_asking("technology");
        host.send(&json!({"type": "control_response", "response": response_to(&request, response)}));
        let events = host.turn_end();
        assert_eq!(tool_results(&events)[0]["content"], words);
        assert_eq!(kind(events.last().unwrap()), "result success");
    }
    fn response_to(request: &Value, response: &Value) -> Value {
        let mut response = response.clone();
        response["request_id"] = request["request_id"].clone();
        response
    }
    let success = |response: Value| json!({"subtype": "success", "response": response});
    check(&json!({"subtype": "error", "error": "no screen"}), "The host could not decide: no screen");
    check(
        &success(json!({"behavior": "maybe"})),
        "The host's decision is unusable: `behavior` is neither allow nor deny",
    );
    check(
        &success(json!({"behavior": "allow", "updatedInput": {"answers": {}}})),
        "The input is unusable: `questions` is missing",
    );
    check(&success(json!({"behavior": "allow"})), "The user left the questions unanswered.");
}

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

#[test]
fn a_line_that_is_not_json_ends_the_agent_with_1_and_an_unknown_type_does_not() {
    let mut host = start("technology");
    host.send(&json!({"type": "keep_alive"}));
    host.send(&json!({"type": "of_next_year"}));
    host.check_silent();
    host.send_line("this is no JSON");
    let (status, stderr) = host.finish();
    assert_eq!(status.code(), Some(1));
    assert!(stderr.contains("not JSON") && stderr.contains("this is no JSON"), "{stderr}");
}

#[test]
fn streaming_events_surround_the_whole_messages() {
    let flags = [&MANAGED[..], &["--include-partial-messages", "--replay-user-messages"]].concat();
    let mut host = start_with("technology", &flags, &[]);
    host.send(&user(&json!("go"), Some("u-1")));
    let events = host.until(|event| event["type"] == "control_request");
    assert_eq!(
        kinds(&events),
        [
            "command_lifecycle queued",
            "command_lifecycle started",
            "system init",
            "user replay",
            "system status",
            "stream_event message_start",
            "stream_event content_block_start",
            "stream_event content_block_delta",
            "stream_event content_block_delta",
            "assistant text",
            "stream_event content_block_stop",
            "stream_event content_block_start",
            "stream_event content_block_delta",
            "assistant tool_use",
            "control_request can_use_tool",
        ]
    );
    let request = events.last().unwrap();
    let pieces: String = events.iter().filter_map(|event| event["event"]["delta"]["text"].as_str()).collect();
    assert_eq!(pieces, texts(&events)[0]);
    host.answer(request, &json!({STORE: "SQLite"}));
    let events = host.until(|event| kind(event) == "command_lifecycle completed");
    assert_eq!(
        kinds(&events)[..5],
        [
            "stream_event content_block_stop",
            "stream_event message_delta",
            "stream_event message_stop",
            // What the host decided is echoed too, as measured.
            "control_response",
            "user tool_result",
        ]
    );
    assert_eq!(kinds(&events)[events.len() - 2..], ["result success", "command_lifecycle completed"]);
}

fn tool_result(tool_use_id: &Value, content: &Value) -> Value {
    user(&json!([{"type": "tool_result", "tool_use_id": tool_use_id, "content": content}]), None)
}

#[test]
fn without_a_prompt_tool_nobody_is_asked() {
    let mut host = start_with("technology", &MANAGED[..6], &[]);
    host.say("go");
    let events = host.turn_end();
    assert!(!kinds(&events).contains(&"control_request can_use_tool".to_owned()));
    assert_eq!(tool_results(&events)[0]["is_error"], true);
}

#[test]
fn a_tool_result_does_not_answer_a_control_request() {
    let (mut host, request) = start_asking("technology");
    host.send(&tool_result(&request["request"]["tool_use_id"], &json!("SQLite")));
    host.check_silent();
    host.answer(&request, &json!({STORE: "SQLite (Recommended)"}));
    assert_eq!(kind(&host.next()), "user tool_result");
}

#[test]
fn state_changes_are_announced_to_hosts_that_want_them() {
    let mut host = start_with("technology", &MANAGED, &[("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")]);
    host.say("go");
    let mut events = host.until(|event| event["type"] == "control_request");
    host.answer(&events.last().unwrap().clone(), &json!({STORE: "SQLite"}));
    events.extend(host.until(|event| event["state"] == "idle"));
    let states: Vec<_> = events
        .iter()
        .filter(|event| event["subtype"] == "session_state_changed")
        .map(|event| event["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["running", "requires_action", "running", "idle"]);
}
