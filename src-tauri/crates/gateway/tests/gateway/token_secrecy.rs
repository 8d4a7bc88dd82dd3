//! The tokens are in their files and nowhere else.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use super::fixture::Fixture;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn case_43_no_token_is_in_a_log_or_an_answer() {
    let log = Log::default();
    let into = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || into.clone())
        .finish();
    // Only the threads of this test log, because other tests run in the same process.
    let dispatch = tracing::Dispatch::new(subscriber);
    // With a single dispatcher alive, tracing asks only the thread that first reaches an event
    // whether anyone wants it, and remembers a "no" from another test's thread for all threads.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
    let _guard = tracing::dispatcher::set_default(&dispatch);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || std::mem::forget(tracing::dispatcher::set_default(&dispatch)))
        .build()
        .unwrap();
    runtime.block_on(check(&log));
}

async fn check(log: &Log) {
    let mut fixture = Fixture::open().await;
    let (token, answering) = (fixture.token(), fixture.answer_token());
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
    }})
    .to_string();
    let mut answers = Vec::new();
    for (method, path, body) in [
        ("GET", "/health", ""),
        ("GET", "/metrics", ""),
        ("GET", "/nothing", ""),
        ("POST", "/mcp", initialize.as_str()),
        ("POST", "/mcp", "{"),
        ("POST", "/mcp", "{}"),
        ("POST", "/v1/asks", "{}"),
        ("POST", "/hooks/claude", "[]"),
        ("POST", "/v1/token/rotate", ""),
    ] {
        answers.push(fixture.send(&fixture.head(method, path), body.as_bytes()).await);
    }
    let old = fixture.head("GET", "/health").set("authorization", &format!("Bearer {token}"));
    answers.push(fixture.send(&old, b"").await);
    assert_eq!(answers[0].status, 200, "{:?}", answers[0]);
    assert_eq!(answers[9].status, 401, "{:?}", answers[9]);
    let (after, answering_after) = (fixture.token(), fixture.answer_token());
    fixture.gateway.take().unwrap().close().await;
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(logged.contains("initialize"), "the log is kept: {logged}");
    for secret in [&token, &answering, &after, &answering_after] {
        assert!(!logged.contains(secret.as_str()), "in the log");
        assert!(!format!("{answers:?}").contains(secret.as_str()), "in an answer");
    }
}
