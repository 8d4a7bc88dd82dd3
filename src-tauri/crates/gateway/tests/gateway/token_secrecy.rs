//! The tokens are in their files and nowhere else.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_engine::clock::SystemClock;
use askdesk_engine::{Catalog, EngineHandle, OpenedEngine};
use askdesk_gateway::{Gateway, GatewayConfig};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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
    let _guard = tracing::dispatcher::set_default(&dispatch);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || std::mem::forget(tracing::dispatcher::set_default(&dispatch)))
        .build()
        .unwrap();
    runtime.block_on(check(&log));
}

async fn check(log: &Log) {
    let folder = tempfile::tempdir().unwrap();
    let OpenedEngine { handle, .. } =
        EngineHandle::open(folder.path(), Arc::new(SystemClock), Catalog::default()).unwrap();
    let config = GatewayConfig { port: None, ..GatewayConfig::new(folder.path(), handle, "0.1.0") };
    let gateway = Gateway::open(config).await.unwrap();
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap().trim().to_owned();
    let (token, answering) = (read("token"), read("answer-token"));
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
        ("GET", "/health", ""),
    ] {
        let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
        let secret = if path.starts_with("/v1/token") { &answering } else { &token };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {secret}\r\nconnection: close\r\n\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n",
            gateway.address(),
            body.len(),
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        answers.push(String::from_utf8_lossy(&answer).into_owned());
    }
    assert!(answers[0].starts_with("HTTP/1.1 200"), "{}", answers[0]);
    assert!(answers[9].starts_with("HTTP/1.1 401"), "{}", answers[9]);
    let (after, answering_after) = (read("token"), read("answer-token"));
    gateway.close().await;
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(logged.contains("initialize"), "the log is kept: {logged}");
    for secret in [&token, &answering, &after, &answering_after] {
        assert!(!logged.contains(secret.as_str()), "in the log");
        assert!(!answers.iter().any(|answer| answer.contains(secret.as_str())), "in an answer");
    }
}
