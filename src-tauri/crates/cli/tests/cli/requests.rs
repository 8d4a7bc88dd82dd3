use askdesk_client_config::DataFolder;
use askdesk_client_config::discovery::ClosedGateway;
use serde_json::{Value, json};

use crate::fake_app::{Call, FakeApp, REQUEST, User, err, exit, out, succeeded};

fn last(app: &FakeApp) -> Call {
    app.calls().pop().unwrap()
}

#[test]
fn open_requests_are_listed_as_text_and_as_json() {
    let (app, _desk) = FakeApp::started();
    let expected = format!(
        "{REQUEST}  shop in /srv/shop\n    1. Which store?\n       1) SQLite\n       2) Postgres\n    2. Which name?\n"
    );
    let output = app.run(&["list"]);
    assert_eq!((exit(&output), out(&output)), (0, expected.as_str()));
    let output = app.run(&["list", "--json"]);
    let printed: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(printed["requests"][0]["requestId"], REQUEST);
}

#[test]
fn a_request_is_answered_by_label_number_text_or_json() {
    let (app, _desk) = FakeApp::started();
    let path = format!("/v1/requests/{REQUEST}/answer");
    let check = |line: &[&str], input: &str, answers: Value| {
        let output = succeeded(app.run_with(&[&["answer", "0198c1"], line].concat(), input));
        assert_eq!(last(&app), Call { path: path.clone(), body: json!({"answers": answers}) });
        let printed: Value = serde_json::from_str(out(&output)).unwrap();
        assert_eq!(printed["outcome"], "answered");
    };
    check(&["--choose", "Postgres"], "", json!([{"question": "q1", "chosen": ["q1o2"]}]));
    let noted = json!([{"question": "q1", "chosen": ["q1o1"], "note": "for now"}]);
    check(&["--choose", "1", "--note", "for now"], "", noted);
    let named = json!([{"question": "q2", "chosen": [], "other": "shop"}]);
    check(&["--question", "2", "--other", "shop"], "", named);
    let both = json!([{"question": 1, "chosen": ["SQLite"]}, {"question": 2, "other": "shop"}]);
    check(&["--json", "-"], &both.to_string(), both.clone());
    check(&["--json", "-"], &json!({"answers": both}).to_string(), both);
}

#[test]
fn an_app_whose_gateway_cannot_open_says_why() {
    let app = FakeApp::new();
    let folder = DataFolder::at(app.path("data"));
    let why = "can't use the token file /srv/data/token: is a directory";
    let _closed = folder.publish_closed(ClosedGateway::of_this_process(why)).unwrap();
    for line in [&["list"][..], &["ask", "Which store?"], &["token", "rotate"], &["doctor"]] {
        let output = app.run(line);
        assert_eq!(exit(&output), 5, "{output:?}");
        let words = format!("{}{}", out(&output), err(&output));
        assert!(
            words.contains(why) && words.contains("is running, but other programs can't reach it"),
            "{words}"
        );
        assert!(!words.contains("published its port"), "{words}");
    }
}

#[test]
fn an_unlisted_request_is_answered_by_its_full_id() {
    let (app, _desk) = FakeApp::started();
    let missed = REQUEST.replace('7', "8");
    succeeded(app.run(&["answer", &missed, "--choose", "SQLite", "--question", "2"]));
    let answers = json!([{"question": 2, "chosen": ["SQLite"]}]);
    assert_eq!(
        last(&app),
        Call { path: format!("/v1/requests/{missed}/answer"), body: json!({"answers": answers}) }
    );
}

#[test]
fn an_unlisted_request_is_not_answered_by_number() {
    let (app, _desk) = FakeApp::started();
    let missed = REQUEST.replace('7', "8");
    let output = app.run(&["answer", &missed, "--choose", "2"]);
    assert_eq!((exit(&output), out(&output)), (2, ""));
    assert!(err(&output).contains("Use the label, or --json"), "{}", err(&output));
    assert_eq!(app.calls(), []);
    let answers = json!([{"question": 1, "chosen": ["2"]}]);
    succeeded(app.run_with(&["answer", &missed, "--json", "-"], &answers.to_string()));
    assert_eq!(last(&app).body, json!({"answers": answers}));
}

#[test]
fn a_request_is_skipped_with_or_without_a_message() {
    let (app, _desk) = FakeApp::started();
    for (line, words) in [(&["--skip"][..], json!(null)), (&["--skip", "not today"], json!("not today"))] {
        succeeded(app.run(&[&["answer", REQUEST], line].concat()));
        let path = format!("/v1/requests/{REQUEST}/decline");
        assert_eq!(last(&app), Call { path, body: json!({"words": words}) });
    }
}

#[test]
fn an_invalid_answer_is_rejected_with_a_message() {
    let (app, _desk) = FakeApp::started();
    let check = |line: &[&str], code: i32, words: &str| {
        let output = app.run(&[&["answer"], line].concat());
        assert_eq!((exit(&output), out(&output)), (code, ""));
        assert!(err(&output).contains(words), "{}", err(&output));
    };
    check(&["ffff", "--choose", "1"], 2, "no open question has an ID that starts with \"ffff\"");
    check(&["0198", "--choose", "3"], 2, "no option is labeled \"3\"");
    check(&["0198", "--choose", "sqlite"], 2, "no option is labeled \"sqlite\"");
    check(&["0198", "--question", "3", "--other", "x"], 2, "there is no question 3; the last one is 2");
    assert_eq!(app.calls(), []);
    let message = "the request has already ended in another way";
    app.user(User::Rejects(409, json!({"error": "already_ended", "message": message, "by": "user"})));
    check(&["0198", "--choose", "1"], 1, message);
}
