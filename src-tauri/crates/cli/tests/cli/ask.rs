use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use crate::fake_app::{FakeApp, LEFT, REQUEST, TOKEN, User, ended, err, exit, out, succeeded};

#[test]
fn a_question_is_asked_and_its_answer_printed_as_json() {
    let (app, _desk) = FakeApp::started();
    let answers =
        json!([{"question": "Which store?", "selectedOptions": ["SQLite, embedded"], "customInput": "v3"}]);
    app.user(User::Sends(ended("answered", &json!({"answers": answers}))));
    let options = ["-o", "SQLite, embedded", "-o", "Postgres"];
    let output = app
        .run(&[&["ask", "Which store?"], &options[..], &["--header", "Store", "--name", "deploy"]].concat());
    assert_eq!((exit(&output), err(&output)), (0, ""));
    let printed: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(printed, json!({"outcome": "answered", "requestId": REQUEST, "answers": answers}));

    let calls = app.calls();
    let body = &calls[0].body;
    assert_eq!(calls[0].path, "/v1/asks");
    assert_eq!(body["tool"], "ask_user");
    let question = json!({"type": "select", "question": "Which store?", "header": "Store",
        "options": ["SQLite, embedded", "Postgres"]});
    assert_eq!(body["arguments"], json!({"questions": [question]}));
    assert_eq!(body["client"]["kind"], "command_line");
    assert_eq!(body["client"]["name"], "deploy");
    let folder = dunce::canonicalize(app.path("project")).unwrap();
    assert_eq!(body["client"]["folder"], folder.to_str().unwrap());
    assert!(body["client"]["connection"].is_string() && body["nativeRef"].is_string());
    assert!(body.get("again").is_none());

    let output = app.run(&["ask", "Which store?", "--plain"]);
    assert_eq!((exit(&output), out(&output)), (0, "SQLite, embedded\nv3\n"));
}

#[test]
fn the_exit_code_says_how_a_question_ended() {
    let (app, _desk) = FakeApp::started();
    let ends = [("answered", 0), ("declined", 3), ("expired", 4), ("withdrawn", 6), ("missed", 6)];
    for (outcome, code) in ends {
        app.user(User::Sends(ended(outcome, &json!({}))));
        let output = app.run(&["ask", "Sure?", "--confirm"]);
        assert_eq!(exit(&output), code, "{outcome}");
        let printed: Value = serde_json::from_str(out(&output)).unwrap();
        assert_eq!(printed["outcome"], outcome);
    }
}

#[test]
fn bad_input_prints_the_gateways_message() {
    let (app, _desk) = FakeApp::started();
    let message = "questions[0].options: too few options (1; the minimum is 2)";
    app.user(User::Rejects(422, json!({"error": "invalid", "message": message})));
    let output = app.run(&["ask", "Which?", "-o", "A"]);
    assert_eq!((exit(&output), out(&output)), (2, ""));
    assert_eq!(err(&output), format!("askdesk: {message}\n"));
    for line in [
        &["ask"][..],
        &["ask", "A?", "--json", "-"],
        &["ask", "A?", "--confirm", "-o", "x"],
        &["ask", "--json", "/none"],
    ] {
        assert_eq!(exit(&app.run(line)), 2, "{line:?}");
    }
    for input in ["", "{", "3", "\"text\""] {
        assert_eq!(exit(&app.run_with(&["ask", "--json", "-"], input)), 2, "{input:?}");
    }
}

#[test]
fn several_questions_are_asked_as_json() {
    let (app, _desk) = FakeApp::started();
    app.user(User::Sends(ended("answered", &json!({"answers": []}))));
    let questions = json!([{"type": "text", "question": "A?"}, {"type": "confirm", "question": "B?"}]);
    succeeded(app.run_with(&["ask", "--json", "-", "--timeout", "2m"], &questions.to_string()));
    assert_eq!(app.calls()[0].body["arguments"], json!({"questions": questions, "timeout": 120}));
}

#[test]
fn without_the_app_it_fails_at_once() {
    let app = FakeApp::new();
    let output = app.run(&["ask", "Sure?", "--confirm"]);
    assert_eq!((exit(&output), out(&output)), (5, ""));
    assert!(err(&output).contains("Askdesk isn't running: "), "{}", err(&output));
    // A crash leaves the discovery file behind.
    let port = app.start().port;
    app.announce(port);
    assert_eq!(exit(&app.run(&["ask", "Sure?", "--confirm"])), 5);
    assert_eq!(exit(&app.run(&["list"])), 5);
}

#[test]
fn a_rejected_token_is_reported_and_never_shown() {
    let (app, _desk) = FakeApp::started();
    let other = TOKEN.replace('0', "f");
    std::fs::write(app.path("data/token"), &other).unwrap();
    let output = app.run(&["ask", "Sure?", "--confirm"]);
    // For a script this is the same as no app. The gateway's own advice would not help here.
    assert_eq!((exit(&output), out(&output)), (5, ""));
    assert!(err(&output).contains("the tokens in this data folder were rejected"), "{}", err(&output));
    assert!(!err(&output).contains(&other) && !err(&output).contains("the gateway's own words"));
}

#[test]
fn case_54_a_question_survives_a_restart() {
    let (app, first) = FakeApp::started();
    app.user(User::Waits);
    let mut waiting = app.command(&["ask", "Which store?", "-o", "A", "-o", "B"]).spawn().unwrap();
    let asked = app.wait_for("/v1/asks");
    drop(first);
    let mut notes = BufReader::new(waiting.stderr.take().unwrap());
    let mut note = String::new();
    notes.read_line(&mut note).unwrap();
    assert!(note.contains("waiting for it to come back"), "{note}");
    app.user(User::Sends(ended("answered", &json!({"answers": []}))));
    let _second = app.start();
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(exit(&output), 0);

    let again = app.calls().into_iter().rfind(|call| call.path == asked.path).unwrap();
    let mut expected = asked.body;
    expected["again"] = json!(REQUEST);
    assert_eq!(again.body, expected, "the same call, and which request it was");
}

#[test]
fn without_patience_it_reports_that_the_app_did_not_come_back() {
    let (app, desk) = FakeApp::started();
    let waiting = app.command(&["ask", "Sure?", "--confirm", "--patience", "1s"]).spawn().unwrap();
    app.wait_for("/v1/asks");
    drop(desk);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!((exit(&output), out(&output)), (5, ""));
    let words = format!("the question is saved as {REQUEST}. Ask the same question again soon");
    assert!(err(&output).contains(&words), "{}", err(&output));
}

#[test]
fn ending_the_script_leaves_its_question() {
    let (app, _desk) = FakeApp::started();
    let mut waiting = app.command(&["ask", "Sure?", "--confirm"]).spawn().unwrap();
    app.wait_for("/v1/asks");
    waiting.kill().unwrap();
    assert_eq!(out(&waiting.wait_with_output().unwrap()), "");
    app.wait_for(LEFT);
}
