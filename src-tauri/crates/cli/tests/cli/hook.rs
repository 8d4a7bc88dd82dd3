use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fake_app::{FakeApp, User, err, exit, give, out};

fn body() -> Value {
    json!({"session_id": "s", "cwd": "/srv/shop", "hook_event_name": "PermissionRequest",
        "tool_name": "AskUserQuestion", "tool_input": {"questions": []}})
}

#[test]
fn case_53_the_hook_passes_on_a_question_and_prints_the_decision() {
    let (app, _desk) = FakeApp::started();
    let decision = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow", "updatedInput": {"questions": [], "answers": {"A?": "ü"}}}}});
    app.user(User::Sends(vec![decision.clone()]));
    let output = app.run_with(&["hook"], &body().to_string());
    assert_eq!((exit(&output), err(&output)), (0, ""));
    assert_eq!(serde_json::from_str::<Value>(out(&output)).unwrap(), decision);
    let calls = app.calls();
    assert_eq!((calls[0].path.as_str(), &calls[0].body), ("/hooks/claude", &body()));
}

#[test]
fn case_53_without_a_decision_the_hook_prints_nothing() {
    let (app, _desk) = FakeApp::started();
    let denied = json!({"error": "rate", "message": "too many"});
    for user in [User::Sends(vec![json!({})]), User::Rejects(429, denied), User::Sends(vec![json!("text")])] {
        app.user(user);
        let output = app.run_with(&["hook"], &body().to_string());
        assert_eq!((exit(&output), out(&output), err(&output)), (0, "", ""));
    }
    let calls = app.calls().len();
    let mut large = body();
    large["tool_input"] = "x".repeat(300 * 1024).into();
    for input in [&large.to_string(), "", "text", "{", "[]", "{}"] {
        let output = app.run_with(&["hook"], input);
        assert_eq!((exit(&output), out(&output), err(&output)), (0, "", ""));
    }
    assert_eq!(app.calls().len(), calls);
}

#[test]
fn case_53_only_needed_fields_of_other_events_are_passed_on() {
    let (app, _desk) = FakeApp::started();
    app.user(User::Sends(vec![json!({})]));
    let known = json!({"session_id": "s", "prompt_id": "p", "hook_event_name": "PostToolUse",
        "tool_name": "AskUserQuestion", "tool_input": {"questions": []}});
    let mut told = known.clone();
    told["tool_response"] = json!({"answers": {}});
    let output = app.run_with(&["hook"], &told.to_string());
    assert_eq!((exit(&output), out(&output), err(&output)), (0, "", ""));
    let over = json!({"session_id": "s", "hook_event_name": "Stop", "background_tasks": [],
        "last_assistant_message": "x".repeat(500 * 1024)});
    let output = app.run_with(&["hook"], &over.to_string());
    assert_eq!((exit(&output), out(&output), err(&output)), (0, "", ""));
    let bodies: Vec<Value> = app.calls().into_iter().map(|call| call.body).collect();
    let over = json!({"session_id": "s", "hook_event_name": "Stop", "background_tasks": []});
    assert_eq!(bodies, [known, over]);
}

/// Returns the quickest of several runs, because other processes slow the machine down.
fn quickest(app: &FakeApp) -> Duration {
    let runs = (0..10).map(|_| {
        let mut child = app.command(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
        let since = Instant::now();
        give(&mut child, &body().to_string());
        let output = child.wait_with_output().unwrap();
        let took = since.elapsed();
        assert_eq!((exit(&output), out(&output), err(&output)), (0, "", ""));
        took
    });
    runs.min().unwrap()
}

#[test]
fn case_53_without_the_app_the_hook_ends_within_fifty_milliseconds() {
    let app = FakeApp::new();
    assert!(quickest(&app) < Duration::from_millis(50), "never ran: {:?}", quickest(&app));
    let port = app.start().port;
    app.announce(port);
    assert!(quickest(&app) < Duration::from_millis(50), "died: {:?}", quickest(&app));
}

#[test]
fn case_53_a_hook_that_is_ended_leaves_the_question() {
    let (app, _desk) = FakeApp::started();
    let mut child = app.command(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
    give(&mut child, &body().to_string());
    app.wait_for("/hooks/claude");
    assert!(child.try_wait().unwrap().is_none(), "it waits for the user");
    child.kill().unwrap();
    assert_eq!(out(&child.wait_with_output().unwrap()), "");
}
