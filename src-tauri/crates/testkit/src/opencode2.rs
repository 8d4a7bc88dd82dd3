//! A stand-in for OpenCode 2, built from public descriptions of its API and not from the program.
//!
//! It chooses its own password and says it, wants it with every request, and answers an unknown route with a page. Sessions
//! are kept in its home folder over a restart, and every request is written to a file there.
//!
//! | first word of a prompt | what is played |
//! |---|---|
//! | `ask` | a form with two fields; the answer is said |
//! | `permit` | a permission for a shell command; a refusal ends the turn |
//! | `wait` | nothing, until the turn is interrupted |
//!
//! Other texts are said back.

use std::convert::Infallible;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub const VERSION: &str = "2.3.2";
/// What every request has to be signed with: `opencode:stand-in` in Base64.
const AUTHORIZATION: &str = "Basic b3BlbmNvZGU6c3RhbmQtaW4=";
/// The files in its home folder.
const REQUESTS: &str = "requests.jsonl";
const SESSIONS: &str = "sessions.json";

/// Runs it as `opencode` is run; returns the exit code.
pub fn run(arguments: &[String]) -> u8 {
    if arguments.first().map(String::as_str) != Some("serve") {
        println!("{VERSION}");
        return 0;
    }
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let runtime = tokio::runtime::Runtime::new();
    match runtime.and_then(|runtime| runtime.block_on(serve(home))) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

/// Returns the bodies of the requests to a path that ends so.
pub fn requests(home: &Path, end: &str) -> Vec<Value> {
    let written = std::fs::read_to_string(home.join(REQUESTS)).unwrap_or_default();
    let requests = written.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let asked = requests.filter(|request| request["to"].as_str().is_some_and(|to| to.ends_with(end)));
    asked.map(|request| request["body"].clone()).collect()
}

async fn serve(home: PathBuf) -> std::io::Result<()> {
    let sessions = std::fs::read(home.join(SESSIONS)).ok();
    let sessions = sessions.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let shared = Shared::new(Mutex::new(Served { home, sessions, ..Served::default() }));
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("server listening on http://{}", listener.local_addr()?);
    println!("server password stand-in");
    axum::serve(listener, Router::new().fallback(answer).with_state(shared)).await
}

type Shared = Arc<Mutex<Served>>;

#[derive(Debug, Default)]
struct Served {
    home: PathBuf,
    sessions: Map<String, Value>,
    streams: Vec<UnboundedSender<Value>>,
    /// The session whose turn runs, with what it waits for.
    working: Map<String, Value>,
    made: u64,
}

async fn answer(
    State(shared): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if headers.get(header::AUTHORIZATION).is_none_or(|given| given != AUTHORIZATION) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let mut served: MutexGuard<'_, Served> = shared.lock().unwrap_or_else(PoisonError::into_inner);
    served.log(&format!("{method} {}", uri.path()), &body);
    let page = || ([(header::CONTENT_TYPE, "text/html")], "<!doctype html><title>OpenCode</title>");
    let parts: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    let data = match (method.as_str(), parts.as_slice()) {
        ("GET", ["api", "event"]) => return served.stream(),
        ("GET", ["api", "info"]) => {
            return as_json(&json!({"version": VERSION, "pid": std::process::id(), "urls": []}));
        }
        ("GET", ["api", "agent"]) => {
            let asks = ["edit", "shell", "webfetch"].map(|action| rule(action, "ask"));
            let rules: Vec<Value> = [rule("*", "allow")].into_iter().chain(asks).collect();
            json!([{"id": "build", "name": "Build", "mode": "primary", "hidden": false, "permissions": rules}])
        }
        ("GET", ["api", "model"]) => {
            json!([{"id": "mock", "modelID": "mock", "providerID": "mock", "name": "Mock", "enabled": true,
                "limit": {"context": 200_000, "output": 4096}}])
        }
        ("POST", ["api", "session"]) => served.create(&body),
        ("GET", ["api", "session"]) => served.sessions.values().cloned().collect(),
        ("GET", ["api", "session", "active"]) => {
            served.working.keys().map(|id| (id.clone(), json!({"type": "running"}))).collect()
        }
        ("GET", ["api", kind @ ("form" | "permission"), "request"]) => {
            served.working.values().map(|waits| waits[kind].clone()).filter(Value::is_object).collect()
        }
        (method, ["api", "session", id, rest @ ..]) => {
            let Some(session) = served.sessions.get(*id).cloned() else {
                return StatusCode::NOT_FOUND.into_response();
            };
            match (method, rest) {
                ("GET", []) => session,
                ("GET", ["message"]) => json!([]),
                ("POST", ["agent" | "model"]) => return StatusCode::NO_CONTENT.into_response(),
                ("POST", ["prompt"]) => served.prompt(id, &body),
                ("POST", ["interrupt"]) => {
                    let interrupted = served.working.contains_key(*id);
                    served.end(id, "interrupted");
                    return as_json(&json!({"interrupted": interrupted}));
                }
                ("POST", ["form", form, "reply"]) => return served.on_form(id, form, Some(&body["answer"])),
                ("DELETE", ["form", form]) => return served.on_form(id, form, None),
                ("POST", ["permission", request, "reply"]) => {
                    return served.on_permission(id, request, &body);
                }
                _ => return page().into_response(),
            }
        }
        _ => return page().into_response(),
    };
    as_json(&json!({"location": {"directory": "/"}, "data": data}))
}

fn rule(action: &str, effect: &str) -> Value {
    json!({"action": action, "resource": "*", "effect": effect})
}

fn as_json(body: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

impl Served {
    fn log(&self, to: &str, body: &Value) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(self.home.join(REQUESTS));
        // Its tests fail without it.
        let _ = file.and_then(|mut file| writeln!(file, "{}", json!({"to": to, "body": body})));
    }

    fn stream(&mut self) -> Response {
        let (events, stream) = unbounded_channel();
        self.streams.push(events);
        self.emit("server.connected", json!({}));
        let next = |mut stream: UnboundedReceiver<Value>| async move {
            let event = stream.recv().await?;
            Some((Ok::<_, Infallible>(format!("data: {event}\n\n")), stream))
        };
        let body = Body::from_stream(futures_util::stream::unfold(stream, next));
        ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
    }

    /// Makes an id. Ids ascend.
    fn id(&mut self, prefix: &str) -> String {
        self.made += 1;
        let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        format!("{prefix}_{:012x}stand-in", (millis * 0x1000 + u128::from(self.made)) & 0xffff_ffff_ffff)
    }

    fn emit(&mut self, kind: &str, data: Value) {
        let id = self.id("evt");
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() * 1000;
        let mut event = json!({"id": id, "created": created, "type": kind});
        event["data"] = data;
        self.streams.retain(|stream| stream.send(event.clone()).is_ok());
    }

    fn create(&mut self, body: &Value) -> Value {
        let id = self.id("ses");
        let session = json!({"id": id, "projectID": "global", "location": body["location"], "title": "New session - 1"});
        self.sessions.insert(id, session.clone());
        // The restart that it is for fails without it.
        let _ = std::fs::write(self.home.join(SESSIONS), Value::Object(self.sessions.clone()).to_string());
        session
    }

    fn prompt(&mut self, session: &str, body: &Value) -> Value {
        let (id, text) = (&body["id"], body["text"].as_str().unwrap_or_default());
        let item = json!({"type": "user", "payload": {"text": text}, "delivery": "steer"});
        self.emit("session.inbox.enqueued", json!({"sessionID": session, "inboxID": id, "item": item}));
        self.emit("session.execution.started", json!({"sessionID": session}));
        self.emit("session.inbox.delivered", json!({"sessionID": session, "inboxID": id}));
        let message = self.id("msg");
        self.working.insert(session.to_owned(), json!({"message": message}));
        let model = json!({"id": "mock", "providerID": "mock"});
        let started =
            json!({"sessionID": session, "assistantMessageID": message, "agent": "build", "model": model});
        self.emit("session.step.started", started);
        match text.split(' ').next() {
            Some("ask") => {
                let form = json!({"id": self.id("frm"), "sessionID": session, "title": "Questions",
                    "metadata": {"kind": "question", "tool": {"messageID": message, "id": "call_1"}},
                    "fields": [
                        {"key": "q0", "type": "string", "title": "Store", "description": "Which store?", "custom": true,
                            "options": [{"value": "sqlite", "label": "SQLite", "description": "One file"},
                                {"value": "pg", "label": "PostgreSQL", "description": "A server"}]},
                        {"key": "q1", "type": "string", "title": "Anything else?"}]});
                self.waits(session, "form", &form);
                self.emit("form.created", json!({"form": form}));
            }
            Some("permit") => {
                let call = json!({"sessionID": session, "assistantMessageID": message, "id": "call_1", "name": "shell"});
                self.emit("session.tool.input.started", call);
                let call = json!({"sessionID": session, "assistantMessageID": message, "id": "call_1",
                    "input": {"command": "touch made.txt"}, "executed": true});
                self.emit("session.tool.called", call);
                let request = json!({"id": self.id("per"), "sessionID": session, "action": "shell",
                    "resources": ["touch made.txt"], "save": ["touch *"],
                    "source": {"type": "tool", "messageID": message, "id": "call_1"}});
                self.waits(session, "permission", &request);
                self.emit("permission.asked", request);
            }
            Some("wait") => {}
            _ => self.say(session, text),
        }
        json!({"id": id, "sessionID": session, "type": "user", "delivery": "steer"})
    }

    fn waits(&mut self, session: &str, kind: &str, request: &Value) {
        if let Some(work) = self.working.get_mut(session) {
            work[kind] = request.clone();
        }
    }

    /// Says something, and ends the turn with it.
    fn say(&mut self, session: &str, text: &str) {
        let message = self.working.get(session).map_or(Value::Null, |work| work["message"].clone());
        let said = |more: Value| {
            let mut data = json!({"sessionID": session, "assistantMessageID": message, "ordinal": 0});
            more.as_object().into_iter().flatten().for_each(|(name, value)| data[name] = value.clone());
            data
        };
        self.emit("session.text.started", said(json!({})));
        self.emit("session.text.delta", said(json!({"delta": text})));
        self.emit("session.text.ended", said(json!({"text": text})));
        let tokens = json!({"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        self.emit("session.step.ended", said(json!({"finish": "stop", "cost": 0, "tokens": tokens})));
        self.end(session, "succeeded");
    }

    fn end(&mut self, session: &str, how: &str) {
        let Some(work) = self.working.remove(session) else { return };
        if let Some(form) = work["form"]["id"].as_str() {
            self.emit("form.cancelled", json!({"id": form, "sessionID": session}));
        }
        self.emit(&format!("session.execution.{how}"), json!({"sessionID": session, "reason": "user"}));
    }

    /// Takes what a session waits for, if it is this one.
    fn take(&mut self, session: &str, kind: &str, id: &str) -> Option<Value> {
        let waits = self.working.get_mut(session)?.get_mut(kind).filter(|waits| waits["id"] == id)?;
        Some(waits.take())
    }

    fn on_form(&mut self, session: &str, form: &str, answer: Option<&Value>) -> Response {
        if self.take(session, "form", form).is_none() {
            return StatusCode::CONFLICT.into_response();
        }
        match answer {
            Some(answer) => {
                self.emit("form.replied", json!({"id": form, "sessionID": session, "answer": answer}));
                self.say(session, &format!("Answered {answer}"));
            }
            None => self.emit("form.cancelled", json!({"id": form, "sessionID": session})),
        }
        StatusCode::NO_CONTENT.into_response()
    }

    fn on_permission(&mut self, session: &str, request: &str, body: &Value) -> Response {
        let decision = body["decision"].as_str().filter(|it| ["once", "always", "reject"].contains(it));
        let Some(decision) = decision else { return StatusCode::BAD_REQUEST.into_response() };
        let Some(asked) = self.take(session, "permission", request) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let replied = json!({"sessionID": session, "requestID": request, "reply": decision});
        self.emit("permission.replied", replied);
        let mut call =
            json!({"sessionID": session, "assistantMessageID": asked["source"]["messageID"], "id": "call_1"});
        if decision == "reject" {
            call["error"] = json!({"type": "permission.rejected", "message": "The user refused it."});
            self.emit("session.tool.failed", call);
            self.end(session, "interrupted");
        } else {
            call["content"] = json!([{"type": "text", "text": "done"}]);
            self.emit("session.tool.success", call);
            self.say(session, &format!("Allowed {decision}"));
        }
        StatusCode::NO_CONTENT.into_response()
    }
}
