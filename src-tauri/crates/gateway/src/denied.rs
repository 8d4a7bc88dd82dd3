//! How a request is turned down over HTTP: a status, a code to branch on, and words to repair the call from.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::pace::TooMuch;

/// A request that is turned down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    pub status: StatusCode,
    /// What a program branches on.
    pub code: &'static str,
    /// What a person or a model reads.
    pub message: String,
}

impl Denied {
    /// Turns a request down.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// The token is missing or wrong.
    pub fn unauthorized() -> Self {
        let message = "the header Authorization must hold \"Bearer\" and this desk's token; run `askdesk connect` to register \
                       the client again";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// The request comes from a page, or for another name than this machine's own.
    pub fn forbidden(message: &'static str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// Nothing is at this address, or not any more.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// The body is no JSON, or not of the form that is wanted.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// A field breaks a rule.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message)
    }

    /// The desk is closing, or cannot write.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }
}

impl From<TooMuch> for Denied {
    fn from(why: TooMuch) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", why.to_string())
    }
}

impl IntoResponse for Denied {
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
