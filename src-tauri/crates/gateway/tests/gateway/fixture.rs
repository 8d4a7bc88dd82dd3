//! An engine with an open gateway, and a client that writes HTTP by hand.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{
    AnswerInput, Delivery, Desk, OrphanedWhy, Outcome, QuestionId, Request, RequestId, Session,
};
use askdesk_engine::clock::{Clock, ManualClock, SystemClock};
use askdesk_engine::{Catalog, EngineHandle};
use askdesk_gateway::{Gateway, GatewayConfig, Timeouts};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer than anything here takes on a busy machine. A test that waits this long hangs.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn quick() -> Timeouts {
    Timeouts {
        progress: Duration::from_millis(100),
        roots: Duration::from_millis(300),
        head: Duration::from_millis(800),
        body: Duration::from_millis(800),
        closing: Duration::from_millis(800),
    }
}

pub struct Fixture {
    pub engine: EngineHandle,
    pub address: SocketAddr,
    pub folder: tempfile::TempDir,
    pub gateway: Option<Gateway>,
}

impl Fixture {
    pub async fn open() -> Self {
        Self::open_with(quick()).await
    }

    /// Uses a clock that the test moves.
    pub async fn open_by_hand() -> (Self, Arc<ManualClock>) {
        Self::open_by_hand_on(&std::env::temp_dir()).await
    }

    /// Uses a clock that the test moves, and a folder on a disk.
    pub async fn open_by_hand_on(disk: &Path) -> (Self, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(1_000_000));
        let folder = tempfile::tempdir_in(disk).unwrap();
        let of_engine = Arc::clone(&clock) as Arc<dyn Clock>;
        (Self::open_in(folder, of_engine, quick(), Catalog::default()).await, clock)
    }

    pub async fn open_with(timeouts: Timeouts) -> Self {
        Self::open_at(Arc::new(SystemClock), timeouts, Catalog::default()).await
    }

    /// Opens an engine that can start agents.
    pub async fn open_with_agents(agents: Catalog) -> Self {
        Self::open_at(Arc::new(SystemClock), quick(), agents).await
    }

    async fn open_at(clock: Arc<dyn Clock>, timeouts: Timeouts, agents: Catalog) -> Self {
        Self::open_in(tempfile::tempdir().unwrap(), clock, timeouts, agents).await
    }

    async fn open_in(
        folder: tempfile::TempDir,
        clock: Arc<dyn Clock>,
        timeouts: Timeouts,
        agents: Catalog,
    ) -> Self {
        let engine = EngineHandle::open(folder.path(), clock, agents).unwrap();
        let config = GatewayConfig::new(folder.path(), engine.clone(), "0.1.0");
        let gateway = Gateway::open(GatewayConfig { port: None, timeouts, ..config }).await.unwrap();
        Self { engine, address: gateway.address(), folder, gateway: Some(gateway) }
    }

    /// Closes the engine, and opens another one and a gateway in the same folder.
    pub async fn reopen(&mut self, port: Option<u16>) {
        self.engine.close().await.unwrap();
        self.engine = engine(self.folder.path());
        let config = GatewayConfig::new(self.folder.path(), self.engine.clone(), "0.1.0");
        let gateway = Gateway::open(GatewayConfig { port, timeouts: quick(), ..config }).await.unwrap();
        self.address = gateway.address();
        self.gateway = Some(gateway);
    }

    /// Waits until a condition holds.
    pub async fn until<T: Send + 'static>(
        &self,
        what: &str,
        is_true: impl Fn(&Desk) -> Option<T> + Clone + Send + 'static,
    ) -> T {
        let looking = async {
            loop {
                let is_true = is_true.clone();
                if let Some(found) = self.engine.inspect(move |desk| is_true(desk)).await.unwrap() {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, looking).await {
            Ok(found) => found,
            Err(_) => panic!("not in time: {what}"),
        }
    }

    /// Waits until a question is open.
    pub async fn asked(&self) -> (Request, Session) {
        self.until("a question is open", first_open).await
    }

    /// Chooses the second option.
    pub async fn answer(&self, id: RequestId) {
        let question = QuestionId::at(0);
        let answer = AnswerInput { question, chosen: vec![question.option(1)], other: None, note: None };
        self.engine.answer(id, vec![answer]).await.unwrap();
    }

    /// Answers in the user's own words.
    pub async fn write(&self, id: RequestId, question: usize, words: &str) {
        let (question, other) = (QuestionId::at(question), Some(words.to_owned()));
        let answer = AnswerInput { question, chosen: vec![], other, note: None };
        self.engine.answer(id, vec![answer]).await.unwrap();
    }

    pub async fn outcome(&self, id: RequestId) -> Outcome {
        self.until("the request has ended", move |desk| Some(desk.request(id)?.ended()?.outcome.clone()))
            .await
    }

    /// Waits until a request is missed because its caller has gone.
    pub async fn missed(&self, id: RequestId) {
        assert_eq!(self.outcome(id).await, Outcome::Orphaned { why: OrphanedWhy::CallerGone });
    }

    pub async fn delivered(&self, id: RequestId) {
        self.until("the answer is delivered", move |desk| {
            let delivery = desk.request(id)?.ended()?.delivery.as_ref();
            matches!(delivery, Some(Delivery::Delivered { .. })).then_some(())
        })
        .await;
    }

    /// Waits until no client is connected.
    pub async fn all_sessions_end(&self) {
        self.until("no session runs", |desk| desk.sessions().all(|it| !it.is_running()).then_some(())).await;
    }

    pub fn token(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("token")).unwrap().trim().to_owned()
    }

    pub fn answer_token(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("answer-token")).unwrap().trim().to_owned()
    }

    /// The head of a valid request.
    pub fn head(&self, method: &str, path: &str) -> Head {
        let answers = path.starts_with("/v1/requests") || path == "/v1/token/rotate";
        let token = if answers { self.answer_token() } else { self.token() };
        let headers = HashMap::from([
            ("host".to_owned(), self.address.to_string()),
            ("authorization".to_owned(), format!("Bearer {token}")),
            ("connection".to_owned(), "close".to_owned()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
        ]);
        Head { method: method.to_owned(), path: path.to_owned(), headers }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(&self.head("GET", path), b"").await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(&self.head("POST", path), body.to_string().as_bytes()).await
    }

    pub async fn send(&self, head: &Head, body: &[u8]) -> Answer {
        self.raw(&head.with(body)).await
    }

    /// Sends bytes, and reads until the gateway closes the connection.
    pub async fn raw(&self, bytes: &[u8]) -> Answer {
        let talk = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            // The gateway may reject the request before it has read everything.
            let _ = stream.write_all(bytes).await;
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
            Answer::read(&answer)
        };
        tokio::time::timeout(PATIENCE, talk).await.expect("an answer in time")
    }

    pub async fn open_count(&self) -> u64 {
        let health = self.get("/health").await;
        assert_eq!(health.status, 200, "{health:?}");
        health.json()["open"].as_u64().unwrap()
    }
}

pub fn first_open(desk: &Desk) -> Option<(Request, Session)> {
    let request = desk.requests().find(|request| request.is_open())?;
    Some((request.clone(), desk.session(request.session)?.clone()))
}

pub fn engine(folder: &Path) -> EngineHandle {
    EngineHandle::open(folder, Arc::new(SystemClock), Catalog::default()).unwrap()
}

#[derive(Clone)]
pub struct Head {
    method: String,
    path: String,
    headers: HashMap<String, String>,
}

impl Head {
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// The head without its last empty line.
    pub fn text(&self) -> String {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text
    }

    pub fn with(&self, body: &[u8]) -> Vec<u8> {
        let mut bytes = self.text().into_bytes();
        if !body.is_empty() || self.method == "POST" {
            bytes.extend(format!("content-length: {}\r\n", body.len()).bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(body);
        bytes
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Self { status: status.unwrap_or_default(), headers, body: body.to_owned() }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the request is rejected.
    pub fn refuses(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let body = self.json();
        assert_eq!(body["error"], code, "{self:?}");
        assert!(body["message"].as_str().is_some_and(|words| words.len() > 10), "{self:?}");
        assert!(!self.headers.keys().any(|name| name.starts_with("access-control")), "{self:?}");
    }

    /// Asserts that an MCP message is rejected with a JSON-RPC error.
    pub fn refuses_call(&self, code: i64, id: &Value) {
        assert_eq!(self.status, 400, "{self:?}");
        let body = self.json();
        assert_eq!((&body["jsonrpc"], &body["id"]), (&"2.0".into(), id), "{self:?}");
        assert_eq!(body["error"]["code"], code, "{self:?}");
        assert!(body["error"]["message"].as_str().is_some_and(|words| words.len() > 10), "{self:?}");
    }
}
