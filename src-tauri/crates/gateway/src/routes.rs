use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::denied::Denied;
use crate::desk::Desk;
use crate::{guard, handover, hook_door, mcp_door, mcp_front, requests, v1};

/// Puts all doors behind the guard.
pub fn all(desk: &Arc<Desk>, streams: &CancellationToken) -> Router {
    let (service, counting) = mcp_door::service(desk, streams);
    let mcp = Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(counting, mcp_front::paced))
        .layer(middleware::from_fn(mcp_front::in_json));
    let rest = Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/hooks/claude", post(hook_door::ask))
        .route("/v1/asks", post(v1::ask))
        .route("/v1/collect", post(v1::collect))
        .route("/v1/leave", post(v1::leave))
        .route("/v1/test", post(v1::test))
        .route("/v1/clients", get(clients))
        .route("/v1/token/rotate", post(rotate))
        .route("/v1/requests", get(requests::list))
        .route("/v1/requests/{id}/answer", post(requests::answer))
        .route("/v1/requests/{id}/decline", post(requests::decline))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_so);
    rest.merge(mcp)
        .layer(middleware::from_fn_with_state(Arc::clone(desk), guard::guard))
        .layer(middleware::from_fn_with_state(Arc::clone(desk), handover::watched))
        .with_state(Arc::clone(desk))
}

async fn health(State(desk): State<Arc<Desk>>) -> Result<Json<Value>, Denied> {
    let open = desk.open().await?;
    Ok(Json(json!({"status": "ok", "version": desk.version(), "open": open})))
}

async fn metrics(State(desk): State<Arc<Desk>>) -> Result<impl IntoResponse, Denied> {
    let open = desk.open().await?;
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    Ok(([kind], desk.metrics().text(open)))
}

/// Says when each client asked last, in the words it has for itself.
async fn clients(State(desk): State<Arc<Desk>>) -> Result<Json<Value>, Denied> {
    let clients = desk.engine.inspect(askdesk_domain::Desk::last_asked).await?;
    Ok(Json(json!({"clients": clients})))
}

async fn rotate(State(desk): State<Arc<Desk>>) -> Result<Json<Value>, Denied> {
    // Writing a file may take a moment, and others are served on this thread.
    let rotated = tokio::task::spawn_blocking(move || desk.secrets().rotate()).await;
    match rotated {
        Ok(Ok(())) => Ok(Json(json!({"rotated": true}))),
        Ok(Err(error)) => Err(Denied::unavailable(error.to_string())),
        Err(_) => Err(Denied::unavailable("no other token could be drawn")),
    }
}

async fn nothing_here() -> Denied {
    Denied::not_found("nothing is at this address")
}

async fn not_so() -> Denied {
    let message = "this address does not take this method";
    Denied::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
