//! The routes. A route is in the router of the permission that it needs. A path or method in neither router is rejected, so a
//! route that somebody forgets to list can't be reached.

mod asks;
mod claude_hook;
mod mcp;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::{Agent, found_version};
use askdesk_engine::slow_files::on_slow_files;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::access_tokens::Permission;
use crate::error::HttpError;
use crate::metrics::Metrics;
use crate::state::GatewayState;
use crate::{guard, response_tracking};

/// How long the search for one agent's program may take.
const SEARCH_LIMIT: Duration = Duration::from_secs(3);

type SharedState = Arc<GatewayState>;

/// Builds the router of the gateway.
pub fn router(state: &SharedState) -> Router {
    let asking = Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/hooks/claude", post(claude_hook::ask))
        .route("/v1/asks", post(asks::ask))
        .route("/v1/collect", post(asks::collect))
        .route("/v1/leave", post(asks::leave))
        .route("/v1/test", post(asks::test))
        .route("/v1/clients", get(clients))
        .route("/v1/agents", get(agents))
        .merge(mcp::router(state));
    let answering = Router::new()
        .route("/v1/token/rotate", post(rotate_tokens))
        .route("/v1/requests", get(requests::list))
        .route("/v1/requests/{id}", get(requests::find))
        .route("/v1/requests/{id}/answer", post(requests::answer))
        .route("/v1/requests/{id}/decline", post(requests::decline));
    permitted(state, Permission::Ask, asking)
        .merge(permitted(state, Permission::Answer, answering))
        .fallback(unknown_path)
        .layer(from_fn_with_state(Arc::clone(state), guard::authenticate))
        .layer(from_fn_with_state(Arc::clone(state), response_tracking::track))
        .with_state(Arc::clone(state))
}

/// Lets only requests with a permission through to routes.
fn permitted(
    state: &SharedState,
    permission: Permission,
    routes: Router<SharedState>,
) -> Router<SharedState> {
    routes
        .method_not_allowed_fallback(unknown_method)
        .route_layer(from_fn_with_state(Arc::clone(state), guard::read_body))
        .route_layer(from_fn(move |request, next| guard::authorize(permission, request, next)))
}

async fn health(State(state): State<SharedState>) -> Result<Json<Value>, HttpError> {
    let open = state.open_requests().await?;
    let environment = askdesk_user_environment::current().origin;
    Ok(Json(json!({"status": "ok", "version": state.version, "open": open, "environment": environment})))
}

async fn metrics(State(state): State<SharedState>) -> Result<impl IntoResponse, HttpError> {
    let open = state.open_requests().await?;
    let kind = (header::CONTENT_TYPE, Metrics::CONTENT_TYPE);
    Ok(([kind], state.metrics.text(open)))
}

/// Lists the clients that have asked, by their own names, with the time of their last question.
async fn clients(State(state): State<SharedState>) -> Result<Json<Value>, HttpError> {
    let clients = state.engine.inspect(askdesk_domain::Desk::last_asked).await?;
    Ok(Json(json!({"clients": clients})))
}

/// Lists the installed agents with their versions, and how these fit. It runs their programs.
async fn agents(State(state): State<SharedState>) -> Json<Value> {
    let reading: Vec<_> =
        state.engine.agents().iter().map(|agent| tokio::spawn(installed(Arc::clone(agent)))).collect();
    let mut agents = Vec::new();
    for read in reading {
        agents.extend(read.await.ok().flatten());
    }
    Json(json!({"agents": agents}))
}

async fn installed(agent: Arc<dyn Agent>) -> Option<Value> {
    let searched = Arc::clone(&agent);
    let program = on_slow_files(SEARCH_LIMIT, move || searched.find(None)).await?.ok()??;
    let found = found_version(&*agent, &program).await;
    let descriptor = agent.descriptor();
    Some(json!({
        "agent": descriptor.id, "name": descriptor.name, "version": found.version, "fit": found.fit,
    }))
}

async fn rotate_tokens(State(state): State<SharedState>) -> Result<Json<Value>, HttpError> {
    // Writing a file can take a moment, and this thread serves other requests.
    let rotated = tokio::task::spawn_blocking(move || state.tokens.rotate()).await;
    match rotated {
        Ok(Ok(())) => Ok(Json(json!({"rotated": true}))),
        Ok(Err(error)) => Err(HttpError::unavailable(format!("can't use the token file: {error}"))),
        Err(_) => Err(HttpError::unavailable("couldn't create new tokens")),
    }
}

async fn unknown_path() -> HttpError {
    HttpError::new(StatusCode::NOT_FOUND, "there is nothing at this path")
}

async fn unknown_method() -> HttpError {
    HttpError::new(StatusCode::METHOD_NOT_ALLOWED, "this path doesn't support this method")
}
