//! Middleware of the MCP route: limits the rate of calls and the number of sessions, and gives errors the gateway's form.

use std::sync::Arc;
use std::time::Instant;

use askdesk_mcp_tools::Tool;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::Value;

use crate::error::{HttpError, rpc_error};
use crate::rate_limit::{OpenQuestion, RateLimitError};
use crate::state::GatewayState;

/// How many sessions there may be before idle ones are closed.
const SESSIONS: usize = 512;
/// How much of an error message of the MCP library is passed on.
const REFUSAL_BYTES: usize = 8 * 1024;
const SESSION_HEADER: &str = "mcp-session-id";
/// The code of a server's own error.
const TOO_MANY_REQUESTS: ErrorCode = ErrorCode(-32_000);
/// The rate limit that all clients share for opening sessions.
const NEWCOMERS: &str = "newcomers";

/// The sessions of the MCP server and their limits.
#[derive(Clone)]
pub struct SessionLimits {
    state: Arc<GatewayState>,
    sessions: Arc<LocalSessionManager>,
}

impl SessionLimits {
    pub const fn new(state: Arc<GatewayState>, sessions: Arc<LocalSessionManager>) -> Self {
        Self { state, sessions }
    }

    /// Closes idle sessions if there are too many. A client that is still there opens another one.
    async fn make_room(&self) {
        if self.sessions.sessions.read().await.len() < SESSIONS {
            return;
        }
        let known: Vec<_> = self.sessions.sessions.read().await.keys().cloned().collect();
        for id in known {
            if self.state.rate_limits.is_idle(&session_key(&id), Instant::now())
                && let Err(error) = self.sessions.close_session(&id).await
            {
                tracing::debug!(%error, "an idle session was not closed");
            }
        }
    }
}

fn session_key(id: &str) -> String {
    format!("session {id}")
}

/// Counts a client's call before it is handled.
pub async fn limit_rate(State(limits): State<SessionLimits>, mut request: Request, next: Next) -> Response {
    let message = request.extensions_mut().remove::<Arc<Value>>().unwrap_or_default();
    if message.get("method").is_some_and(|method| method == "initialize") {
        limits.make_room().await;
    }
    match count(&limits.state, request.headers(), &message) {
        Ok(Some(open_question)) => {
            request.extensions_mut().insert(Arc::new(open_question));
        }
        Ok(None) => {}
        Err(too_much) => return refused(&message, &too_much),
    }
    next.run(request).await
}

fn count(
    state: &GatewayState,
    headers: &HeaderMap,
    message: &Value,
) -> Result<Option<OpenQuestion>, RateLimitError> {
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    let session = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let client = match session {
        Some(session) => session_key(session),
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
            state.rate_limits.call(&client, Instant::now())?;
            let asks = tool.is_some_and(Tool::asks);
            asks.then(|| state.rate_limits.open(&client)).transpose()
        }
        "initialize" => state.rate_limits.call(NEWCOMERS, Instant::now()).map(|()| None),
        _ if session.is_some() && !method.is_empty() => {
            state.rate_limits.call(&client, Instant::now()).map(|()| None)
        }
        _ => Ok(None),
    }
}

/// MCP clients show their model the message of an error in this form. A notification has no id, and gets no such error.
fn refused(message: &Value, why: &RateLimitError) -> Response {
    match message.get("id") {
        Some(id) => rpc_error(StatusCode::TOO_MANY_REQUESTS, Some(id), TOO_MANY_REQUESTS, &why.to_string()),
        None => HttpError::new(StatusCode::TOO_MANY_REQUESTS, why.to_string()).into_response(),
    }
}

/// Gives errors of the MCP library the form and the codes of the gateway's other errors.
pub async fn unify_errors(request: Request, next: Next) -> Response {
    let message = request.extensions().get::<Arc<Value>>().cloned();
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
        // The content type was checked already, so the library means the body.
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let id = message.as_ref().and_then(|message| message.get("id"));
            let words = "the body isn't a JSON-RPC message";
            rpc_error(StatusCode::BAD_REQUEST, id, ErrorCode::INVALID_REQUEST, words)
        }
        status => HttpError::new(status, text).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn idle_sessions_are_closed_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let state = GatewayState::for_test(folder.path());
        let sessions = Arc::new(LocalSessionManager::default());
        let mut ids = Vec::new();
        for _ in 0..SESSIONS {
            ids.push(sessions.create_session().await.unwrap());
        }
        let busy = session_key(&ids[0].0);
        let open = state.rate_limits.open(&busy).unwrap();
        let limits = SessionLimits::new(state, Arc::clone(&sessions));
        limits.make_room().await;
        let left: Vec<_> = sessions.sessions.read().await.keys().cloned().collect();
        assert_eq!(left, [ids[0].0.clone()], "the one that waits for an answer stays");
        drop(open);
    }
}
