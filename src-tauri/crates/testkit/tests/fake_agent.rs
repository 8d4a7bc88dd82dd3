//! The fake agent as a program, driven over pipes through everything it promises.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test")]

#[path = "support/host.rs"]
mod host;

use std::path::Path;
use std::time::Duration;

use host::{Host, MANAGED, kind, texts, tool_results, user};
use serde_json::{Value, json};

const STORE: &str = "Which store should the notes be kept in?";
const FEATURES: &str = "Which features should the first version have?";

fn start_with(scenario: &str, flags: &[&str], env: &[(&str, &str)]) -> Host {
    let args: Vec<&str> = flags.iter().copied().chain(["--scenario", scenario]).collect();
    let mut env: Vec<_> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    env.push(("PATH".to_owned(), std::env::var("PATH").unwrap()));
    Host::start(Path::new(env!("CARGO_BIN_EXE_fake-agent")), &args, &env, Path::new("."))
}

fn start(scenario: &str) -> Host {
    start_with(scenario, &MANAGED, &[])
}

/// Starts, says something and skips to the first request.
fn start_asking(scenario: &str) -> (Host, Value) {
    let mut host = start(scenario);
    host.say("go");
    let request = host.request();
    (host, request)
}

fn kinds(events: &[Value]) -> Vec<String> {
    events.iter().map(kind).collect()
}

fn write_scenario(dir: &Path, steps: &Value) -> String {
    let path = dir.join("own.json");
    let scenario = json!({"name": "own", "title": "t", "description": "d", "turns": [steps]});
    std::fs::write(&path, scenario.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_agent_says_nothing_until_it_is_spoken_to() {
    let mut host = start("technology");
    assert!(host.is_silent_for(Duration::from_millis(200)));
    let response = host.control(&json!({"subtype": "initialize", "hooks": null}));
    assert_eq!(response["subtype"], "success");
    assert_eq!(response["pending_permission_requests"], json!([]));
    assert_eq!(response["response"]["current_permission_mode"], "default");
    assert_eq!(response["response"]["claude_code_version"], "2.1.329");
    assert_eq!(host.exit_code(), Some(0));
}

#[test]
fn a_question_is_answered_and_the_turn_goes_on_with_the_answer() {
    let mut host = start("technology");
    host.say("go");
    let before = host.until(|event| event["type"] == "control_request");
    let request = &before[3];
    assert_eq!(
        kinds(&before),
        ["system init", "assistant text", "assistant tool_use", "control_request can_use_tool"]
    );
    let block = &before[2]["message"]["content"][0];
    assert_eq!(block["name"], "AskUserQuestion");
    assert_eq!(request["request"]["input"], block["input"]);
    assert_eq!(request["request"]["tool_use_id"], block["id"]);
    assert_eq!(request["request"]["requires_user_interaction"], true);
    assert!(host.is_silent_for(Duration::from_millis(100)));

    host.answer(request, &json!({STORE: "PostgreSQL"}));
    let after = host.turn_end();
    assert_eq!(kinds(&after), ["user tool_result", "assistant text", "result success"]);
    let content = format!("The person answered: \"{STORE}\"=\"PostgreSQL\". Go on with that.");
    assert_eq!(
        tool_results(&after),
        [json!({"type": "tool_result", "content": content, "tool_use_id": block["id"]})]
    );
    assert_eq!(texts(&after), ["Thank you. I go on with:\n- Store: PostgreSQL"]);
    let result = &after[2];
    assert_eq!(result["is_error"], false);
    assert_eq!(result["result"], "Thank you. I go on with:\n- Store: PostgreSQL");
    assert!(result["usage"]["output_tokens"].as_u64().unwrap() > 0);
    assert_eq!(host.exit_code(), Some(0));
}

#[test]
fn every_example_is_answered_in_its_own_way() {
    #[track_caller]
    fn check(scenario: &str, answers: &Value, said: &str) {
        let (mut host, request) = start_asking(scenario);
        host.answer(&request, answers);
        assert_eq!(texts(&host.turn_end()), [format!("Thank you. I go on with:\n{said}")], "{scenario}");
    }
    check("technology", &json!({STORE: "SQLite (Recommended)"}), "- Store: SQLite (Recommended)");
    check("features", &json!({FEATURES: "Dark mode, Sync"}), "- Features: Dark mode, Sync");
    check(
        "authentication",
        &json!({"How do people sign in?": "Password", "How long does a session last?": "One day"}),
        "- Sign-in: Password\n- Session: One day",
    );
    check(
        "package-manager",
        &json!({"Which package manager does this project use?": "Bun, \"as ever\"\nreally"}),
        "- Packages: Bun, \"as ever\"\nreally",
    );
    check("four", &json!({"Where will it run?": "Containers"}), "- Hosting: Containers");
}

#[test]
fn a_refusal_reaches_the_model_and_is_listed() {
    let (mut host, request) = start_asking("technology");
    host.respond(&request, &json!({"behavior": "deny", "message": "Not now."}));
    let events = host.turn_end();
    let result = &tool_results(&events)[0];
    assert_eq!((&result["content"], &result["is_error"]), (&json!("Not now."), &json!(true)));
    assert_eq!(texts(&events), ["Understood, I go on without asking: Not now."]);
    let denials = &events.last().unwrap()["permission_denials"];
    assert_eq!(denials[0]["tool_use_id"], request["request"]["tool_use_id"]);
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
    check(&success(json!({"behavior": "allow"})), "The person left the questions unanswered.");
}

#[test]
fn an_interrupt_withdraws_the_question_and_a_late_answer_is_ignored() {
    let (mut host, request) = start_asking("technology");
    host.send(&json!({"type": "control_request", "request_id": "stop", "request": {"subtype": "interrupt"}}));
    let events = host.turn_end();
    assert_eq!(
        kinds(&events),
        [
            "control_cancel_request",
            "control_response",
            "user tool_result",
            "user text",
            "result error_during_execution"
        ]
    );
    assert_eq!(events[0]["request_id"], request["request_id"]);
    assert_eq!(events[1]["response"]["response"]["still_queued"], json!([]));
    host.answer(&request, &json!({STORE: "SQLite"}));
    assert!(host.is_silent_for(Duration::from_millis(100)));

    host.say("and now?");
    let events = host.turn_end();
    assert_eq!(kinds(&events), ["system init", "assistant text", "result success"]);
    assert!(texts(&events)[0].starts_with("You wrote: and now?"));
    assert_eq!(host.exit_code(), Some(0));
}

#[test]
fn an_interrupt_stops_a_text_and_a_tool_in_the_middle() {
    let mut host = start_with("slow", &[&MANAGED[..], &["--include-partial-messages"]].concat(), &[]);
    host.say("go");
    host.until(|event| kind(event) == "stream_event content_block_delta");
    let response = host.control(&json!({"subtype": "interrupt"}));
    assert_eq!(response["response"], json!({"still_queued": []}));
    let events = host.turn_end();
    assert_eq!(kinds(&events), ["user text", "result error_during_execution"]);
    assert_eq!(events[1]["terminal_reason"], "aborted_streaming");

    let mut host = start_with("slow", &MANAGED, &[("ASKDESK_FAKE_PACE", "10")]);
    host.say("go");
    host.until(|event| kind(event) == "assistant tool_use");
    host.control(&json!({"subtype": "interrupt"}));
    let events = host.turn_end();
    assert_eq!(kinds(&events), ["user tool_result", "user text", "result error_during_execution"]);
    assert_eq!(events[2]["terminal_reason"], "aborted_tools");
}

#[test]
fn two_requests_are_open_at_once_and_answered_in_any_order() {
    let (mut host, first) = start_asking("parallel");
    let second = host.request();
    assert_ne!(first["request_id"], second["request_id"]);
    host.answer(&second, &json!({FEATURES: "Sync"}));
    let events = host.until(|event| kind(event) == "user tool_result");
    assert_eq!(tool_results(&events)[0]["tool_use_id"], second["request"]["tool_use_id"]);
    assert!(host.is_silent_for(Duration::from_millis(100)));
    host.answer(&first, &json!({STORE: "Plain files"}));
    assert_eq!(texts(&host.turn_end()), ["Both are clear now:\n- Features: Sync\n- Store: Plain files"]);
}

#[test]
fn the_agent_takes_its_own_question_back() {
    let mut host = start_with("withdrawn", &MANAGED, &[("ASKDESK_FAKE_PACE", "10")]);
    host.say("go");
    let request = host.request();
    let events = host.turn_end();
    assert_eq!(events[0], json!({"type": "control_cancel_request", "request_id": request["request_id"]}));
    assert_eq!(texts(&events), ["I found out by myself."]);
}

#[test]
fn a_message_while_a_question_is_open_is_folded_in_behind_the_answer() {
    let (mut host, request) = start_asking("technology");
    host.send(&user(&json!("Use little memory."), Some("u-2")));
    assert_eq!(kind(&host.next()), "command_lifecycle queued");
    assert!(host.is_silent_for(Duration::from_millis(100)));
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
    assert!(host.is_silent_for(Duration::from_millis(100)));
    host.send_line("this is no JSON");
    let (status, stderr) = host.finish();
    assert_eq!(status.code(), Some(1));
    assert!(stderr.contains("not JSON") && stderr.contains("this is no JSON"), "{stderr}");
}

#[test]
fn settings_are_changed_and_what_is_unknown_is_refused_by_code() {
    let mut host = start("technology");
    let mode = |mode: &str| json!({"subtype": "set_permission_mode", "mode": mode});
    assert_eq!(host.control(&mode("plan"))["response"], json!({"mode": "plan"}));
    let status = host.next();
    assert_eq!((kind(&status).as_str(), &status["permissionMode"]), ("system status", &json!("plan")));
    assert_eq!(host.control(&mode("bypassPermissions"))["error_code"], "bypass_not_launched");
    assert_eq!(host.control(&mode("lazy"))["error_code"], "invalid_mode");
    assert_eq!(
        host.control(&json!({"subtype": "set_model", "model": "m2"}))["response"],
        json!({"model": "m2"})
    );
    assert_eq!(host.control(&json!({"subtype": "dance"}))["error_code"], "unsupported_request");
    host.say("go");
    let init = host.next();
    assert_eq!((&init["permissionMode"], &init["model"]), (&json!("plan"), &json!("m2")));
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

#[test]
fn a_command_allowed_for_good_is_not_asked_again() {
    let (mut host, request) = start_asking("approval");
    assert_eq!(request["request"]["tool_name"], "Bash");
    let suggestions = &request["request"]["permission_suggestions"];
    host.respond(
        &request,
        &json!({"behavior": "allow", "updatedInput": request["request"]["input"], "updatedPermissions": suggestions}),
    );
    let events = host.turn_end();
    assert!(!kinds(&events).contains(&"control_request can_use_tool".to_owned()));
    assert_eq!(tool_results(&events).len(), 2);

    let (mut host, request) = start_asking("approval");
    host.respond(&request, &json!({"behavior": "allow"}));
    let again = host.request();
    host.respond(&again, &json!({"behavior": "deny", "message": "Use another folder."}));
    assert_eq!(tool_results(&host.turn_end())[0]["content"], "Use another folder.");
}

#[test]
fn bypassing_permissions_still_asks_questions() {
    let flags = [&MANAGED[..], &["--permission-mode", "bypassPermissions"]].concat();
    let mut host = start_with("approval", &flags, &[]);
    host.say("go");
    assert!(!kinds(&host.turn_end()).contains(&"control_request can_use_tool".to_owned()));
    let mut host = start_with("technology", &flags, &[]);
    host.say("go");
    assert_eq!(host.request()["request"]["tool_name"], "AskUserQuestion");
}

fn tool_result(tool_use_id: &Value, content: &Value) -> Value {
    user(&json!([{"type": "tool_result", "tool_use_id": tool_use_id, "content": content}]), None)
}

#[test]
fn the_older_form_is_answered_by_a_tool_result() {
    for (scenario, flags) in [("technology", &MANAGED[..6]), ("bare", &MANAGED[..])] {
        let mut host = start_with(scenario, flags, &[]);
        host.say("go");
        let call = host.until(|event| kind(event) == "assistant tool_use").pop().unwrap();
        let id = &call["message"]["content"][0]["id"];
        assert!(host.is_silent_for(Duration::from_millis(100)));
        host.send(&tool_result(&json!("toolu_of_another"), &json!("x")));
        host.send(&tool_result(id, &json!(json!({STORE: "Plain files"}).to_string())));
        let events = host.turn_end();
        assert!(
            texts(&events).contains(&"Thank you. I go on with:\n- Store: Plain files".to_owned()),
            "{events:?}"
        );
    }
}

#[test]
fn the_older_form_may_end_the_turn_first() {
    let mut host = start("bare-ending-turn");
    host.say("go");
    let events = host.turn_end();
    let call = events.iter().find(|event| kind(event) == "assistant tool_use").unwrap();
    assert_eq!(events.last().unwrap()["stop_reason"], "tool_use");
    host.send(&tool_result(&call["message"]["content"][0]["id"], &json!("In plain words: SQLite")));
    let events = host.turn_end();
    assert_eq!(kind(&events[0]), "system init");
    assert_eq!(texts(&events), ["Thank you. I go on with:\n- Store: In plain words: SQLite"]);
}

#[test]
fn a_tool_result_does_not_answer_a_control_request() {
    let (mut host, request) = start_asking("technology");
    host.send(&tool_result(&request["request"]["tool_use_id"], &json!("SQLite")));
    assert!(host.is_silent_for(Duration::from_millis(100)));
    host.answer(&request, &json!({STORE: "SQLite (Recommended)"}));
    assert_eq!(kind(&host.next()), "user tool_result");
}

#[test]
fn broken_lines_are_broken_as_promised_and_the_agent_goes_on() {
    let mut host = start("malformed");
    host.say("go");
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &Vec<u8>| line.starts_with(b"{\"type\":\"control_request\"")) {
        lines.push(host.next_line().unwrap());
    }
    let broken = lines.iter().filter(|line| serde_json::from_slice::<Value>(line).is_err()).count();
    assert_eq!(broken, 4);
    assert_eq!(lines.iter().map(Vec::len).max(), Some(2 * 1024 * 1024));
    assert_eq!(lines.iter().filter(|line| std::str::from_utf8(line).is_err()).count(), 1);
    let unusable: Value = serde_json::from_slice(lines.last().unwrap()).unwrap();
    host.respond(
        &unusable,
        &json!({"behavior": "deny", "message": "questions[0].options: a list is wanted"}),
    );
    let usable = host.request();
    host.answer(&usable, &json!({STORE: "SQLite"}));
    assert_eq!(texts(&host.turn_end()), ["Still here. Your answer: SQLite"]);
}

#[test]
fn the_agent_dies_in_the_middle_of_a_line_or_while_it_waits() {
    let mut host = start("dies-mid-line");
    host.say("go");
    let mut last = Vec::new();
    while let Some(line) = host.next_line() {
        last = line;
    }
    assert_eq!(last, br#"{"type":"assistant","message":{"role":"assi"#);
    let (status, stderr) = host.finish();
    assert_eq!((status.code(), stderr.trim()), (Some(1), "fatal: out of luck"));

    let mut host = start_with("dies-pending", &MANAGED, &[("ASKDESK_FAKE_PACE", "10")]);
    host.say("go");
    host.request();
    assert_eq!(host.next_line(), None);
    assert_eq!(host.exit_code(), Some(3));
}

#[test]
fn steps_of_a_file_are_played_and_a_bad_file_is_refused_by_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = write_scenario(
        dir.path(),
        &json!([
            {"stderr": {"text": "warning {n}", "repeat": 2}},
            {"flood": {"lines": 3}},
            {"repeat": {"times": 2, "steps": [{"say": {"text": "round {n}"}}]}},
            {"raw_repeat": {"text": "ab", "bytes": 5}},
        ]),
    );
    let mut host = start(&path);
    host.say("go");
    let mut lines: Vec<_> = std::iter::from_fn(|| {
        let line = host.next_line().unwrap();
        (!line.starts_with(b"{\"type\":\"result\"")).then_some(line)
    })
    .collect();
    assert_eq!(lines.pop().unwrap(), b"ababa");
    let events: Vec<Value> = lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!(texts(&events)[3..], ["round 1", "round 2"]);
    assert_eq!(host.finish().1, "warning 0\nwarning 0\n");

    let path = write_scenario(dir.path(), &json!([{"say": {"words": "hello"}}]));
    let (status, stderr) = start(&path).finish();
    assert_eq!(status.code(), Some(2));
    assert!(stderr.contains("own.json: at `turns[0][0].say.words`: unknown field `words`"), "{stderr}");
}

#[test]
fn the_loop_asks_as_often_as_it_is_told() {
    let mut host = start_with("loop-ask", &MANAGED, &[("ASKDESK_FAKE_COUNT", "25")]);
    host.say("go");
    for n in 1..=25 {
        let request = host.request();
        let text = format!("Question {n}: which way?");
        assert_eq!(request["request"]["input"]["questions"][0]["question"], text);
        host.answer(&request, &json!({text: "Left"}));
    }
    assert_eq!(texts(&host.turn_end()), ["That was the last question."]);
}

#[test]
fn the_tour_reacts_to_answers_refusals_and_silence() {
    let mut host = start_with("demo", &MANAGED, &[("ASKDESK_FAKE_PACE", "0")]);
    host.say("Show me.");
    let mut events = host.until(|event| event["type"] == "control_request");
    let mut answer_latest = |host: &mut Host, response: Option<Value>| {
        let request = events.last().unwrap().clone();
        match response {
            Some(response) => host.respond(&request, &response),
            None => host.answer(
                &request,
                &json!({STORE: "Plain files", "How do people sign in?": "By carrier pigeon"}),
            ),
        }
        events
            .extend(host.until(|event| ["control_request", "result"].iter().any(|it| event["type"] == *it)));
        texts(&events).join("\n")
    };
    answer_latest(&mut host, None);
    answer_latest(&mut host, Some(json!({"behavior": "deny", "message": "The user declined to answer."})));
    let said = answer_latest(&mut host, None);
    assert!(said.contains("You declined that one"), "{said}");
    assert!(said.contains("Sign-in: **By carrier pigeon**. Session: **(not answered)**."), "{said}");
    assert!(said.contains("- Store: Plain files\n- Sign-in: By carrier pigeon\n"), "{said}");
    assert!(!said.contains('{'), "{said}");
}

#[test]
fn every_line_is_recorded_with_a_time_that_only_grows() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("record.jsonl");
    let mut host = start_with("technology", &MANAGED, &[("ASKDESK_FAKE_RECORD", file.to_str().unwrap())]);
    host.say("go");
    let request = host.request();
    host.answer(&request, &json!({STORE: "SQLite"}));
    host.turn_end();
    host.exit_code();
    let text = std::fs::read_to_string(file).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let way = |dir: &str| records.iter().filter(|it| it["dir"] == dir).collect::<Vec<_>>();
    assert_eq!((way("in").len(), way("out").len()), (2, 7));
    let line: Value = serde_json::from_str(way("in")[1]["line"].as_str().unwrap()).unwrap();
    assert_eq!(line["response"]["request_id"], request["request_id"]);
    let times: Vec<u64> = way("out").iter().map(|it| it["t_ns"].as_u64().unwrap()).collect();
    assert!(times.is_sorted() && times[0] > 0, "{times:?}");
}

#[test]
fn remembered_sessions_can_be_resumed_and_others_cannot() {
    let dir = tempfile::tempdir().unwrap();
    let env = [("ASKDESK_FAKE_SESSIONS", dir.path().to_str().unwrap())];
    let id = "11111111-2222-4333-8444-555555555555";
    let start = |flag: &str| start_with("technology", &[&MANAGED[..], &[flag, id]].concat(), &env);
    let mut host = start("--resume");
    let result = host.next();
    assert_eq!(
        (kind(&result).as_str(), &result["session_id"]),
        ("result error_during_execution", &json!(id))
    );
    assert_eq!(host.exit_code(), Some(1));

    let mut host = start("--session-id");
    host.say("go");
    let request = host.request();
    host.answer(&request, &json!({STORE: "SQLite"}));
    assert_eq!(host.turn_end().last().unwrap()["session_id"], id);
    assert_eq!(host.exit_code(), Some(0));

    let (status, stderr) = start("--session-id").finish();
    assert_eq!(status.code(), Some(1));
    assert!(stderr.contains("already in use"), "{stderr}");

    let mut host = start("--resume");
    host.say("still there?");
    let events = host.turn_end();
    assert_eq!(events[0]["session_id"], id);
    assert!(texts(&events)[0].starts_with("You wrote: still there?"));
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

#[cfg(target_os = "linux")]
#[test]
fn the_process_below_ignores_the_polite_end() {
    let mut host = start("family");
    host.say("go");
    let events = host.until(|event| event["type"] == "control_request");
    let pid = texts(&events)[0].strip_prefix("grandchild ").unwrap().to_owned();
    let alive = || Path::new(&format!("/proc/{pid}")).exists();
    let kill = |signal: &str| std::process::Command::new("kill").args([signal, &pid]).status().unwrap();
    assert!(alive());
    // The shell needs a moment to set its trap.
    std::thread::sleep(Duration::from_millis(300));
    kill("-TERM");
    std::thread::sleep(Duration::from_millis(100));
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    assert!(!status.contains(") Z "), "{status}");
    kill("-KILL");
}

#[test]
fn version_help_and_the_list_are_printed() {
    let print = |flag: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fake-agent")).arg(flag).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(print("--version"), "2.1.329 (Askdesk fake agent)\n");
    assert!(print("--help").contains("--scenario"));
    assert!(print("--list-scenarios").lines().any(|line| line.starts_with("technology ")));
}
