//! A mock of the model's HTTP API that a real `claude` talks to on loopback.
//!
//! Requests of the conversation get the replies of a script, one after another. Requests that the program makes on
//! its own account (titles, probes, token counts) get something harmless and leave the script alone. What tells them
//! apart is the list of tools: only the conversation offers the tool by which questions are asked.

mod reply;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

pub use reply::{Block, Reply, Script};

/// The tool that marks a request of the conversation.
const CONVERSATION_TOOL: &str = "AskUserQuestion";

/// A running mock; it ends when dropped.
#[derive(Debug)]
pub struct MockApi {
    /// What goes into `ANTHROPIC_BASE_URL`.
    pub base_url: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The method and path.
    pub target: String,
    /// The body; null where there was none.
    pub body: Value,
    /// Whether it belongs to the conversation, so that it got a scripted reply.
    pub conversation: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<Served>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Served {
    requests: Vec<Recorded>,
    script: std::collections::VecDeque<Reply>,
    replies_made: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Served> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MockApi {
    /// Starts the mock on a free port of the loopback interface.
    pub async fn start(script: Script) -> std::io::Result<Self> {
        Self::start_at(script, SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// Starts the mock at an address.
    pub async fn start_at(script: Script, address: SocketAddr) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().script = script.0.into();
        let app = Router::new()
            .fallback(serve)
            // A conversation with its system prompt outgrows the usual limit.
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind(address).await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("mock-anthropic: the server ended ({error})");
            }
        });
        Ok(Self { base_url, shared, server })
    }

    /// Adds a reply behind those that are still to be given.
    pub fn push(&self, reply: Reply) {
        self.shared.lock().script.push_back(reply);
    }

    /// Returns every request so far, in the order they came.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.lock().requests.clone()
    }

    /// Returns the bodies of the conversation's requests so far.
    pub fn conversation(&self) -> Vec<Value> {
        let served = self.shared.lock();
        served.requests.iter().filter(|it| it.conversation).map(|it| it.body.clone()).collect()
    }

    /// Waits for the `n`th request of the conversation, counted from 1; none when the time is over.
    pub async fn wait_for_request(&self, n: usize, timeout: Duration) -> Option<Value> {
        let arrival = async {
            loop {
                let arrived = self.shared.arrived.notified();
                if let Some(body) = self.conversation().into_iter().nth(n.checked_sub(1)?) {
                    return Some(body);
                }
                arrived.await;
            }
        };
        tokio::time::timeout(timeout, arrival).await.ok().flatten()
    }

    /// Returns the `tool_result` blocks in the last user message of the newest conversation request.
    pub fn tool_results(&self) -> Vec<Value> {
        let conversation = self.conversation();
        let messages = conversation.last().and_then(|body| body["messages"].as_array());
        let last = messages.and_then(|all| all.iter().rev().find(|message| message["role"] == "user"));
        let blocks = last.and_then(|message| message["content"].as_array());
        let blocks = blocks.map_or(&[][..], Vec::as_slice);
        blocks.iter().filter(|block| block["type"] == "tool_result").cloned().collect()
    }
}

impl Drop for MockApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Answers everything: what is not a message gets an empty object, so that no probe fails.
async fn serve(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let is_message = method == Method::POST && uri.path() == "/v1/messages";
    let conversation = is_message && offers_questions(&body);
    let (reply, number) = {
        let mut served = shared.lock();
        let target = format!("{method} {uri}");
        served.requests.push(Recorded { target, body: body.clone(), conversation });
        let reply = if conversation {
            served.script.pop_front().unwrap_or_else(|| Reply::text("(The script is over.)"))
        } else {
            Reply::text("ok")
        };
        served.replies_made += 1;
        (reply, served.replies_made)
    };
    shared.arrived.notify_waiters();
    match uri.path() {
        "/v1/messages" if is_message => {
            tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
            respond(&reply, &body, number)
        }
        "/v1/messages/count_tokens" => json_response(&json!({"input_tokens": 10})),
        "/v1/models" => {
            json_response(&json!({"data": [], "has_more": false, "first_id": null, "last_id": null}))
        }
        _ => json_response(&json!({})),
    }
}

fn offers_questions(body: &Value) -> bool {
    body["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == CONVERSATION_TOOL))
}

fn respond(reply: &Reply, request: &Value, number: usize) -> Response {
    let model = request["model"].as_str().unwrap_or("mock");
    if request["stream"] == true {
        let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
        let pace = Duration::from_millis(reply.pace_ms);
        let events = futures_util::stream::iter(reply.as_sse(model, number)).then(move |event| async move {
            tokio::time::sleep(pace).await;
            Ok::<_, Infallible>(event)
        });
        (StatusCode::OK, headers, Body::from_stream(events)).into_response()
    } else {
        json_response(&reply.as_message(model, number))
    }
}

fn json_response(body: &Value) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
