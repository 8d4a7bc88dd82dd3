//! The fake agent's scenarios, and what surrounds them: files, records, remembered sessions, processes.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::fake::{FEATURES, STORE, kinds, start, start_asking, start_with};
use crate::support::host::{Host, MANAGED, kind, texts, tool_results};
use serde_json::{Value, json};

fn write_scenario(dir: &Path, steps: &Value) -> String {
    let path = dir.join("own.json");
    let scenario = json!({"name": "own", "title": "t", "description": "d", "turns": [steps]});
    std::fs::write(&path, scenario.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
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
fn the_agent_takes_its_own_question_back() {
    let mut host = start_with("withdrawn", &MANAGED, &[("ASKDESK_FAKE_PACE", "10")]);
    host.say("go");
    let request = host.request();
    let events = host.turn_end();
    assert_eq!(events[0], json!({"type": "control_cancel_request", "request_id": request["request_id"]}));
    assert_eq!(texts(&events), ["I found out by myself."]);
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
    assert!(said.contains("You skipped that one"), "{said}");
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
fn a_session_without_an_id_of_the_hosts_mints_one_and_is_resumed_by_it() {
    let dir = tempfile::tempdir().unwrap();
    let env = [("ASKDESK_FAKE_SESSIONS", dir.path().to_str().unwrap())];
    let mut host = start_with("technology", &MANAGED, &env);
    host.say("go");
    let events = host.until(|event| event["type"] == "control_request");
    let init = events.iter().find(|event| event["subtype"] == "init").unwrap();
    let id = init["session_id"].as_str().unwrap().to_owned();
    host.answer(events.last().unwrap(), &json!({STORE: "SQLite"}));
    assert_eq!(host.turn_end().last().unwrap()["session_id"], id.as_str());
    assert_eq!(host.exit_code(), Some(0));

    let mut host = start_with("technology", &[&MANAGED[..], &["--resume", &id]].concat(), &env);
    host.say("still there?");
    let events = host.turn_end();
    assert_eq!(events[0]["session_id"], id.as_str());
    assert!(texts(&events)[0].starts_with("You wrote: still there?"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_below_ignores_the_polite_end() {
    let mut host = start("family");
    host.say("go");
    let events = host.until(|event| event["type"] == "control_request");
    let pid = texts(&events)[0].strip_prefix("grandchild ").unwrap().to_owned();
    let kill = |signal: &str| std::process::Command::new("kill").args([signal, &pid]).status().unwrap();
    // SigIgn is the mask of ignored signals; SIGTERM is the 15th (proc(5)).
    let ignores_sigterm = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << 14) != 0
    };
    let began = Instant::now();
    while !ignores_sigterm() {
        assert!(began.elapsed() < Duration::from_secs(20), "the shell did not set its trap");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill("-TERM");
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
