//! A login server of Codex: a program shows a code, and gets its tokens once somebody has entered the code here (measured with
//! 0.169.0).

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// The token with which a signed-in program asks for a model: of nobody, unsigned, and valid until 2100.
pub const TOKEN: &str = "eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFkYUBleGFtcGxlLm9yZyIsImV4cCI6NDEwMjQ0NDgwMCwiaHR0cHM6Ly\
    9hcGkub3BlbmFpLmNvbS9hdXRoIjp7ImNoYXRncHRfcGxhbl90eXBlIjoicHJvIiwiY2hhdGdwdF91c2VyX2lkIjoi\
    dSIsImNoYXRncHRfYWNjb3VudF9pZCI6ImEifX0.c2ln";
/// The code that the program shows.
pub const CODE: &str = "ABCD-12345";

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct LoginServer {
    /// Its address, without a path.
    pub url: String,
    is_entered: Arc<AtomicBool>,
    server: JoinHandle<()>,
}

impl LoginServer {
    /// Starts the server on a free port of the loopback interface.
    pub async fn start() -> std::io::Result<Self> {
        let is_entered = Arc::<AtomicBool>::default();
        let app = Router::new()
            .route("/api/accounts/deviceauth/usercode", post(show_code))
            .route("/api/accounts/deviceauth/token", post(wait_for_code))
            .route("/oauth/token", post(give_tokens))
            .with_state(Arc::clone(&is_entered));
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("login server: it ended ({error})");
            }
        });
        Ok(Self { url, is_entered, server })
    }

    /// Enters the code, as a person does in a browser.
    pub fn enter_code(&self) {
        self.is_entered.store(true, Ordering::Relaxed);
    }
}

impl Drop for LoginServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn show_code() -> Response {
    // The seconds between two questions are a text.
    json_response(&json!({"device_auth_id": "device", "user_code": CODE, "interval": "1"}))
}

async fn wait_for_code(State(is_entered): State<Arc<AtomicBool>>) -> Response {
    if !is_entered.load(Ordering::Relaxed) {
        return StatusCode::FORBIDDEN.into_response();
    }
    json_response(
        &json!({"authorization_code": "code", "code_challenge": "challenge", "code_verifier": "verifier"}),
    )
}

async fn give_tokens() -> Response {
    json_response(&json!({"id_token": TOKEN, "access_token": TOKEN, "refresh_token": "refresh"}))
}

fn json_response(body: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
