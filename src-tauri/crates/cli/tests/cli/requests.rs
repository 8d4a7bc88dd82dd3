use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use askdesk_client_config::DataFolder;
use askdesk_client_config::discovery::ClosedGateway;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fake_app::{ANSWER_TOKEN, Call, FakeApp, REQUEST, User, err, exit, out, succeeded};

/// Returns the last call without the id of its answer, which is another one each time.
fn last(app: &FakeApp) -> Call {
    let mut call = app.calls().pop().unwrap();
    let id = call.body.as_object_mut().and_then(|body| body.remove("id"));
    let id = id.and_then(|id| id.as_str().map(str::to_owned)).expect("the answer has an id");
    assert!(Uuid::parse_str(&id).is_ok(), "{id}");
    call
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
        let output = succeeded(app.run_with(&[&["answer", "0198c1f0"], line].concat(), input));
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

/// A gateway that goes away between an answer and its response, and then says how the request ended.
fn losing_gateway(app: &FakeApp, ended: fn(&Value) -> Value) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    app.announce(listener.local_addr().unwrap().port());
    app.write_token("answer-token", ANSWER_TOKEN);
    std::thread::spawn(move || {
        let mut answer = Value::Null;
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut first, mut length) = (String::new(), 0);
            reader.read_line(&mut first).unwrap();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                match line.trim().to_ascii_lowercase().strip_prefix("content-length:") {
                    Some(count) => length = count.trim().parse().unwrap(),
                    None if line.trim().is_empty() => break,
                    None => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let response = match first.split(' ').nth(1).unwrap() {
                "/v1/requests" => json!({"requests": [{"requestId": REQUEST, "session": {}, "questions": [
                    {"id": "q1", "text": "Which?", "options": [{"id": "q1o1", "label": "A"}]},
                ]}]}),
                path if path.ends_with("/answer") => {
                    answer = serde_json::from_slice(&body).unwrap();
                    continue;
                }
                _ => ended(&answer["id"]),
            };
            let response = response.to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", response.len());
            reader.get_mut().write_all(format!("{head}{response}").as_bytes()).unwrap();
        }
    });
}

#[test]
fn an_answer_whose_response_is_lost_is_looked_up() {
    let check = |ended: fn(&Value) -> Value, code: i32, words: &str| {
        let app = FakeApp::new();
        losing_gateway(&app, ended);
        let output = app.run(&["answer", REQUEST, "--choose", "A"]);
        assert_eq!(exit(&output), code, "{output:?}");
        let said = format!("{}{}", out(&output), err(&output));
        assert!(said.contains(words) && said.contains("the connection to Askdesk was lost"), "{said}");
    };
    check(|own| json!({"outcome": "answered", "id": own}), 0, "\"answered\"");
    check(|_| json!({"outcome": "open"}), 1, "wasn't saved");
    check(|_| json!({"outcome": "answered", "id": REQUEST}), 1, "had already ended in another way: answered");
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
    check(&["", "--choose", "1"], 2, "too short for an ID");
    check(&["ffffffff", "--choose", "1"], 2, "no open question has an ID that starts with \"ffffffff\"");
    check(&["0198c1f0", "--choose", "3"], 2, "no option is labeled \"3\"");
    check(&["0198c1f0", "--choose", "sqlite"], 2, "no option is labeled \"sqlite\"");
    check(&["0198c1f0", "--question", "3", "--other", "x"], 2, "there is no question 3; the last one is 2");
    assert_eq!(app.calls(), []);
    let message = "the request has already ended in another way";
    app.user(User::Rejects(409, json!({"error": "already_ended", "message": message, "by": "user"})));
    check(&["0198c1f0", "--choose", "1"], 1, message);
}
