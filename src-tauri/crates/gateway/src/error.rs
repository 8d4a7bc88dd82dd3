//! Error responses: a status, a code for programs, and a message that says how to fix the call.

use askdesk_domain::Rejection;
use askdesk_engine::EngineError;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

use crate::rate_limit::RateLimitError;

/// A request that is rejected. Its status decides its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpError {
    pub status: StatusCode,
    /// The message for people and models.
    pub message: String,
}

impl HttpError {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// The body isn't JSON, or doesn't have the expected form.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// A field's value is invalid.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// Askdesk is quitting or can't write to its database.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }
}

/// Makes a JSON-RPC error, which MCP clients understand. The id is null if the message has none that can be read.
pub fn rpc_error(status: StatusCode, id: Option<&Value>, code: ErrorCode, message: &str) -> Response {
    let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(&Value::Null);
    let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}});
    (status, Json(body)).into_response()
}

/// Returns the code of an error status, for programs.
pub const fn code_of(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "bad_request",
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not_found",
        405 => "method_not_allowed",
        406 => "not_acceptable",
        408 => "too_slow",
        409 => "already_ended",
        413 => "too_large",
        415 => "unsupported_media_type",
        422 => "invalid",
        429 => "too_many_requests",
        503 => "unavailable",
        500.. => "internal",
        _ => "other",
    }
}

impl From<RateLimitError> for HttpError {
    fn from(error: RateLimitError) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, error.to_string())
    }
}

impl From<EngineError> for HttpError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Reject(reject) => reject.into(),
            EngineError::Journal(error) => {
                tracing::error!(%error, "a client's request could not be saved");
                Self::unavailable(format!("Askdesk couldn't save this: {error}"))
            }
            EngineError::Unread(error) => {
                tracing::error!(%error, "what a client asked for could not be read");
                Self::unavailable(format!("Askdesk couldn't read this: {error}"))
            }
            EngineError::Closing => Self::unavailable("Askdesk is quitting"),
        }
    }
}

impl From<Rejection> for HttpError {
    fn from(reject: Rejection) -> Self {
        let status = match reject {
            Rejection::NotFound { .. } => StatusCode::NOT_FOUND,
            Rejection::AlreadyEnded { .. } | Rejection::SessionGone => StatusCode::CONFLICT,
            Rejection::Invalid { .. } | Rejection::AgentRefused { .. } | Rejection::Unsupported { .. } => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        };
        Self::new(status, reject.to_string())
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let body = Json(json!({"error": code_of(self.status), "message": self.message}));
        let mut response = (self.status, body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"askdesk\""));
        }
        response
    }
}
