//! Claude Code's background work, from lines in the shapes of 2.1.329.

use crate::support::claude::{Claude, decision, native, only_line, sent};
use askdesk_agents::{Action, AgentEvent, claude};
use askdesk_domain::{HelperEnd, HelperId, HelperKind, NativeRef, Notice, StartRefusal, Unsaved};
use rstest::rstest;
use serde_json::{Value, json};
use std::path::PathBuf;

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

fn ends(events: &[AgentEvent]) -> Vec<HelperEnd> {
    let ends = events.iter().filter_map(|event| match event {
        AgentEvent::HelperEnded { end, .. } => Some(*end),
        _ => None,
    });
    ends.collect()
}

fn begun(events: &[AgentEvent]) -> Vec<(&str, HelperKind, &str)> {
    let begun = events.iter().filter_map(|event| match event {
        AgentEvent::HelperBegan { id, kind, title } => Some((id.as_str(), *kind, title.as_str())),
        _ => None,
    });
    begun.collect()
}

fn listed(tasks: &[(&str, &str, &str)]) -> Value {
    let task = |(id, kind, title): &(&str, &str, &str)| json!({"task_id": id, "task_type": kind, "description": title});
    let tasks: Vec<Value> = tasks.iter().map(task).collect();
    json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks})
}

fn answer_to(line: &str, error: Option<&str>) -> Value {
    let id = &sent(line)["request_id"];
    let response = match error {
        Some(error) => json!({"subtype": "error", "request_id": id, "error": error}),
        None => json!({"subtype": "success", "request_id": id, "response": {}}),
    };
    json!({"type": "control_response", "response": response})
}

#[test]
fn background_work_begins_once_and_ends_as_the_agent_says() {
    let mut stream = Claude::new();
    let tasks =
        [("b1", "local_bash", "Run tests"), ("a1", "local_agent", "Look around"), ("m1", "monitor", "")];
    let events = tell(&mut stream, &listed(&tasks));
    let expected = [
        ("b1", HelperKind::Shell, "Run tests"),
        ("a1", HelperKind::Subagent, "Look around"),
        ("m1", HelperKind::Task, "m1"),
    ];
    assert_eq!(begun(&events), expected);
    assert_eq!(begun(&tell(&mut stream, &started("b1", "local_bash", "Run tests"))), []);
    assert_eq!(ends(&tell(&mut stream, &result())), []);
    assert_eq!(ends(&tell(&mut stream, &ended("b1", "failed"))), [HelperEnd::Failed]);
    assert_eq!(ends(&tell(&mut stream, &ended("a1", "stopped"))), [HelperEnd::Stopped]);
    assert_eq!(ends(&tell(&mut stream, &ended("m1", "completed"))), [HelperEnd::Finished]);
    // An agent that works again has the same id.
    assert_eq!(begun(&tell(&mut stream, &started("a1", "local_agent", "Look around"))).len(), 1);
}

#[test]
fn a_subagent_within_the_turn_is_no_helper_until_it_is_moved_to_the_background() {
    let mut stream = Claude::new();
    let mut within = started("a1", "local_agent", "Look around");
    within["is_backgrounded"] = json!(false);
    assert_eq!(begun(&tell(&mut stream, &within)), []);
    assert_eq!(ends(&tell(&mut stream, &ended("a1", "completed"))), []);
    assert_eq!(begun(&tell(&mut stream, &within)), []);
    assert_eq!(begun(&tell(&mut stream, &listed(&[("a1", "local_agent", "Look around")]))).len(), 1);
    assert_eq!(ends(&tell(&mut stream, &ended("a1", "completed"))), [HelperEnd::Finished]);
}

#[test]
fn a_helper_is_stopped_alone_and_a_refusal_is_told() {
    let mut stream = with_helper();
    let id = HelperId::literal(HELPER);
    let out = stream.send(Action::StopHelper { id: id.clone() }).unwrap();
    let line = only_line(out);
    assert_eq!(sent(&line)["request"], json!({"subtype": "stop_task", "task_id": HELPER}));
    let refused = tell(&mut stream, &answer_to(&line, Some("unknown subtype")));
    assert_eq!(
        refused,
        [AgentEvent::HelperNotStopped { id: id.clone(), error: "unknown subtype".to_owned() }]
    );
    let line = only_line(stream.send(Action::StopHelper { id }).unwrap());
    assert_eq!(ends(&tell(&mut stream, &ended(HELPER, "stopped"))), [HelperEnd::Stopped]);
    assert_eq!(tell(&mut stream, &answer_to(&line, None)), []);
}

#[test]
fn a_helper_that_the_agent_stops_with_an_interrupted_turn_is_told_apart() {
    let mut stream = with_helper();
    tell(&mut stream, &started("a2", "local_agent", "Another"));
    let line = stream.interrupt();
    assert_eq!(ends(&tell(&mut stream, &ended(HELPER, "stopped"))), [HelperEnd::WithTurn]);
    tell(&mut stream, &answer_to(&line, None));
    assert_eq!(ends(&tell(&mut stream, &ended("a2", "stopped"))), [HelperEnd::Stopped]);
}

#[test]
fn case_125_what_a_subagent_says_and_does_is_its_output() {
    let mut stream = with_helper();
    let uses = json!({"type": "tool_use", "id": "toolu_h", "name": "Bash", "input": {"command": "ls"}});
    let of_other = json!({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "Not me."}]},
        "parent_tool_use_id": "toolu_other"});
    let lines = [of_helper(&json!({"type": "text", "text": "I will look.\n"})), of_helper(&uses), of_other];
    let said: Vec<String> = lines
        .iter()
        .flat_map(|line| tell(&mut stream, line))
        .filter_map(|event| match event {
            AgentEvent::HelperSaid { id, text } => (id == HelperId::literal(HELPER)).then_some(text),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["I will look.", "▸ Bash: ls"]);
}

#[test]
fn case_125_a_shells_output_is_in_the_file_that_the_agent_names() {
    let mut stream = with_helper();
    let mut named = |task: Option<&str>, text: &str| {
        let content = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}]);
        let result = json!({"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null,
            "tool_use_result": {"stdout": "", "backgroundTaskId": task}});
        tell(&mut stream, &result).into_iter().find_map(|event| match event {
            AgentEvent::HelperWritesTo { id, path } => Some((id.to_string(), path)),
            _ => None,
        })
    };
    let says = |path: &str| {
        format!(
            "Command running in background with ID: b1. Output is being written to: {path}. You will be notified."
        )
    };
    let path = "/tmp/claude-0/-a b/s/tasks/b1.output";
    assert_eq!(named(Some("b1"), &says(path)), Some(("b1".to_owned(), PathBuf::from(path))));
    // What a command prints names no file.
    assert_eq!(named(None, &says(path)), None);
    assert_eq!(named(Some("b1"), &says("/etc/passwd")), None);
    assert_eq!(named(Some("b1"), &says("tasks/b1.output")), None);
}

#[test]
fn case_125_a_subagents_calls_say_whose_they_are() {
    let mut stream = with_helper();
    let uses = json!({"type": "tool_use", "id": "toolu_h", "name": "Bash", "input": {"command": "ls"}});
    let own =
        json!({"type": "assistant", "message": {"id": "m", "content": [uses]}, "parent_tool_use_id": null});
    let mut subagents = |line: &Value| -> Vec<Option<String>> {
        let events = tell(&mut stream, line).into_iter();
        let started = events.filter_map(|event| match event {
            AgentEvent::ToolStarted { subagent, .. } => Some(subagent),
            _ => None,
        });
        started.collect()
    };
    assert_eq!(subagents(&of_helper(&uses)), [Some("Write a file".to_owned())]);
    assert_eq!(subagents(&own), [None]);
}

#[rstest]
#[case::said(json!({"subtype": "informational", "level": "notice", "content": "Stop says: done"}),
    Some(Notice::AgentTold { text: "Stop says: done".to_owned() }))]
#[case::blocked(json!({"subtype": "informational", "level": "warning", "content": "UserPromptSubmit operation blocked by hook:\nno\n"}),
    Some(Notice::AgentWarned { text: "UserPromptSubmit operation blocked by hook:\nno".to_owned() }))]
#[case::for_a_terminal(json!({"subtype": "informational", "level": "info", "content": "x"}), None)]
#[case::at_the_start(json!({"subtype": "hook_response", "hook_name": "SessionStart:startup", "exit_code": 0,
    "stdout": "{\"systemMessage\":\"Mind the gap\"}\n", "stderr": ""}),
    Some(Notice::AgentTold { text: "SessionStart:startup says: Mind the gap".to_owned() }))]
#[case::failed_at_the_start(json!({"subtype": "hook_response", "hook_name": "SessionStart:startup", "exit_code": 1,
    "stdout": "", "stderr": "no such file\n"}),
    Some(Notice::AgentWarned { text: "SessionStart:startup: no such file".to_owned() }))]
#[case::failed_after_a_tool(json!({"subtype": "hook_response", "hook_name": "PostToolUse:Write", "exit_code": 2,
    "stdout": "", "stderr": ""}), Some(Notice::AgentWarned { text: "PostToolUse:Write: exit code 2".to_owned() }))]
#[case::blocks(json!({"subtype": "hook_response", "hook_name": "PreToolUse:Bash", "exit_code": 2,
    "stdout": "", "stderr": "no\n"}), None)]
#[case::said_elsewhere(json!({"subtype": "hook_response", "hook_name": "Stop", "exit_code": 0,
    "stdout": "{\"systemMessage\":\"done\"}\n", "stderr": ""}), None)]
#[case::for_the_model(json!({"subtype": "hook_response", "hook_name": "SessionStart:startup", "exit_code": 0,
    "stdout": "Today is Friday.\n", "stderr": ""}), None)]
#[case::urgent(json!({"subtype": "notification", "key": "k", "text": "Low on quota", "priority": "high"}),
    Some(Notice::AgentTold { text: "Low on quota".to_owned() }))]
#[case::not_urgent(json!({"subtype": "notification", "key": "k", "text": "A tip", "priority": "low"}), None)]
#[case::conversation_lost(json!({"subtype": "session_writes_lost", "error_code": "ENOSPC",
    "lost": ["global_config", "transcript"]}), Some(Notice::AgentUnsaved { what: Unsaved::Conversation }))]
#[case::settings_lost(json!({"subtype": "session_writes_lost", "error_code": "EDQUOT", "lost": ["global_config"]}),
    Some(Notice::AgentUnsaved { what: Unsaved::Settings }))]
#[case::not_installed(json!({"subtype": "plugin_install", "status": "failed", "name": "lint", "error": "no network"}),
    Some(Notice::AgentWarned { text: "lint: no network".to_owned() }))]
#[case::installed(json!({"subtype": "plugin_install", "status": "installed", "name": "lint"}), None)]
#[case::not_mirrored(json!({"subtype": "mirror_error", "error": "timed out", "key": {}}),
    Some(Notice::AgentWarned { text: "timed out".to_owned() }))]
#[case::remembered(json!({"subtype": "memory_recall", "mode": "select", "memories": []}), None)]
#[case::this_once(json!({"subtype": "model_refusal_fallback", "trigger": "refusal", "direction": "retry",
    "scope": "local", "original_model": "opus", "fallback_model": "sonnet", "api_refusal_category": "cyber"}),
    Some(Notice::ModelRefused { refused: "opus".to_owned(), model: "sonnet".to_owned(), lasting: false,
        why: Some("cyber".to_owned()) }))]
fn what_the_agent_or_a_hook_tells_the_user_is_told(
    #[case] mut message: Value,
    #[case] expected: Option<Notice>,
) {
    message["type"] = json!("system");
    let told = tell(&mut Claude::new(), &message);
    let expected = expected.map(|notice| AgentEvent::Noticed { notice });
    assert_eq!(told, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn the_model_that_goes_on_after_a_refusal_is_told_of_and_shown() {
    let mut stream = Claude::new();
    let refused = json!({"type": "system", "subtype": "model_refusal_fallback", "trigger": "refusal",
        "direction": "retry", "original_model": "opus", "fallback_model": "sonnet-x",
        "api_refusal_explanation": "Too risky."});
    let told = tell(&mut stream, &refused);
    let [AgentEvent::ConfigChanged { config }, AgentEvent::Noticed { notice }] = told.as_slice() else {
        panic!("{told:?}")
    };
    let model =
        config.iter().find_map(|option| option.current.clone().filter(|_| option.id == claude::MODEL));
    assert_eq!(model.unwrap().as_str(), "sonnet-x");
    let (refused, model) = ("opus".to_owned(), "sonnet-x".to_owned());
    let why = Some("Too risky.".to_owned());
    assert_eq!(*notice, Notice::ModelRefused { refused, model, lasting: true, why });
}

#[rstest]
#[case::in_background("session_held_by_background", StartRefusal::InBackground)]
#[case::as_root("bypass_root", StartRefusal::BypassAsRoot)]
#[case::settings("config_file_invalid", StartRefusal::SettingsUnreadable)]
#[case::proxy("proxy_invalid", StartRefusal::ProxyInvalid)]
#[case::too_old("cli_version_too_old", StartRefusal::VersionTooOld)]
#[case::organization("org_pin_mismatch", StartRefusal::Organization)]
#[case::gateway("gateway_signin_required", StartRefusal::Organization)]
#[case::new("brand_new", StartRefusal::Other)]
fn a_refusal_to_start_is_told_in_place_of_a_turn(#[case] reason: &str, #[case] expected: StartRefusal) {
    let mut stream = Claude::new();
    let refused = json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "duration_ms": 0,
        "errors": ["Not now."], "startup_failure_reason": reason});
    let error = "Not now.".to_owned();
    assert_eq!(tell(&mut stream, &refused), [AgentEvent::StartRefused { why: expected, error }]);
}
