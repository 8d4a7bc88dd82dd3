//! An MCP server over HTTP whose tools ask the user: `form` shows a form, `page` wants a page opened.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// The id of the server's own request, and of the page.
const ELICITATION: &str = "elicitation-1";
/// The page that the tool `page` wants opened.
pub const PAGE: &str = "https://example.org/sign-in";

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct ElicitingServer {
    /// Its address for a client.
    pub url: String,
    shared: Arc<Mutex<Served>>,
    server: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Served {
    /// The call that waits for the user, with the stream of its events.
    waiting: Option<(Value, String, UnboundedSender<Value>)>,
    replies: Vec<Value>,
}

type Shared = Arc<Mutex<Served>>;

impl ElicitingServer {
    /// Starts the server on a free port of the loopback interface.
    pub async fn start() -> std::io::Result<Self> {
        let shared = Shared::default();
        let app = Router::new().route("/mcp", post(serve)).with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}/mcp", listener.local_addr()?);
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("eliciting MCP server: it ended ({error})");
            }
        });
        Ok(Self { url, shared, server })
    }

    /// Returns how its elicitations ended so far, as the client said it.
    pub fn replies(&self) -> Vec<Value> {
        lock(&self.shared).replies.clone()
    }
}

impl Drop for ElicitingServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Served> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(State(shared): State<Shared>, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let id = &message["id"];
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "eliciting", "version": "1"},
        }),
        Some("tools/list") => {
            let tool = |name| json!({"name": name, "description": name, "inputSchema": {"type": "object"}});
            json!({"tools": [tool("form"), tool("page")]})
        }
        Some("tools/call") => {
            return call(&shared, id, message["params"]["name"].as_str().unwrap_or_default());
        }
        Some(_) if id.is_null() => return StatusCode::ACCEPTED.into_response(),
        Some(_) => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return json_response(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
        None => {
            take_reply(&shared, &message);
            return StatusCode::ACCEPTED.into_response();
        }
    };
    json_response(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn json_response(body: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// Begins a call: its stream carries the elicitation, and ends with the result.
fn call(shared: &Shared, id: &Value, tool: &str) -> Response {
    let params = if tool == "page" {
        json!({"mode": "url", "message": "Sign in", "url": PAGE, "elicitationId": ELICITATION})
    } else {
        let properties = json!({
            "auth": {"type": "string", "title": "Which method?", "enum": ["jwt", "sessions"]},
            "count": {"type": "integer", "title": "How many?", "minimum": 2, "maximum": 9, "default": 4},
        });
        let schema = json!({"type": "object", "properties": properties, "required": ["auth", "count"]});
        json!({"mode": "form", "message": "Please choose", "requestedSchema": schema})
    };
    let (events, stream) = unbounded_channel();
    let asked =
        json!({"jsonrpc": "2.0", "id": ELICITATION, "method": "elicitation/create", "params": params});
    // The receiver is right here.
    let _ = events.send(asked);
    lock(shared).waiting = Some((id.clone(), tool.to_owned(), events));
    let next = |mut stream: UnboundedReceiver<Value>| async move {
        let event = stream.recv().await?;
        Some((Ok::<_, Infallible>(format!("event: message\ndata: {event}\n\n")), stream))
    };
    let body = Body::from_stream(futures_util::stream::unfold(stream, next));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Takes the client's reply to the elicitation and ends the call with it.
fn take_reply(shared: &Shared, message: &Value) {
    let mut served = lock(shared);
    if message["id"] != ELICITATION {
        return;
    }
    served.replies.push(message["result"].clone());
    let Some((id, tool, events)) = served.waiting.take() else { return };
    if tool == "page" {
        let params = json!({"elicitationId": ELICITATION});
        // A client that has left needs nothing more.
        let _ = events.send(
            json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params}),
        );
    }
    let content = json!([{"type": "text", "text": format!("The user's reply: {}", message["result"])}]);
    let _ = events.send(json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}}));
}
