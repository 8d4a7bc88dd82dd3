//! The mock of the model's API over plain HTTP.
#![allow(clippy::unwrap_used, reason = "what tests share may fail the test")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use askdesk_testkit::mock_api::{MockApi, Reply, Script};
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
