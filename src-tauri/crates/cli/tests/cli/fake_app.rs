//! A fake app: a data folder, a home folder, and a server that plays the gateway and the user.

use std::convert::Infallible;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Path as Segment, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

pub const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
pub const ANSWER_TOKEN: &str = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
pub const REQUEST: &str = "0198c1f0-0000-7000-8000-000000000007";

/// The path of the record that a caller went before its question had ended.
pub const LEFT: &str = "left";

/// A call that the server has received.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub path: String,
    pub body: Value,
}

/// What the user does with a question.
#[derive(Clone, Default)]
pub enum User {
    /// Sends these events, and then the stream ends.
    Sends(Vec<Value>),
    /// Rejects the call with a status and a body.
    Rejects(u16, Value),
    /// Never answers.
    #[default]
    Waits,
}

#[derive(Clone, Default)]
struct Shared {
    calls: Arc<Mutex<Vec<Call>>>,
    user: Arc<Mutex<User>>,
}

/// Records that a caller has gone.
struct Watched(Shared);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.calls.lock().unwrap().push(Call { path: LEFT.to_owned(), body: Value::Null });
    }
}

/// A server that runs until this is dropped.
pub struct Running {
    runtime: Option<Runtime>,
    pub port: u16,
}

pub struct FakeApp {
    folder: TempDir,
    shared: Shared,
}

impl FakeApp {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data", "home", "project", "bin"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, shared: Shared::default() }
    }

    pub fn started() -> (Self, Running) {
        let app = Self::new();
        let running = app.start();
        (app, running)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn user(&self, user: User) {
        *self.shared.user.lock().unwrap() = user;
    }

    pub fn calls(&self) -> Vec<Call> {
        self.shared.calls.lock().unwrap().clone()
    }

    pub fn forget_calls(&self) {
        self.shared.calls.lock().unwrap().clear();
    }

    /// Waits until the server has received a call of a path.
    pub fn wait_for(&self, path: &str) -> Call {
        let since = Instant::now();
        loop {
            if let Some(call) = self.calls().into_iter().find(|call| call.path == path) {
                return call;
            }
            assert!(since.elapsed() < Duration::from_secs(120), "no {path} in {:?}", self.calls());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts the server and writes its discovery file and tokens.
    pub fn start(&self) -> Running {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = router(self.shared.clone());
        runtime.spawn(async move { axum::serve(listener, router).await });
        self.announce(port);
        self.write_token("token", TOKEN);
        self.write_token("answer-token", ANSWER_TOKEN);
        Running { runtime: Some(runtime), port }
    }

    /// Writes a token file that only its owner can read.
    pub fn write_token(&self, name: &str, token: &str) {
        let file = self.path("data").join(name);
        std::fs::write(&file, format!("{token}\n")).unwrap();
        std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }

    /// Writes the discovery file.
    pub fn announce(&self, port: u16) {
        let said = json!({"version": 1, "pid": std::process::id(), "port": port,
            "url": format!("http://127.0.0.1:{port}"), "app": "0.1.0"});
        std::fs::write(self.path("data/desk.json"), said.to_string()).unwrap();
    }

    pub fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askdesk"));
        command.args(line).env_clear().current_dir(self.path("project"));
        command.env("ASKDESK_DATA_DIR", self.path("data")).env("HOME", self.path("home"));
        command.env("USERPROFILE", self.path("home")).env("PATH", self.path("bin"));
        // The proxy must not be used for this computer.
        command.env("http_proxy", "http://127.0.0.1:1").env("ALL_PROXY", "http://127.0.0.1:1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, line: &[&str]) -> Output {
        self.command(line).output().unwrap()
    }

    pub fn run_with(&self, line: &[&str], input: &str) -> Output {
        let mut child = self.command(line).stdin(Stdio::piped()).spawn().unwrap();
        give(&mut child, input);
        child.wait_with_output().unwrap()
    }
}

pub fn give(child: &mut Child, input: &str) {
    // The program may have ended without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
}

impl Drop for Running {
    fn drop(&mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }
}

pub fn ended(outcome: &str, more: &Value) -> Vec<Value> {
    let mut result = json!({"outcome": outcome, "requestId": REQUEST});
    for (name, value) in more.as_object().unwrap() {
        result[name] = value.clone();
    }
    vec![
        json!({"event": "asked", "requestId": REQUEST}),
        json!({"event": "waiting", "seconds": 15}),
        json!({"event": "ended", "result": result, "text": "…"}),
    ]
}

/// Asserts that a run succeeded.
pub fn succeeded(output: Output) -> Output {
    assert_eq!(exit(&output), 0, "{}", err(&output));
    output
}

pub fn exit(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

pub fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// Writes a program with a shell. A file that this process has open for writing can't be run.
pub fn write_program(file: &Path, script: &str) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"printf %s "$1" > "$0" && chmod +x "$0""#]).arg(file).arg(script);
    assert!(shell.status().unwrap().success());
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/health", get(async || Json(json!({"status": "ok", "version": "0.1.0", "open": 1}))))
        .route("/v1/clients", get(clients))
        .route("/v1/agents", get(agents))
        .route("/v1/asks", post(ask))
        .route("/v1/test", post(ask))
        .route("/v1/leave", post(async || Json(json!({"left": true}))))
        .route("/hooks/claude", post(hook))
        .route("/v1/requests", get(requests))
        .route("/v1/requests/{id}/{what}", post(end))
        .route("/v1/token/rotate", post(async || Json(json!({"rotated": true}))))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// Rejects calls with the wrong token or content type, and records the others.
async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let denied = |status: StatusCode, message: &str| {
        (status, Json(json!({"error": "denied", "message": message}))).into_response()
    };
    let answers = ["/v1/requests", "/v1/token"].iter().any(|path| request.uri().path().starts_with(path));
    let bearer = format!("Bearer {}", if answers { ANSWER_TOKEN } else { TOKEN });
    if request.headers().get(header::AUTHORIZATION).is_none_or(|it| it != bearer.as_str()) {
        return denied(StatusCode::UNAUTHORIZED, "the gateway's own words");
    }
    let path = request.uri().path().to_owned();
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    if parts.method == "POST" {
        if parts.headers.get(header::CONTENT_TYPE).is_none_or(|it| it != "application/json") {
            return denied(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only JSON is accepted");
        }
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        shared.calls.lock().unwrap().push(Call { path, body });
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

async fn ask(State(shared): State<Shared>) -> Response {
    let user = shared.user.lock().unwrap().clone();
    let (lines, watched) = match user {
        User::Rejects(status, body) => return rejection(status, body),
        User::Sends(lines) => (lines, None),
        User::Waits => (vec![json!({"event": "asked", "requestId": REQUEST})], Some(Watched(shared))),
    };
    let lines = stream::iter(lines).map(|line| Ok::<_, Infallible>(format!("{line}\n")));
    let end = stream::poll_fn(move |_| if watched.is_some() { Poll::Pending } else { Poll::Ready(None) });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.chain(end))).into_response()
}

fn rejection(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

async fn hook(State(shared): State<Shared>) -> Response {
    let user = shared.user.lock().unwrap().clone();
    match user {
        User::Sends(mut lines) => Json(lines.remove(0)).into_response(),
        User::Rejects(status, body) => rejection(status, body),
        User::Waits => std::future::pending().await,
    }
}

/// Says that Codex asked five hours ago.
async fn clients() -> Json<Value> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let asked_at = i64::try_from(now.as_millis()).unwrap() - 5 * 3_600_000;
    Json(json!({"clients": [{"channel": "mcp", "name": "codex-mcp-client", "askedAt": asked_at}]}))
}

/// One agent of each kind of fit, and one of a kind that only a later version knows.
async fn agents() -> Json<Value> {
    let agent = |name: &str, version: &str, fit: Value| json!({"name": name, "version": version, "fit": fit});
    Json(json!({"agents": [
        agent("Steady", "1.0.0", json!({"fit": "tested"})),
        agent("Ahead", "3.1.0", json!({"fit": "newer", "tested": "3.0.0"})),
        agent("Other", "2.3.2", json!({"fit": "not_verified", "good": "1.18.33", "install": "get other@1.18.33"})),
        agent("Strange", "x", Value::Null),
        agent("Future", "9.0.0", json!({"fit": "withdrawn"})),
    ]}))
}

async fn requests() -> Json<Value> {
    Json(json!({"requests": [{
        "requestId": REQUEST,
        "session": {"name": "shop", "agent": "claude_code", "folder": "/srv/shop"},
        "askedAt": 1_790_000_000_000_u64,
        "questions": [
            {"id": "q1", "text": "Which store?", "header": "Store", "kind": "single", "allowsOther": true,
             "required": true, "options": [{"id": "q1o1", "label": "SQLite", "description": null},
                                           {"id": "q1o2", "label": "Postgres", "description": "a server"}]},
            {"id": "q2", "text": "Which name?", "header": null, "kind": "text", "allowsOther": true,
             "required": false, "options": []},
        ],
    }]}))
}

async fn end(State(shared): State<Shared>, Segment((id, what)): Segment<(String, String)>) -> Response {
    let user = shared.user.lock().unwrap().clone();
    match user {
        User::Rejects(status, body) => rejection(status, body),
        _ => {
            let outcome = if what == "decline" { "declined" } else { "answered" };
            Json(json!({"outcome": outcome, "requestId": id})).into_response()
        }
    }
}
