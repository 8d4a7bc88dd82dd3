//! Config options, plans, rules and costs: what is understood of them, and what is written.

use crate::support::claude::{Claude, decision, lines, native, options_of_claude, sent};
use askdesk_agents::{Action, AgentEvent, EncodeError, Output, QuestionRefusal};
use askdesk_domain::{
    ApprovalOption, ConfigId, ConfigOption, OptionLabel, QuestionPolicy, ToolDetail, Usd, ValueId,
};
use rstest::rstest;
use serde_json::{Value, json};

fn take(stream: &mut Claude, message: &Value) -> Vec<AgentEvent> {
    stream.on_line(message.to_string().as_bytes())
}

fn status(mode: &str) -> Value {
    json!({"type": "system", "subtype": "status", "status": null, "permissionMode": mode})
}

/// The whole list of options with these present values.
fn config(current: &[(&str, &str)]) -> Vec<ConfigOption> {
    let value = |id: &ConfigId| current.iter().find(|(known, _)| *known == id.as_str());
    let with_current = |option: ConfigOption| {
        let current = value(&option.id).and_then(|(_, value)| ValueId::new(*value));
        ConfigOption { current, ..option }
    };
    options_of_claude().into_iter().map(with_current).collect()
}

fn changed(current: &[(&str, &str)]) -> AgentEvent {
    AgentEvent::ConfigChanged { config: config(current) }
}

fn is_change(event: &AgentEvent) -> bool {
    matches!(event, AgentEvent::ConfigChanged { .. })
}

/// Asks for leave, and returns what was understood.
fn permission(stream: &mut Claude, tool: &str, input: &Value, suggestions: &Value) -> AgentEvent {
    let request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "toolu_1",
        "permission_suggestions": suggestions,
    });
    let message = json!({"type": "control_request", "request_id": "req-1", "request": request});
    take(stream, &message).pop().unwrap()
}

fn options_of(asked: &AgentEvent) -> &[ApprovalOption] {
    let AgentEvent::ApprovalAsked { options, .. } = asked else { panic!("{asked:?}") };
    options
}

fn ids(options: &[ApprovalOption]) -> Vec<&str> {
    options.iter().map(|option| option.id.as_str()).collect()
}

fn decided(stream: &mut Claude, options: &[&str], message: Option<&str>, plan: Option<&str>) -> Value {
    let line = stream.decide(&native("req-1"), &decision(options, message, plan)).unwrap();
    sent(&line)["response"]["response"].clone()
}

fn answer_to(id: &Value, mut response: Value) -> Value {
    response["request_id"] = id.clone();
    json!({"type": "control_response", "response": response})
}

#[test]
fn case_113_the_mode_is_told_of_whenever_it_is_another_one_and_an_unknown_one_by_the_agents_name() {
    let mut stream = Claude::new();
    let handshake = sent(&stream.hello());
    let response = json!({"claude_code_version": "2.1.329", "current_permission_mode": "plan"});
    let answer = answer_to(&handshake["request_id"], json!({"subtype": "success", "response": response}));
    assert_eq!(take(&mut stream, &answer)[1..], [changed(&[("mode", "plan")])]);
    let init = json!({"type": "system", "subtype": "init", "permissionMode": "plan"});
    assert!(!take(&mut stream, &init).iter().any(is_change));
    for (word, events) in [
        ("acceptEdits", vec![changed(&[("mode", "accept_edits")])]),
        ("acceptEdits", vec![]),
        ("auto", vec![changed(&[("mode", "auto")])]),
        ("dontAsk", vec![changed(&[("mode", "dontAsk")])]),
        ("brandNew", vec![changed(&[("mode", "brandNew")])]),
        ("bypassPermissions", vec![changed(&[("mode", "bypass")])]),
        ("manual", vec![changed(&[("mode", "default")])]),
    ] {
        assert_eq!(take(&mut stream, &status(word)), events, "{word}");
    }
    let other_news = json!({"type": "system", "subtype": "status", "status": "requesting"});
    assert_eq!(take(&mut stream, &other_news), []);
}

#[test]
fn the_model_is_what_the_agent_says_and_what_cannot_change_is_what_was_chosen() {
    let mut stream = Claude::started_with(&[("mode", "plan"), ("model", "opus"), ("effort", "max")]);
    let init =
        json!({"type": "system", "subtype": "init", "model": "some-model", "permissionMode": "default"});
    let changes: Vec<AgentEvent> = take(&mut stream, &init).into_iter().filter(is_change).collect();
    assert_eq!(changes, [changed(&[("mode", "default"), ("model", "some-model"), ("effort", "max")])]);
    assert!(!take(&mut stream, &init).iter().any(is_change));
}

#[test]
fn a_wish_for_another_mode_or_model_hears_what_the_agent_says() {
    let mut stream = Claude::new();
    let line = sent(&stream.set_config(7, "mode", "accept_edits").unwrap());
    let wanted = json!({"subtype": "set_permission_mode", "mode": "acceptEdits"});
    let id = &line["request_id"];
    assert_eq!(line, json!({"type": "control_request", "request_id": id, "request": wanted}));
    let done = json!({"subtype": "success", "response": {"mode": "acceptEdits"}});
    assert_eq!(
        take(&mut stream, &answer_to(id, done.clone())),
        [changed(&[("mode", "accept_edits")]), AgentEvent::ConfigAnswered { ticket: 7, refused: None }]
    );
    assert_eq!(take(&mut stream, &answer_to(id, done)), []);

    let line = sent(&stream.set_config(8, "mode", "bypass").unwrap());
    let error = "not launched so";
    let refused = json!({"subtype": "error", "error": error, "error_code": "bypass_not_launched"});
    let ended = AgentEvent::ConfigAnswered { ticket: 8, refused: Some(error.to_owned()) };
    assert_eq!(take(&mut stream, &answer_to(&line["request_id"], refused)), [ended]);

    let line = sent(&stream.set_config(9, "model", "some-model").unwrap());
    assert_eq!(line["request"], json!({"subtype": "set_model", "model": "some-model"}));
    let done = json!({"subtype": "success", "response": {"model": "some-model"}});
    let events = take(&mut stream, &answer_to(&line["request_id"], done));
    assert!(matches!(&events[0], AgentEvent::Introduced { model: Some(model), .. } if model == "some-model"));
    assert_eq!(
        events[1..],
        [
            changed(&[("mode", "accept_edits"), ("model", "some-model")]),
            AgentEvent::ConfigAnswered { ticket: 9, refused: None }
        ]
    );
}

#[test]
fn what_cannot_be_changed_while_it_runs_is_refused_without_asking_the_agent() {
    let mut stream = Claude::new();
    for (option, value) in [("effort", "max"), ("mode", "dontAsk"), ("mood", "good")] {
        let refused = stream.set_config(1, option, value);
        assert!(matches!(refused, Err(EncodeError::Unsupported { .. })), "{option}: {refused:?}");
    }
    assert_eq!(stream.send(Action::Close), Ok(Output::default()));
}

#[test]
fn chosen_rules_go_back_with_the_input_as_received() {
    let mut stream = Claude::new();
    let input = json!({"command": "mkdir a && touch a/b"});
    let suggestions = json!([
        {"type": "addRules", "behavior": "allow", "destination": "localSettings", "rules": [
            {"toolName": "Bash", "ruleContent": "mkdir a *"}, {"toolName": "Bash", "ruleContent": "touch a/b"}]},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    ]);
    let asked = permission(&mut stream, "Bash", &input, &suggestions);
    assert_eq!(ids(options_of(&asked)), ["allow", "r1", "r2", "r3", "deny"]);
    let label = &options_of(&asked)[3].label;
    let value = ValueId::literal("accept_edits");
    assert_eq!(*label, OptionLabel::Config { option: ConfigId::literal("mode"), value });
    let response =
        json!({"behavior": "allow", "updatedInput": input, "updatedPermissions": [suggestions[0].clone()]});
    assert_eq!(decided(&mut stream, &["r1", "r2"], None, None), response);
    // The same may be sent again until the agent has shown that it has it.
    assert_eq!(decided(&mut stream, &["allow", "r1", "r2"], None, None), response);
}

#[test]
fn what_was_not_offered_cannot_be_decided() {
    let mut stream = Claude::new();
    permission(&mut stream, "Bash", &json!({"command": "ls"}), &json!([]));
    for options in [&["r1"][..], &["allow", "r1"], &["allow:bypass"], &[]] {
        let refused = stream.decide(&native("req-1"), &decision(options, None, None));
        assert!(matches!(refused, Err(EncodeError::Unsupported { .. })), "{options:?}: {refused:?}");
    }
    let gone = stream.decide(&native("req-2"), &decision(&["allow"], None, None));
    assert_eq!(gone, Err(EncodeError::Gone { native_ref: native("req-2") }));
}

#[rstest]
#[case::as_it_is("allow", None, json!({"plan": "# P", "planFilePath": "/p.md"}), Value::Null)]
#[case::edited("allow", Some("# Q"), json!({"plan": "# Q", "planFilePath": "/p.md"}), Value::Null)]
#[case::with_a_mode("allow:accept_edits", None, json!({"plan": "# P", "planFilePath": "/p.md"}),
    json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]))]
#[case::to_ask_again("allow:default", None, json!({"plan": "# P", "planFilePath": "/p.md"}),
    json!([{"type": "setMode", "mode": "default", "destination": "session"}]))]
fn an_approved_plan_takes_what_was_shown_and_nothing_beside_it(
    #[case] option: &str,
    #[case] plan: Option<&str>,
    #[case] input: Value,
    #[case] permissions: Value,
) {
    let mut stream = Claude::new();
    let received = json!({"plan": "# P", "planFilePath": "/p.md", "allowedPrompts": [{"tool": "Bash"}]});
    let asked = permission(&mut stream, "ExitPlanMode", &received, &json!([]));
    let AgentEvent::ApprovalAsked { subject, .. } = &asked else { panic!("{asked:?}") };
    assert_eq!(*subject, ToolDetail::Plan { plan: "# P".to_owned(), path: Some("/p.md".to_owned()) });
    let response = decided(&mut stream, &[option], None, plan);
    assert_eq!((&response["updatedInput"], &response["updatedPermissions"]), (&input, &permissions));
    assert_eq!(response["behavior"], "allow");
}

#[test]
fn a_plan_leads_to_bypass_only_where_the_session_was_started_with_it() {
    let asked_after = |choices: &[(&'static str, &'static str)]| {
        let mut stream = Claude::started_with(choices);
        let asked = permission(&mut stream, "ExitPlanMode", &json!({}), &json!([]));
        ids(options_of(&asked)).join(" ")
    };
    assert_eq!(asked_after(&[("mode", "plan")]), "allow allow:default allow:accept_edits deny");
    assert_eq!(
        asked_after(&[("mode", "bypass")]),
        "allow allow:default allow:accept_edits allow:bypass deny"
    );
}

#[rstest]
#[case::without_words(None, "The user did not approve the plan. Keep planning and submit a better one.")]
#[case::with_words(Some("smaller steps"), "smaller steps")]
fn a_plan_is_sent_back_in_words(#[case] message: Option<&str>, #[case] expected: &str) {
    let mut stream = Claude::new();
    permission(&mut stream, "ExitPlanMode", &json!({}), &json!([]));
    let denied = decided(&mut stream, &["deny"], message, None);
    assert_eq!(denied, json!({"behavior": "deny", "message": expected}));
}

#[rstest]
#[case(QuestionRefusal::TurnedOff { policy: QuestionPolicy::Never },
    "The user takes no questions in this session. Nobody was asked. Decide for yourself, say what you assumed, and \
     continue.")]
#[case(QuestionRefusal::TurnedOff { policy: QuestionPolicy::PlanOnly },
    "The user takes questions in this session only while you are in plan mode, and you are not in it. Nobody was asked. \
     Decide for yourself, say what you assumed, and continue.")]
#[case(QuestionRefusal::Unkept { reason: "native_ref: used before".to_owned() },
    "The question could not be shown to the user. native_ref: used before. Fix the call and ask again.")]
fn a_question_that_is_not_shown_is_refused_with_a_reason_and_a_next_step(
    #[case] why: QuestionRefusal,
    #[case] words: &str,
) {
    let mut stream = Claude::new();
    let input = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let asked = permission(&mut stream, "AskUserQuestion", &input, &json!([]));
    assert!(matches!(asked, AgentEvent::Asked(_)), "{asked:?}");
    let line = stream.refuse(&native("toolu_1"), why).unwrap();
    assert_eq!(sent(&line)["response"]["response"], json!({"behavior": "deny", "message": words}));
}

#[test]
fn a_turn_costs_what_was_added_to_the_sum() {
    let mut stream = Claude::new();
    let result = |total: Value| json!({"type": "result", "subtype": "success", "total_cost_usd": total});
    for (total, cost) in [
        (json!(0.000_88), Usd::new(0.000_88)),
        (json!(0.001_76), Usd::new(0.000_88)),
        (json!(null), None),
        (json!(-1), None),
        (json!(0.002), Usd::new(0.000_24)),
    ] {
        let events = take(&mut stream, &result(total));
        let Some(AgentEvent::TurnEnded { usage, .. }) = events.last() else { panic!("{events:?}") };
        assert_eq!(usage.cost, cost);
    }
}

const GONE: &str = "5f0c7d52-6f0e-4a43-9d52-0b8a8f1f7e10";

fn failed_over(words: &str) -> Value {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": [words]})
}

#[test]
fn a_resumed_session_that_the_agent_no_longer_has_is_told_of_and_ends_no_turn() {
    let error = format!("No conversation found with session ID: {GONE}");
    let mut stream = Claude::new();
    stream.resume(GONE);
    assert_eq!(
        take(&mut stream, &failed_over(&error)),
        [AgentEvent::SessionUnknown { error: error.clone() }]
    );

    let ends_a_turn = |stream: &mut Claude, words: &str| {
        let events = take(stream, &failed_over(words));
        matches!(events.last(), Some(AgentEvent::TurnEnded { error: Some(_), .. }))
    };
    let mut new = Claude::new();
    new.hello();
    assert!(ends_a_turn(&mut new, &error));
    let mut other_failure = Claude::new();
    other_failure.resume(GONE);
    assert!(ends_a_turn(&mut other_failure, "out of credit"));
    let mut it_goes_on = Claude::new();
    it_goes_on.resume(GONE);
    take(&mut it_goes_on, &json!({"type": "system", "subtype": "init", "session_id": GONE}));
    assert!(ends_a_turn(&mut it_goes_on, &error));
}

#[test]
fn a_renewed_request_for_an_answered_question_gets_the_same_answer_once() {
    let mut stream = Claude::new();
    let input = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let asked = permission(&mut stream, "AskUserQuestion", &input, &json!([]));
    let AgentEvent::Asked(asked) = asked else { panic!("{asked:?}") };
    let declined = askdesk_domain::Outcome::Declined { words: None };
    stream.answer(&native("toolu_1"), &asked.questions, &declined).unwrap();
    let request = json!({
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": input, "tool_use_id": "toolu_1",
    });
    let renewed = json!({"type": "control_request", "request_id": "req-2", "request": request}).to_string();
    let out = stream.line(renewed.as_bytes());
    let [reply] = lines(&out.outbound)[..] else { panic!("{out:?}") };
    assert_eq!(sent(reply)["response"]["request_id"], "req-2");
    assert_eq!(sent(reply)["response"]["response"]["message"], "The user declined to answer.");
    assert_eq!((out.events.as_slice(), stream.line(renewed.as_bytes())), (&[][..], Output::default()));
}

fn handshake(models: &Value) -> Value {
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": "askdesk-1",
        "response": {"claude_code_version": "2.1.329", "models": models}}})
}

/// The model option as it was told last: its current value, and the names of the others.
fn model(events: &[AgentEvent]) -> Option<(Option<String>, Vec<String>)> {
    let told = events.iter().rev().find_map(|event| match event {
        AgentEvent::ConfigChanged { config } => config.iter().find(|option| option.id.as_str() == "model"),
        _ => None,
    })?;
    let names = told.values.iter().map(|value| value.name.clone()).collect();
    Some((told.current.as_ref().map(ToString::to_string), names))
}

#[rstest]
#[case::nothing_chosen(None, "large-5", Some("default"))]
#[case::chosen(Some("big"), "large-5", Some("big"))]
#[case::another_one_runs(Some("big"), "small-5", Some("small"))]
#[case::not_listed(None, "large-4", Some("large-4"))]
fn the_models_are_those_that_the_agent_lists_and_the_present_one_is_among_them(
    #[case] chosen: Option<&'static str>,
    #[case] runs: &str,
    #[case] expected: Option<&str>,
) {
    let choices: Vec<_> = chosen.into_iter().map(|model| ("model", model)).collect();
    let mut claude = Claude::started_with(&choices);
    claude.hello();
    let models = json!([
        {"value": "default", "resolvedModel": "large-5", "displayName": "Default", "description": "The usual one"},
        {"value": "big", "resolvedModel": "large-5", "displayName": "Big"},
        {"value": "small", "resolvedModel": "small-5", "displayName": "Small"},
        {"displayName": "nameless"},
    ]);
    let names = ["Default", "Big", "Small"].map(str::to_owned).to_vec();
    let (_, listed) = model(&take(&mut claude, &handshake(&models))).unwrap();
    assert_eq!(listed, names);
    let init = json!({"type": "system", "subtype": "init", "model": runs});
    assert_eq!(model(&take(&mut claude, &init)), Some((expected.map(str::to_owned), names)));
    let again = take(&mut claude, &handshake(&models));
    assert_eq!(model(&again), None, "the same list is no news");
}
