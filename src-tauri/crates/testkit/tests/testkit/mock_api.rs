//! The mock of the model's API over plain HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use askdesk_testkit::mock_api::{Block, CallResult, MockApi, Reply, Script};
use serde_json::{Value, json};

/// Sends one request and returns the body of the answer.
fn send(mock: &MockApi, target: &str, body: &Value) -> String {
    let address = mock.base_url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "{target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn conversation(messages: &Value) -> Value {
    json!({"model": "m", "stream": false, "tools": [{"name": "AskUserQuestion"}], "messages": messages})
}

fn said(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap();
    answer["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_conversation_uses_up_the_script() {
    let mock = MockApi::start(Script(vec![Reply::text("first"), Reply::text("second")])).await.unwrap();
    let messages = "POST /v1/messages?beta=true";
    let title =
        json!({"model": "small", "tools": [], "messages": [{"role": "user", "content": "A title, please"}]});
    assert_eq!(said(&send(&mock, messages, &title)), "ok");
    assert_eq!(said(&send(&mock, messages, &conversation(&json!([])))), "first");
    assert_eq!(send(&mock, "POST /v1/messages/count_tokens", &title), r#"{"input_tokens":10}"#);
    assert_eq!(send(&mock, "HEAD /", &Value::Null), "");
    assert_eq!(said(&send(&mock, messages, &conversation(&json!([])))), "second");
    assert_eq!(said(&send(&mock, messages, &conversation(&json!([])))), "(The script is over.)");
    assert_eq!((mock.requests().len(), mock.conversation().len()), (6, 3));
    assert_eq!(mock.wait_for_request(4, Duration::from_millis(50)).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tool_results_of_the_newest_request_are_found() {
    let mock = MockApi::start(Script::default()).await.unwrap();
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": "yes"});
    let body = conversation(&json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": {}}]},
        {"role": "user", "content": [result, {"type": "text", "text": "and more"}]},
    ]));
    send(&mock, "POST /v1/messages", &body);
    assert_eq!(mock.wait_for_request(1, Duration::from_secs(5)).await, Some(body));
    assert_eq!(mock.tool_results(), [result]);
}

/// One dialect: where it is asked, how it offers a tool, and how it tells of a call.
struct Spoken {
    path: &'static str,
    offers: Value,
    tells: Value,
    /// The call as it stands in what comes in pieces, without its arguments.
    calls: &'static [&'static str],
}

fn spoken() -> [Spoken; 4] {
    let tool = "mcp__askdesk__ask_user_question";
    [
        Spoken {
            path: "/v1/messages",
            offers: json!({"stream": true, "tools": [{"name": tool}]}),
            tells: json!({"messages": [{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "JWT"}]},
            ]}]}),
            calls: &[r#""type":"tool_use","id":"call_1","name":"mcp__askdesk__ask_user_question""#],
        },
        Spoken {
            path: "/v1/responses",
            offers: json!({"stream": true, "tools": [
                {"type": "namespace", "name": "mcp__askdesk", "tools": [{"name": "ask_user_question"}]},
            ]}),
            tells: json!({"input": [
                {"type": "function_call", "call_id": "call_1"},
                {"type": "function_call_output", "call_id": "call_1", "output": "JWT"},
            ]}),
            calls: &[r#""call_id":"call_1","name":"ask_user_question""#, r#""namespace":"mcp__askdesk""#],
        },
        Spoken {
            path: "/v1/chat/completions",
            offers: json!({"stream": true, "tools": [{"type": "function", "function": {"name": tool}}]}),
            tells: json!({"messages": [
                {"role": "assistant", "tool_calls": []},
                {"role": "tool", "tool_call_id": "call_1", "content": "JWT"},
            ]}),
            calls: &[
                r#""id":"call_1","type":"function","function":{"name":"mcp__askdesk__ask_user_question""#,
            ],
        },
        Spoken {
            path: "/v1beta/models/m:streamGenerateContent?alt=sse",
            offers: json!({"tools": [{"functionDeclarations": [{"name": tool}]}]}),
            tells: json!({"contents": [{"role": "user", "parts": [
                {"functionResponse": {"id": "call_1", "name": tool, "response": {"output": "JWT"}}},
            ]}]}),
            calls: &[r#""functionCall":{"id":"call_1","name":"mcp__askdesk__ask_user_question""#],
        },
    ]
}

fn merged(one: &Value, other: &Value) -> Value {
    let mut merged = one.clone();
    merged.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
    merged
}

#[tokio::test(flavor = "multi_thread")]
async fn every_dialect_calls_the_tool_that_was_offered_and_reads_what_it_is_told() {
    for Spoken { path, offers, tells, calls } in spoken() {
        let call = Block::tool("call_1", "ask_user_question", json!({"questions": "“q”"}));
        let reply = Reply::new([Block::text("I have to ask something."), call]);
        let mock = MockApi::start(Script(vec![reply])).await.unwrap();
        let target = format!("POST {path}");
        // What offers no question leaves the script alone.
        assert!(!send(&mock, &target, &json!({"stream": true})).contains("call_1"), "{path}");
        let streamed = send(&mock, &target, &offers);
        for call in calls {
            assert!(streamed.contains(call), "{path}: {call} is not in {streamed}");
        }
        send(&mock, &target, &merged(&offers, &tells));
        let told = CallResult { call: "call_1".to_owned(), text: "JWT".to_owned() };
        assert_eq!((mock.call_results(), mock.conversation().len()), (vec![told], 2), "{path}");
    }
}
