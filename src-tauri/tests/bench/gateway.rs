//! A thousand open questions over the gateway: the time until each is open, the time of an answer to its caller, and the
//! memory.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::harness::{App, PATIENCE};
use crate::latency::Times;
use crate::process::memory;
use crate::rounded;

/// How many programs ask.
const CLIENTS: usize = 50;
/// How many questions each has open.
const EACH: usize = 20;
/// How long memory takes to settle.
const SETTLED: Duration = Duration::from_secs(5);

pub struct GatewayCosts {
    /// From the call to the line that its question is open.
    opened: Times,
    /// From sending the answer to the caller's result, with a commit on disk.
    answered: Times,
    /// The app's memory before, with all questions open, and after they are answered.
    pss_mib: [f64; 3],
}

impl GatewayCosts {
    pub fn json(&self) -> Value {
        let [before, open, after] = self.pss_mib.map(rounded);
        json!({
            "clients": CLIENTS,
            "open_at_once": CLIENTS * EACH,
            "call_to_open_ms": self.opened.json(),
            "answer_to_caller_ms": self.answered.json(),
            "pss_mib": { "before": before, "open": open, "answered": after },
        })
    }
}

pub async fn measure() -> GatewayCosts {
    let app = App::open().await;
    let client = Client::find(&app.home().join("data")).await;
    sleep(SETTLED).await;
    let before = pss(&app);

    let mut opened = Vec::new();
    let mut calls = Vec::new();
    for n in 0..CLIENTS * EACH {
        let began = Instant::now();
        let mut call = client.ask(n).await;
        let asked = call.next().await;
        opened.push(millis(began));
        assert_eq!(asked["event"], "asked", "{asked}");
        calls.push((n, asked["requestId"].as_str().unwrap().to_owned(), call));
    }
    sleep(SETTLED).await;
    let open = pss(&app);

    let mut answered = Vec::new();
    // In another order than they were asked.
    calls.sort_by_key(|(n, ..)| (n * 7_919) % (CLIENTS * EACH));
    for (n, id, call) in &mut calls {
        let mine = format!("Answer {n}");
        let body = json!({ "answers": [{ "question": 1, "other": mine }] });
        let began = Instant::now();
        let mut sent = client.post(&client.answers, &format!("/v1/requests/{id}/answer"), &body).await;
        let ended = loop {
            let line = call.next().await;
            if line["event"] == "ended" {
                break line;
            }
        };
        answered.push(millis(began));
        assert_eq!(ended["result"]["answers"][0]["customInput"], mine.as_str(), "each gets its own");
        assert_eq!(sent.next().await["outcome"], "answered");
    }
    sleep(SETTLED).await;
    let after = pss(&app);
    app.close().await;
    GatewayCosts { opened: Times(opened), answered: Times(answered), pss_mib: [before, open, after] }
}

fn millis(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

fn pss(app: &App) -> f64 {
    memory(app.root()).0 / 1024.0
}

/// The address and the tokens of the gateway.
struct Client {
    address: String,
    asks: String,
    answers: String,
}

impl Client {
    async fn find(folder: &Path) -> Self {
        let began = Instant::now();
        loop {
            if let Some(client) = Self::written(folder) {
                return client;
            }
            assert!(began.elapsed() < PATIENCE, "the gateway does not open");
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn written(folder: &Path) -> Option<Self> {
        let said: Value = serde_json::from_slice(&std::fs::read(folder.join("desk.json")).ok()?).ok()?;
        let address = said["url"].as_str()?.strip_prefix("http://")?.to_owned();
        let secret = |name: &str| Some(std::fs::read_to_string(folder.join(name)).ok()?.trim().to_owned());
        Some(Self { address, asks: secret("token")?, answers: secret("answer-token")? })
    }

    async fn ask(&self, n: usize) -> Reply {
        let client = n / EACH;
        let body = json!({
            "client": { "kind": "mcp", "name": format!("client {client}"), "folder": format!("/srv/{client}"),
                "connection": client.to_string() },
            "tool": "ask_user_question",
            "arguments": { "questions": [{ "question": format!("Question {n}?"), "header": "Store",
                "multiSelect": false, "options": [{ "label": "A" }, { "label": "B" }] }] },
        });
        self.post(&self.asks, "/v1/asks", &body).await
    }

    async fn post(&self, secret: &str, path: &str, body: &Value) -> Reply {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let (address, body) = (&self.address, body.to_string());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {secret}\r\n\
             content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len(),
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        Reply(BufReader::new(stream))
    }
}

/// The response to one call, line by line.
struct Reply(BufReader<TcpStream>);

impl Reply {
    /// Waits for the next line of JSON; the other lines are HTTP's.
    async fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            let read = timeout(PATIENCE, self.0.read_line(&mut line)).await.expect("a line in time").unwrap();
            assert!(read > 0, "the response has ended");
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(&line) {
                return value;
            }
        }
    }
}
