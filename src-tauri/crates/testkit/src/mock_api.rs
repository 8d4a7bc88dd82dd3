//! A mock of the models' HTTP APIs that real agent CLIs talk to on loopback.
//!
//! One server speaks every [`Dialect`]; which one is told by the path. Requests of the conversation get the replies of
//! a script, one after another. Requests that the program makes on its own account (titles, probes, token counts) get
//! something harmless and leave the script alone. What tells them apart is the list of tools: only the conversation
//! offers a tool by which questions are asked. A subagent's requests have a script of their own. They offer other tools;
//! those of Codex name the subagent.

mod chat;
mod dialect;
mod gemini;
mod messages;
mod reply;
mod responses;

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

pub use dialect::{CallResult, Dialect};
use dialect::{ReplyContext, is_streamed};
pub use reply::{Block, Failure, HALF, Reply, Script, Tokens};

/// The tool of Claude Code by which it asks; it marks a request of the conversation.
const ASK_TOOL: &str = "AskUserQuestion";
/// The name that Codex has for it.
const CODEX_ASK_TOOL: &str = "request_user_input";
/// The name that OpenCode has for it.
const OPENCODE_ASK_TOOL: &str = "question";
/// The end of the name of Askdesk's own tool, whatever prefix a program adds; it marks such a request too.
const MCP_ASK_TOOL: &str = "ask_user_question";

/// How many events of a broken stream arrive: in Anthropic's dialect, up to the first piece of a text.
const BROKEN_AFTER: usize = 3;

/// A running mock; it ends when dropped.
#[derive(Debug)]
pub struct MockApi {
    /// Where it listens, without a path: what goes into `ANTHROPIC_BASE_URL`.
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
    /// None if it does not ask for a model's reply.
    pub dialect: Option<&'static Dialect>,
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
    of_subagents: std::collections::VecDeque<Reply>,
    replies_made: usize,
    /// The only bearer token that is accepted; none if each is.
    accepted: Option<String>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Served> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MockApi {
    /// Starts the mock on a free port of the loopback interface.
    pub async fn start(script: Script) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().script = script.0.into();
        let app = Router::new()
            .fallback(serve)
            // A conversation with its system prompt outgrows the usual limit.
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("mock of the model: the server ended ({error})");
            }
        });
        Ok(Self { base_url, shared, server })
    }

    /// Adds a reply behind those that are still to be given.
    pub fn push(&self, reply: Reply) {
        self.shared.lock().script.push_back(reply);
    }

    /// Adds a reply for the requests of subagents.
    pub fn push_for_subagents(&self, reply: Reply) {
        self.shared.lock().of_subagents.push_back(reply);
    }

    /// Rejects every later request for a reply that has another bearer token than this.
    pub fn accept_only(&self, key: &str) {
        self.shared.lock().accepted = Some(format!("Bearer {key}"));
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

    /// Returns the `tool_result` blocks in the last user message of the newest conversation request, as Anthropic's API
    /// has them.
    pub fn tool_results(&self) -> Vec<Value> {
        self.conversation().last().map(messages::tool_results).unwrap_or_default()
    }

    /// Returns the tool results in the newest request of the conversation, in any dialect.
    pub fn call_results(&self) -> Vec<CallResult> {
        let served = self.shared.lock();
        let newest = served.requests.iter().rev().find(|it| it.conversation);
        newest.and_then(|it| Some((it.dialect?.call_results)(&it.body))).unwrap_or_default()
    }
}

impl Drop for MockApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Answers every request; one that asks for no model's reply gets an empty object, so that no probe fails.
async fn serve(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = askdesk_outside_json::from_slice(&body).unwrap_or(Value::Null);
    let dialect = dialect_of(&method, uri.path());
    let tools = dialect.map(|dialect| (dialect.tools)(&body)).unwrap_or_default();
    let conversation = tools.iter().any(dialect::Tool::asks) && !responses::is_of_subagent(&body);
    let (reply, number) = {
        let mut served = shared.lock();
        let target = format!("{method} {uri}");
        served.requests.push(Recorded { target, body: body.clone(), dialect, conversation });
        let key = headers.get(header::AUTHORIZATION).map(|key| key.as_bytes());
        let rejected = served.accepted.as_ref().is_some_and(|accepted| key != Some(accepted.as_bytes()));
        let reply = if rejected {
            Reply::error(401, "authentication_error")
        } else if conversation {
            served.script.pop_front().unwrap_or_else(|| Reply::text("(The script is over.)"))
        } else {
            let reply = (!tools.is_empty()).then(|| served.of_subagents.pop_front()).flatten();
            reply.unwrap_or_else(|| Reply::text("ok"))
        };
        served.replies_made += 1;
        (reply, served.replies_made)
    };
    shared.arrived.notify_waiters();
    if let Some(dialect) = dialect {
        tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
        let context = ReplyContext { reply: &reply, request: &body, number, tools: &tools };
        return respond(dialect, uri.path(), &context);
    }
    match uri.path() {
        "/v1/messages/count_tokens" => json_response(&json!({"input_tokens": 10})),
        "/v1/models" => {
            json_response(&json!({"data": [], "has_more": false, "first_id": null, "last_id": null}))
        }
        path if path.ends_with(":countTokens") => json_response(&json!({"totalTokens": 10})),
        _ => json_response(&json!({})),
    }
}

/// The dialect of a request for a model's reply; none for any other request.
fn dialect_of(method: &Method, path: &str) -> Option<&'static Dialect> {
    match path.rsplit('/').next() {
        _ if method != Method::POST => None,
        Some("messages") => Some(&messages::MESSAGES),
        Some("responses") => Some(&responses::RESPONSES),
        Some("completions") if path.ends_with("/chat/completions") => Some(&chat::CHAT_COMPLETIONS),
        Some(last) if last.ends_with(":streamGenerateContent") || last.ends_with(":generateContent") => {
            Some(&gemini::GENERATE_CONTENT)
        }
        _ => None,
    }
}

fn respond(dialect: &Dialect, path: &str, context: &ReplyContext<'_>) -> Response {
    if let Some(Failure::Status(status, kind)) = context.reply.failure {
        let error = json!({"type": "error", "error": {"type": kind, "message": kind}});
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return (status, json_response(&error)).into_response();
    }
    if !is_streamed(path, context.request) {
        return json_response(&(dialect.json_body)(context));
    }
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    let pace = Duration::from_millis(context.reply.pace_ms);
    let mut events = (dialect.events)(context);
    if context.reply.failure == Some(Failure::Broken) {
        events.truncate(BROKEN_AFTER);
    }
    let events = futures_util::stream::iter(events).then(move |event| async move {
        tokio::time::sleep(pace).await;
        Ok::<_, Infallible>(event)
    });
    (StatusCode::OK, headers, Body::from_stream(events)).into_response()
}

fn json_response(body: &Value) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
