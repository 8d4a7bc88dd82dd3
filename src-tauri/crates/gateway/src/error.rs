//! Error responses: a status, a code for programs, and a message that says how to fix the call.

use askdesk_domain::Rejection;
use askdesk_engine::EngineError;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::rate_limit::RateLimitError;

/// A request that is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpError {
    pub status: StatusCode,
    pub code: &'static str,
    /// The message for people and models.
    pub message: String,
}

impl HttpError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// The token is missing or wrong.
    pub fn unauthorized() -> Self {
        let message = "the header Authorization must hold \"Bearer\" and this desk's token; run `askdesk connect` to register \
                       the client again";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// The request comes from a web page or has another host name, or its token doesn't permit it.
    pub fn forbidden(message: &'static str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// The body isn't JSON, or doesn't have the expected form.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// A field's value is invalid.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message)
    }

    /// Askdesk is quitting or can't write to its database.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }
}

impl From<RateLimitError> for HttpError {
    fn from(error: RateLimitError) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", error.to_string())
    }
}

impl From<EngineError> for HttpError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Reject(reject) => reject.into(),
            EngineError::Journal(error) => {
                tracing::error!(%error, "a client's request could not be saved");
                Self::unavailable("the desk cannot write to its database")
            }
            EngineError::Closing => Self::unavailable("the desk is closing"),
        }
    }
}

impl From<Rejection> for HttpError {
    fn from(reject: Rejection) -> Self {
        let message = reject.to_string();
        match reject {
            Rejection::NotFound { .. } => Self::not_found(message),
            Rejection::AlreadyEnded { .. } | Rejection::SessionGone => {
                Self::new(StatusCode::CONFLICT, "already_ended", message)
            }
            Rejection::Invalid { .. } | Rejection::AgentRefused { .. } | Rejection::Unsupported { .. } => {
                Self::invalid(message)
            }
        }
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let body = Json(json!({"error": self.code, "message": self.message}));
        let mut response = (self.status, body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"askdesk\""));
        }
        response
    }
}
