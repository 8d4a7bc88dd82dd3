//! Modes, models, plans, rules and costs: what is understood of them, and what is written.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what tests share may fail the test")]

use askdesk_agents::{AgentEvent, ClaudeStream, ControlRequest};
use askdesk_domain::{ApprovalDecision, NativeRef, PermissionMode, QuestionPolicy, RuleId, ToolDetail, Usd};
use rstest::rstest;
use serde_json::{Value, json};

fn take(stream: &mut ClaudeStream, message: &Value) -> Vec<AgentEvent> {
    stream.on_line(message.to_string().as_bytes())
}

fn sent(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

fn native(text: &str) -> NativeRef {
    NativeRef::new(text).unwrap()
}

fn status(mode: &str) -> Value {
    json!({"type": "system", "subtype": "status", "status": null, "permissionMode": mode})
}

fn changed(mode: Option<PermissionMode>) -> AgentEvent {
    AgentEvent::ModeChanged { mode }
}

/// Asks for leave, and returns what was understood.
fn permission(stream: &mut ClaudeStream, tool: &str, input: &Value, suggestions: &Value) -> AgentEvent {
    let request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "toolu_1",
        "permission_suggestions": suggestions,
    });
    let message = json!({"type": "control_request", "request_id": "req-1", "request": request});
    take(stream, &message).pop().unwrap()
}

fn decided(stream: &mut ClaudeStream, decision: &ApprovalDecision) -> Value {
    let line = stream.encode_decision(&native("req-1"), decision).unwrap();
    sent(&line)["response"]["response"].clone()
}

#[test]
fn the_mode_is_told_of_whenever_it_is_another_one() {
    let mut stream = ClaudeStream::new(true);
    let handshake = sent(&stream.hello());
    let response = json!({"claude_code_version": "2.1.329", "current_permission_mode": "plan"});
    let answer = json!({"type": "control_response", "response": {
        "subtype": "success", "request_id": handshake["request_id"], "response": response}});
    assert_eq!(take(&mut stream, &answer)[1..], [changed(Some(PermissionMode::Plan))]);
    let init = json!({"type": "system", "subtype": "init", "permissionMode": "plan"});
    assert!(!take(&mut stream, &init).iter().any(|event| matches!(event, AgentEvent::ModeChanged { .. })));
    for (word, events) in [
        ("acceptEdits", vec![changed(Some(PermissionMode::AcceptEdits))]),
        ("acceptEdits", vec![]),
        ("auto", vec![changed(None)]),
        ("bypassPermissions", vec![changed(Some(PermissionMode::Bypass))]),
        ("default", vec![changed(Some(PermissionMode::Default))]),
    ] {
        assert_eq!(take(&mut stream, &status(word)), events, "{word}");
    }
    let other_news = json!({"type": "system", "subtype": "status", "status": "requesting"});
    assert_eq!(take(&mut stream, &other_news), []);
}

#[test]
fn a_wish_for_another_mode_or_model_hears_what_the_agent_says() {
    let mut stream = ClaudeStream::new(true);
    let ControlRequest { id, line } = stream.encode_set_mode(PermissionMode::AcceptEdits);
    let wanted = json!({"subtype": "set_permission_mode", "mode": "acceptEdits"});
    assert_eq!(sent(&line), json!({"type": "control_request", "request_id": id, "request": wanted}));
    let answer = |id: &str, response: Value| {
        let mut response = response;
        response["request_id"] = json!(id);
        json!({"type": "control_response", "response": response})
    };
    let done = json!({"subtype": "success", "response": {"mode": "acceptEdits"}});
    assert_eq!(
        take(&mut stream, &answer(&id, done.clone())),
        [
            changed(Some(PermissionMode::AcceptEdits)),
            AgentEvent::RequestEnded { request_id: id.clone(), refused: None }
        ]
    );
    assert_eq!(take(&mut stream, &answer(&id, done)), []);

    let ControlRequest { id, .. } = stream.encode_set_mode(PermissionMode::Bypass);
    let error = "not launched so";
    let refused = json!({"subtype": "error", "error": error, "error_code": "bypass_not_launched"});
    let ended = AgentEvent::RequestEnded { request_id: id.clone(), refused: Some(error.to_owned()) };
    assert_eq!(take(&mut stream, &answer(&id, refused)), [ended]);

    let ControlRequest { id, line } = stream.encode_set_model("some-model");
    assert_eq!(sent(&line)["request"], json!({"subtype": "set_model", "model": "some-model"}));
    let done = json!({"subtype": "success", "response": {"model": "some-model"}});
    let events = take(&mut stream, &answer(&id, done));
    assert!(matches!(&events[0], AgentEvent::Introduced { model: Some(model), .. } if model == "some-model"));
    assert_eq!(events[1..], [AgentEvent::RequestEnded { request_id: id, refused: None }]);
}

#[test]
fn chosen_rules_go_back_with_the_input_as_received() {
    let mut stream = ClaudeStream::new(true);
    let input = json!({"command": "mkdir a && touch a/b"});
    let suggestions = json!([
        {"type": "addRules", "behavior": "allow", "destination": "localSettings", "rules": [
            {"toolName": "Bash", "ruleContent": "mkdir a *"}, {"toolName": "Bash", "ruleContent": "touch a/b"}]},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    ]);
    let asked = permission(&mut stream, "Bash", &input, &suggestions);
    let AgentEvent::ApprovalAsked { rules, .. } = asked else { panic!("{asked:?}") };
    assert_eq!(rules.len(), 3);
    let both = ApprovalDecision::AllowWithRules { rules: vec![RuleId::at(0), RuleId::at(1)] };
    let response =
        json!({"behavior": "allow", "updatedInput": input, "updatedPermissions": [suggestions[0].clone()]});
    assert_eq!(decided(&mut stream, &both), response);
}

#[rstest]
#[case::as_it_is(None, None, json!({"plan": "# P", "planFilePath": "/p.md"}), Value::Null)]
#[case::edited(None, Some("# Q"), json!({"plan": "# Q", "planFilePath": "/p.md"}), Value::Null)]
#[case::with_a_mode(Some(PermissionMode::AcceptEdits), None, json!({"plan": "# P", "planFilePath": "/p.md"}),
    json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]))]
fn an_approved_plan_takes_what_was_shown_and_nothing_beside_it(
    #[case] mode: Option<PermissionMode>,
    #[case] plan: Option<&str>,
    #[case] input: Value,
    #[case] permissions: Value,
) {
    let mut stream = ClaudeStream::new(true);
    let received = json!({"plan": "# P", "planFilePath": "/p.md", "allowedPrompts": [{"tool": "Bash"}]});
    let asked = permission(&mut stream, "ExitPlanMode", &received, &json!([]));
    let AgentEvent::ApprovalAsked { what, .. } = asked else { panic!("{asked:?}") };
    assert_eq!(what, ToolDetail::Plan { plan: "# P".to_owned(), path: Some("/p.md".to_owned()) });
    let approved = ApprovalDecision::ApprovePlan { mode, plan: plan.map(str::to_owned) };
    let response = decided(&mut stream, &approved);
    assert_eq!((&response["updatedInput"], &response["updatedPermissions"]), (&input, &permissions));
    assert_eq!(response["behavior"], "allow");
}

#[rstest]
#[case::without_words(None, "The user did not approve the plan. Keep planning and hand in a better one.")]
#[case::with_words(Some("smaller steps"), "smaller steps")]
fn a_plan_is_sent_back_in_words(#[case] message: Option<&str>, #[case] expected: &str) {
    let mut stream = ClaudeStream::new(true);
    permission(&mut stream, "ExitPlanMode", &json!({}), &json!([]));
    let denied = ApprovalDecision::Deny { message: message.map(str::to_owned) };
    assert_eq!(decided(&mut stream, &denied), json!({"behavior": "deny", "message": expected}));
}

#[rstest]
#[case(QuestionPolicy::Never, "takes no questions in this session")]
#[case(QuestionPolicy::PlanOnly, "only while you are in plan mode")]
fn a_question_that_is_turned_off_is_refused_in_words_to_act_on(
    #[case] policy: QuestionPolicy,
    #[case] words: &str,
) {
    let mut stream = ClaudeStream::new(true);
    let input = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let asked = permission(&mut stream, "AskUserQuestion", &input, &json!([]));
    assert!(matches!(asked, AgentEvent::Asked(_)), "{asked:?}");
    let line = stream.encode_turned_off(&native("toolu_1"), policy).unwrap();
    let response = sent(&line)["response"]["response"].clone();
    assert_eq!(response["behavior"], "deny");
    let message = response["message"].as_str().unwrap();
    assert!(message.contains(words) && message.contains("Decide by yourself"), "{message}");
}

#[test]
fn a_turn_costs_what_was_added_to_the_sum() {
    let mut stream = ClaudeStream::new(true);
    let result = |total: Value| json!({"type": "result", "subtype": "success", "total_cost_usd": total});
    for (total, cost) in [
        (json!(0.000_88), Usd::new(0.000_88)),
        (json!(0.001_76), Usd::new(0.000_88)),
        (json!(null), None),
        (json!(-1), None),
        (json!(0.002), Usd::new(0.000_24)),
    ] {
        let events = take(&mut stream, &result(total));
        let Some(AgentEvent::TurnEnded { cost_usd, .. }) = events.last() else { panic!("{events:?}") };
        assert_eq!(*cost_usd, cost);
    }
}
