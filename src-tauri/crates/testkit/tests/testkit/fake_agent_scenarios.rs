//! The fake agent's scenarios, their files, and the record of what was said.

use std::path::Path;

use crate::support::fake::{FEATURES, STORE, start, start_asking, start_with};
use crate::support::host::{Host, MANAGED, texts};
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
fn version_help_and_the_list_are_printed() {
    let print = |flag: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fake-agent")).arg(flag).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let version = format!("{} (Askdesk fake agent)\n", askdesk_demo_agent::PROTOCOL_VERSION);
    assert_eq!(print("--version"), version);
    assert!(print("--help").contains("--scenario"));
    assert!(print("--list-scenarios").lines().any(|line| line.starts_with("technology ")));
}
