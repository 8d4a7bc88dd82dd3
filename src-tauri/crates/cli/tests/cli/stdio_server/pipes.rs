//! The bytes on standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mcp_client::{connect, text, unanswered, which_store};
use crate::fake_app::{FakeApp, TOKEN, User, err, exit, give, out};

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "codex-mcp-client", "version": "1"}}})
}

fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Writes lines to the program and closes its input.
fn given(app: &FakeApp, lines: &[String]) -> Output {
    let mut child = app.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    give(&mut child, &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    child.wait_with_output().unwrap()
}

/// Parses the output. Anything but JSON-RPC messages fails the test.
fn answers(output: &Output) -> Vec<Value> {
    let messages = out(output).lines().map(|line| serde_json::from_str::<Value>(line).expect("a message"));
    let answers = messages.filter(|message| message.get("id").is_some_and(|id| !id.is_null()));
    answers.inspect(|message| assert_eq!(message["jsonrpc"], "2.0")).collect()
}

#[test]
fn a_client_that_closes_its_input_still_receives_responses() {
    let app = FakeApp::new();
    let lines = [initialize(), request(2, "tools/list", &json!({}))].map(|line| line.to_string());
    let output = given(&app, &lines);
    assert_eq!((exit(&output), err(&output)), (0, ""));
    let answers = answers(&output);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "askdesk");
    let names =
        answers[1]["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["ask_user_question", "ask_user", "collect_answer"]);
}

#[test]
fn closing_the_input_without_a_message_is_no_failure() {
    let output = given(&FakeApp::new(), &[]);
    assert_eq!((exit(&output), out(&output), err(&output)), (0, "", ""));
}

#[test]
fn a_client_that_stops_reading_counts_as_gone() {
    let app = FakeApp::new();
    let mut child = app.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", initialize()).unwrap();
    let mut first = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut first).unwrap();
    assert!(first.contains("serverInfo"), "{first}");
    drop(output);
    // A program that another test is just starting can hold the reading end for a moment, so one ping isn't enough.
    let ended = (2..1_000).find_map(|id| {
        let _ = writeln!(input, "{}", request(id, "ping", &json!({})));
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().unwrap()
    });
    assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
}

#[test]
fn garbage_is_ignored_before_and_after_initialization() {
    let app = FakeApp::new();
    let garbage =
        ["text", "{", "[]", "7", "null", "{\"a\": 1}", "\u{0}\u{1b}[2J", "", "\"id\""].map(str::to_owned);
    let early =
        [r#"{"jsonrpc":"2.0","method":"notifications/nothing"}"#, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#];
    let mut lines = garbage.to_vec();
    lines.extend(early.map(str::to_owned));
    lines.push(initialize().to_string());
    lines.extend(garbage);
    lines.push(request(2, "nothing/of/that/name", &json!({})).to_string());
    lines.push(request(3, "tools/call", &json!({"name": "rm", "arguments": {}})).to_string());
    lines.push(request(4, "ping", &json!({})).to_string());
    let output = given(&app, &lines);
    assert_eq!((exit(&output), err(&output)), (0, ""));
    let answers = answers(&output);
    let to =
        |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{answers:?}"));
    assert_eq!(to(1)["result"]["serverInfo"]["name"], "askdesk");
    assert_eq!(to(2)["error"]["code"], -32_601);
    let words = to(3)["error"]["message"].as_str().unwrap();
    assert_eq!(words, "there is no tool \"rm\"; the tools are ask_user_question, ask_user, collect_answer");
    assert_eq!(to(4)["result"], json!({}));
}

#[test]
fn case_140_a_request_is_answered_whatever_is_wrong_with_its_line() {
    let list = |id: u32, it: &str| {
        format!(r#"{{"method":"tools/list","params":{{"_meta":{{"it":{it}}}}},"jsonrpc":"2.0","id":{id}}}"#)
    };
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let long = format!("\"{}\"", "x".repeat(17 * 1024 * 1024));
    let lines = [
        initialize().to_string(),
        list(2, r#"["cut \ud83d",1e400,NaN]"#),
        list(3, r#""\q""#),
        list(4, &deep),
        list(5, &long),
        r#"{"jsonrpc":"2.0","id":6,"method":7}"#.to_owned(),
        list(7, "1"),
    ];
    let answers = answers(&given(&FakeApp::new(), &lines));
    let code = |id: u32| {
        answers.iter().find(|answer| answer["id"] == id).map(|answer| answer["error"]["code"].clone())
    };
    let codes: Vec<_> =
        (2..=7).map(|id| code(id).unwrap_or_else(|| panic!("no answer to {id}: {answers:?}"))).collect();
    assert_eq!(json!(codes), json!([null, -32_700, -32_700, -32_600, -32_600, null]));
}

/// It doesn't wait, because nobody could answer.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_app_the_model_is_told_at_once_to_ask_in_another_way() {
    let app = FakeApp::new();
    let told = async |why: &str| {
        let connected = connect(app.command(&["mcp"])).await;
        let began = Instant::now();
        for (tool, arguments, words) in [
            ("ask_user_question", which_store(), "in plain text in your reply"),
            // The question may be answered already. Asking in plain text would ask twice.
            (
                "collect_answer",
                json!({"requestId": crate::fake_app::REQUEST}),
                "call collect_answer again later",
            ),
        ] {
            let result = connected.call(tool, arguments).await;
            assert_ne!(result.is_error, Some(true), "{why}");
            assert_eq!(unanswered(&result), json!({"outcome": "no_desk"}), "{why}");
            assert!(text(&result).contains(words), "{why}: {}", text(&result));
            assert_eq!(text(&result).contains("nobody was asked"), tool != "collect_answer", "{why}");
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{why}: {:?}", began.elapsed());
        assert!(
            !connected.until_printed("can't ask the user: Askdesk isn't running").await.contains(TOKEN),
            "{why}"
        );
    };
    told("it never ran").await;
    let port = tokio::task::block_in_place(|| app.start().port);
    app.announce(port);
    told("it died").await;
    let _desk = tokio::task::block_in_place(|| app.start());
    std::fs::write(app.path("data/token"), TOKEN.replace('0', "f")).unwrap();
    let connected = connect(app.command(&["mcp"])).await;
    let result = connected.ask().await;
    assert_eq!(unanswered(&result), json!({"outcome": "no_desk"}));
    let rejected = "can't ask the user: the tokens in this data folder were rejected; restart Askdesk\n";
    connected.until_printed(rejected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_call_reaches_the_model_as_text() {
    let (app, _desk) = tokio::task::block_in_place(FakeApp::started);
    let connected = connect(app.command(&["mcp"])).await;
    for (status, message, told) in [
        (429, "too many calls", "too many calls"),
        (
            422,
            "questions: none",
            "The question could not be shown to the user. questions: none. Fix the call and ask again.",
        ),
    ] {
        app.user(User::Rejects(status, json!({"error": "x", "message": message})));
        let result = connected.call("ask_user", json!({})).await;
        assert_eq!(result.is_error, Some(true));
        assert_eq!(text(&result), told);
    }
    // An app that is quitting counts as not running.
    app.user(User::Rejects(503, json!({"error": "unavailable", "message": "Askdesk is quitting"})));
    let result = connected.ask().await;
    assert_eq!(unanswered(&result), json!({"outcome": "no_desk"}));
    connected.until_printed("can't ask the user: Askdesk is quitting").await;
}
