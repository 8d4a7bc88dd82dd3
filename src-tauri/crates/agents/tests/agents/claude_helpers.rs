//! Claude Code's background work, from lines in the shapes of 2.1.329.

use crate::support::claude::{Claude, decision, native, sent};
use askdesk_agents::AgentEvent;
use askdesk_domain::{HelperId, NativeRef};
use serde_json::{Value, json};

const HELPER: &str = "a17c";

fn tell(stream: &mut Claude, line: &Value) -> Vec<AgentEvent> {
    stream.on_line(line.to_string().as_bytes())
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 5, "result": "", "usage": {}})
}

fn started(task: &str, kind: &str, title: &str) -> Value {
    json!({"type": "system", "subtype": "task_started", "task_id": task, "tool_use_id": "toolu_agent",
        "description": title, "is_backgrounded": true, "task_type": kind})
}

fn ended(task: &str, status: &str) -> Value {
    json!({"type": "system", "subtype": "task_notification", "task_id": task, "tool_use_id": "toolu_agent",
        "status": status, "summary": ""})
}

fn asks(request: &str, tool_use: &str, helper: Option<&str>) -> Value {
    let mut request = json!({"type": "control_request", "request_id": request, "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": tool_use}});
    if let Some(helper) = helper {
        request["request"]["agent_id"] = json!(helper);
    }
    request
}

fn of_helper(content: &Value) -> Value {
    json!({"type": "assistant", "message": {"id": "msg_h", "content": [content]}, "parent_tool_use_id": "toolu_agent",
        "agent_id": HELPER})
}

/// A session whose first turn began a subagent.
fn with_helper() -> Claude {
    let mut stream = Claude::new();
    tell(&mut stream, &json!({"type": "system", "subtype": "init", "session_id": "s"}));
    tell(&mut stream, &started(HELPER, "local_agent", "Write a file"));
    stream
}

fn withdrawn(events: &[AgentEvent]) -> Vec<NativeRef> {
    let withdrawn = events.iter().filter_map(|event| match event {
        AgentEvent::Withdrawn { native_ref } => Some(native_ref.clone()),
        _ => None,
    });
    withdrawn.collect()
}

#[test]
fn case_107_a_helpers_request_outlives_the_turns_of_the_agent_and_is_answered() {
    let mut stream = with_helper();
    tell(&mut stream, &asks("own", "toolu_own", None));
    let asked = tell(&mut stream, &asks("helpers", "toolu_h", Some(HELPER)));
    let [AgentEvent::ApprovalAsked { helper, asked_by, .. }] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(*helper, Some(HelperId::literal(HELPER)));
    assert_eq!(asked_by.as_deref(), Some("Write a file"));
    assert_eq!(withdrawn(&tell(&mut stream, &result())), [native("own")]);
    tell(&mut stream, &json!({"type": "system", "subtype": "init", "session_id": "s"}));
    assert_eq!(withdrawn(&tell(&mut stream, &result())), []);
    let line = stream.decide(&native("helpers"), &decision(&["allow"], None, None)).unwrap();
    assert_eq!(sent(&line)["response"]["response"]["behavior"], "allow");
}

#[test]
fn case_107_a_helpers_request_ends_with_the_helper_or_when_it_is_canceled() {
    let mut stream = with_helper();
    tell(&mut stream, &started("b2", "local_agent", "Another"));
    tell(&mut stream, &asks("first", "toolu_1", Some(HELPER)));
    tell(&mut stream, &asks("second", "toolu_2", Some(HELPER)));
    tell(&mut stream, &asks("others", "toolu_3", Some("b2")));
    let canceled = json!({"type": "control_cancel_request", "request_id": "first"});
    assert_eq!(withdrawn(&tell(&mut stream, &canceled)), [native("first")]);
    assert_eq!(withdrawn(&tell(&mut stream, &ended(HELPER, "stopped"))), [native("second")]);
    assert_eq!(withdrawn(&tell(&mut stream, &ended("b2", "completed"))), [native("others")]);
}

#[test]
fn case_113_the_end_of_a_helper_says_which_call_began_it() {
    let mut stream = with_helper();
    let ended = tell(&mut stream, &ended(HELPER, "stopped"));
    let expected = AgentEvent::SubagentEnded { tool_use: "toolu_agent".to_owned() };
    assert!(ended.contains(&expected), "{ended:?}");
}

#[test]
fn a_helper_that_works_after_the_turn_begins_none() {
    let mut stream = with_helper();
    tell(&mut stream, &result());
    let delta = json!({"type": "stream_event", "parent_tool_use_id": "toolu_agent", "event": {
        "type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}});
    let uses = json!({"type": "tool_use", "id": "toolu_h", "name": "Bash", "input": {"command": "ls"}});
    let lines = [
        of_helper(&json!({"type": "text", "text": "I will look."})),
        delta,
        of_helper(&uses),
        asks("helpers", "toolu_h", Some(HELPER)),
    ];
    let events: Vec<AgentEvent> = lines.iter().flat_map(|line| tell(&mut stream, line)).collect();
    assert!(!events.contains(&AgentEvent::TurnBegan), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, AgentEvent::ToolStarted { .. })), "{events:?}");
    let own = json!({"type": "assistant", "message": {"id": "m", "content": []}, "parent_tool_use_id": null});
    assert!(tell(&mut stream, &own).contains(&AgentEvent::TurnBegan));
}
