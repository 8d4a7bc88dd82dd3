//! What stands before the door for MCP: calls are counted, sessions bounded, and refusals have the form of all others.

use std::sync::Arc;
use std::time::Instant;

use askdesk_mcp_tools::Tool;
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header, request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Value, json};

use crate::denied::Denied;
use crate::desk::Desk;
use crate::pace::{Counted, TooMuch};

/// How many sessions are kept before those at rest are closed.
const SESSIONS: usize = 512;
/// How much of a refusal of the library is passed on.
const REFUSAL_BYTES: usize = 8 * 1024;
const SESSION_HEADER: &str = "mcp-session-id";
/// The bucket of clients that open sessions.
const NEWCOMERS: &str = "newcomers";

/// The door's sessions with what is counted of them.
#[derive(Clone)]
pub struct Counting {
    desk: Arc<Desk>,
    sessions: Arc<LocalSessionManager>,
}

impl Counting {
    /// Counts for the sessions of one door.
    pub const fn new(desk: Arc<Desk>, sessions: Arc<LocalSessionManager>) -> Self {
        Self { desk, sessions }
    }

    /// Makes room for a new session: those are closed that have nothing open and were not heard of for a while. Their clients,
    /// should they still be there, open another one.
    async fn make_room(&self) {
        if self.sessions.sessions.read().await.len() < SESSIONS {
            return;
        }
        let known: Vec<_> = self.sessions.sessions.read().await.keys().cloned().collect();
        for id in known {
            if self.desk.pace.is_idle(&of_session(&id), Instant::now())
                && let Err(error) = self.sessions.close_session(&id).await
            {
                tracing::debug!(%error, "an idle session was not closed");
            }
        }
    }
}

fn of_session(id: &str) -> String {
    format!("session {id}")
}

/// Counts what a client calls, before anything is done for it.
pub async fn paced(State(counting): State<Counting>, request: Request, next: Next) -> Response {
    let desk = &counting.desk;
    let (mut parts, body) = request.into_parts();
    // The guard has it in memory already.
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Denied::bad_request("the body could not be read").into_response();
    };
    let message = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    if message.get("method").is_some_and(|method| method == "initialize") {
        counting.make_room().await;
    }
    match count(desk, &parts, &message) {
        Ok(Some(counted)) => {
            parts.extensions.insert(Arc::new(counted));
        }
        Ok(None) => {}
        Err(too_much) => return in_rpc(&message, &too_much),
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

fn count(desk: &Desk, parts: &request::Parts, message: &Value) -> Result<Option<Counted>, TooMuch> {
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    let session = parts.headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let client = match session {
        Some(session) => of_session(session),
        None => {
            let about = message.pointer("/params/_meta/io.modelcontextprotocol~1clientInfo");
            let text = |name: &str| {
                about.and_then(|about| about.get(name)).and_then(Value::as_str).unwrap_or_default()
            };
            format!("client {} {}", text("name"), text("version"))
        }
    };
    let tool = message.pointer("/params/name").and_then(Value::as_str).and_then(Tool::named);
    match method {
        "tools/call" => {
            desk.pace.call(&client, Instant::now())?;
            let asks = tool.is_some_and(Tool::asks);
            asks.then(|| desk.pace.open(&client)).transpose()
        }
        "initialize" => desk.pace.call(NEWCOMERS, Instant::now()).map(|()| None),
        _ if session.is_some() && !method.is_empty() => {
            desk.pace.call(&client, Instant::now()).map(|()| None)
        }
        _ => Ok(None),
    }
}

/// A client of this protocol shows its model the message of an error in this form.
fn in_rpc(message: &Value, why: &TooMuch) -> Response {
    let error = json!({"code": -32_000, "message": why.to_string()});
    let body = match message.get("id") {
        Some(id) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        None => json!({"error": "too_many_requests", "message": why.to_string()}),
    };
    (StatusCode::TOO_MANY_REQUESTS, Json(body)).into_response()
}

/// Gives the library's own refusals the form and the codes that all others have here.
pub async fn in_json(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let (status, headers) = (response.status(), response.headers());
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let text = match response.into_body().collect().await.map(http_body_util::Collected::to_bytes) {
        Ok(bytes) => String::from_utf8_lossy(&bytes[..bytes.len().min(REFUSAL_BYTES)]).into_owned(),
        Err(_) => String::new(),
    };
    match status {
        // The type was looked at before: what it cannot make anything of is the body.
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Denied::bad_request("the body is no JSON-RPC message"),
        StatusCode::NOT_FOUND => Denied::not_found(text),
        StatusCode::METHOD_NOT_ALLOWED => Denied::new(status, "method_not_allowed", text),
        StatusCode::NOT_ACCEPTABLE => Denied::new(status, "not_acceptable", text),
        status if status.is_server_error() => Denied::new(status, "internal", text),
        status => Denied::new(status, "bad_request", text),
    }
    .into_response()
}

#[cfg(test)]
mod tests {
    use askdesk_engine::clock::SystemClock;
    use askdesk_engine::{Catalog, EngineHandle, OpenedEngine};

    use super::*;
    use crate::server::Times;
    use crate::token::Secrets;

    #[tokio::test]
    async fn sessions_at_rest_make_room_for_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let OpenedEngine { handle, .. } =
            EngineHandle::open(folder.path(), Arc::new(SystemClock), Catalog::default()).unwrap();
        let secrets = Secrets::of(folder.path()).unwrap();
        let desk = Desk::new(handle, secrets, "0.1.0".to_owned(), 1, Times::default());
        let sessions = Arc::new(LocalSessionManager::default());
        let mut ids = Vec::new();
        for _ in 0..SESSIONS {
            ids.push(sessions.create_session().await.unwrap());
        }
        let busy = of_session(&ids[0].0);
        let open = desk.pace.open(&busy).unwrap();
        let counting = Counting::new(desk, Arc::clone(&sessions));
        counting.make_room().await;
        let left: Vec<_> = sessions.sessions.read().await.keys().cloned().collect();
        assert_eq!(left, [ids[0].0.clone()], "the one that waits for an answer stays");
        drop(open);
    }
}
