//! What Claude Code itself says about a permission request, and what it refuses itself, from lines in the shapes of 2.1.332.

use crate::support::claude::{Claude, native};
use askdesk_agents::AgentEvent;
use askdesk_domain::{AgentRemark, ApprovalOptionKind, NativeRef, RemarkStance};
use rstest::rstest;
use serde_json::{Value, json};

const REQUEST: &str = "req-rm";
const TOOL_USE: &str = "toolu_rm";

fn tell(stream: &mut Claude, line: &Value) -> Vec<AgentEvent> {
    stream.on_line(line.to_string().as_bytes())
}

fn asks(with: Value) -> Value {
    let mut request = json!({"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": TOOL_USE,
        "input": {"command": "rm -rf ~/", "description": "clean"}, "description": "clean"});
    if let (Value::Object(request), Value::Object(with)) = (&mut request, with) {
        request.extend(with);
    }
    json!({"type": "control_request", "request_id": REQUEST, "request": request})
}

fn canceled() -> Value {
    json!({"type": "control_cancel_request", "request_id": REQUEST})
}

/// The error that the model gets; `told` is what the program says of the call beside it.
fn error_result(told: Option<Value>) -> Value {
    let result = json!({"type": "tool_result", "tool_use_id": TOOL_USE, "is_error": true, "content": "no"});
    let mut line = json!({"type": "user", "message": {"role": "user", "content": [result]}});
    if let Some(mut told) = told {
        told["id"] = json!(TOOL_USE);
        line["tool_result_meta"] = json!([told]);
    }
    line
}

fn rejected(source: &str, reason: &str) -> Option<Value> {
    let decision = json!({"decision": "reject", "source": source, "reason_type": reason});
    Some(json!({"non_execution_kind": "permission-rule", "permission_decision": decision}))
}

fn remark(events: &[AgentEvent]) -> (Option<AgentRemark>, Option<String>, Vec<ApprovalOptionKind>) {
    match events.last() {
        Some(AgentEvent::ApprovalAsked { remark, description, options, .. }) => {
            (remark.clone(), description.clone(), options.iter().map(|option| option.kind).collect())
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case(json!({"decision_reason": "Dangerous rm operation", "decision_reason_type": "safetyCheck"}),
    Some((Some("Dangerous rm operation"), RemarkStance::NoByDefault)))]
#[case(json!({"decision_reason": "A hook says so", "decision_reason_type": "hook", "default_to_no": true}),
    Some((Some("A hook says so"), RemarkStance::NoByDefault)))]
#[case(json!({"default_to_no": true}), Some((None, RemarkStance::NoByDefault)))]
#[case(json!({"decision_reason": "Path is outside", "decision_reason_type": "workingDir", "default_to_no": false}),
    Some((Some("Path is outside"), RemarkStance::Reason)))]
#[case(json!({"decision_reason": " \n", "decision_reason_type": "subcommandResults"}), None)]
#[case(json!({"decision_reason_type": "mode", "requires_user_interaction": true}), None)]
fn case_138_what_the_program_says_stands_apart_from_what_its_model_says(
    #[case] with: Value,
    #[case] expected: Option<(Option<&str>, RemarkStance)>,
) {
    let (remark, description, _) = remark(&tell(&mut Claude::new(), &asks(with)));
    let expected = expected.map(|(words, stance)| AgentRemark { words: words.map(str::to_owned), stance });
    assert_eq!((remark, description.as_deref()), (expected, Some("clean")));
}

#[test]
fn case_138_hostile_words_of_a_warning_are_bounded() {
    let reason = "a\u{301}".repeat(100_000);
    let asked = asks(json!({"decision_reason": reason, "decision_reason_type": "safetyCheck"}));
    let words = remark(&tell(&mut Claude::new(), &asked)).0.unwrap().words.unwrap();
    assert!(words.len() <= 2048 && words.ends_with("[cut at 2 KiB]"), "{} bytes", words.len());
}

fn refusals(events: &[AgentEvent]) -> Vec<Option<NativeRef>> {
    let refused = events.iter().filter_map(|event| match event {
        AgentEvent::ToolRefused { tool_use, request } => {
            assert_eq!(tool_use, TOOL_USE);
            Some(request.clone())
        }
        _ => None,
    });
    refused.collect()
}

#[rstest]
// A version that says nothing about the call.
#[case::canceled(true, true, None, Some(true))]
#[case::canceled_and_told(true, true, rejected("config", "other"), Some(true))]
#[case::never_asked(false, false, rejected("config", "rule"), Some(false))]
#[case::by_a_mode_while_it_waits(true, false, rejected("config", "mode"), Some(true))]
#[case::failed_by_itself(false, false, None, None)]
#[case::by_a_rule_of_the_users_settings(false, false, rejected("user_reject", "rule"), Some(false))]
#[case::by_the_user(true, true, Some(json!({"permission_decision": {"decision": "reject", "source": "user_reject"}})), None)]
#[case::by_the_users_stop(true, true, Some(json!({"non_execution_kind": "user-rejected"})), None)]
#[case::nobody_could_answer(true, false, rejected("config", "other"), None)]
#[case::allowed_elsewhere_and_failed(
    true, true, Some(json!({"permission_decision": {"decision": "accept", "source": "hook"}})), None)]
fn case_139_a_call_that_the_program_refuses_itself_is_told_from_one_that_failed(
    #[case] asked: bool,
    #[case] cancels: bool,
    #[case] told: Option<Value>,
    #[case] refused: Option<bool>,
) {
    let mut stream = Claude::new();
    if asked {
        tell(&mut stream, &asks(json!({})));
    }
    if cancels {
        let withdrawn = tell(&mut stream, &canceled());
        assert_eq!(withdrawn, [AgentEvent::Withdrawn { native_ref: native(REQUEST) }]);
    }
    let events = tell(&mut stream, &error_result(told));
    let of_request = refused.map(|of_request| of_request.then(|| native(REQUEST)));
    assert_eq!(refusals(&events), Vec::from_iter(of_request), "{events:?}");
    assert!(matches!(events.last(), Some(AgentEvent::ToolEnded { ok: false, .. })), "{events:?}");
}
