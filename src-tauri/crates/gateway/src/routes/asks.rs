//! The API of `askdesk ask` and `askdesk mcp`: a question as JSON, answered with a stream of events, one JSON object a line.

use std::convert::Infallible;
use std::time::Instant;

use askdesk_domain::{Channel, InboundClient, Leave, RequestId};
use askdesk_mcp_tools::Tool;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::{StreamExt as _, stream};
use serde::Deserialize;
use serde_json::{Value, json};

use super::SharedState;
use crate::arguments::{self, Asking};
use crate::call::{Asker, Caller};
use crate::connections::Lifetime;
use crate::error::HttpError;
use crate::guard::{ManagedSession, parse_body};
use crate::response_tracking::ResponseTracker;

/// The longest name or connection id of a caller, in characters.
const MAX_NAME: usize = 128;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AskBody {
    client: ClientBody,
    tool: String,
    #[serde(default)]
    arguments: Value,
    again: Option<RequestId>,
}

#[derive(Debug, Deserialize)]
struct ClientBody {
    #[serde(flatten)]
    connection: Connection,
    name: String,
    version: Option<String>,
    folder: Option<String>,
}

/// A call of a connection that asks nothing. Only `/v1/collect` has arguments.
#[derive(Debug, Deserialize)]
struct ConnectionBody {
    client: Connection,
    #[serde(default)]
    arguments: Value,
}

/// A connection of a client. Its id is unique among clients of one kind.
#[derive(Debug, Deserialize)]
struct Connection {
    kind: Channel,
    connection: String,
}

impl Connection {
    fn key(&self) -> Result<String, HttpError> {
        Ok(format!("{} {}", self.kind.word(), checked("client.connection", &self.connection)?))
    }
}

/// Asks a question, and streams what happens to it.
pub async fn ask(
    State(state): State<SharedState>,
    Extension(tracker): Extension<ResponseTracker>,
    managed: Option<Extension<ManagedSession>>,
    body: Bytes,
) -> Result<Response, HttpError> {
    let AskBody { client, tool, arguments, again } = parse_body(&body).map_err(HttpError::bad_request)?;
    let name = checked("client.name", &client.name)?;
    let tool = Tool::named(&tool).filter(|tool| tool.asks());
    let tool = tool.ok_or_else(|| HttpError::invalid("tool: must be ask_user_question or ask_user"))?;
    let asking = read_arguments(tool, &arguments)?;
    let ClientBody { connection, version, folder, .. } = client;
    let (channel, connection) = (connection.kind, connection.key()?);
    let (limited_as, lifetime) = match channel {
        // Each run of a script is a connection of its own, so scripts are limited by name and folder.
        Channel::CommandLine => {
            let folder = folder.as_deref().unwrap_or_default();
            (format!("command line {name}\n{folder}"), Lifetime::Calls)
        }
        Channel::Mcp | Channel::TerminalHook => (connection.clone(), Lifetime::UntilClosed),
    };
    let caller = Caller {
        asker: Asker::of(managed.map(|Extension(session)| session), connection, lifetime),
        client: InboundClient { channel, name, version, folder },
        again,
        open_question: state.count_question(&limited_as)?,
        tool: tool.name_for(""),
    };
    stream_events(&state, caller, asking, tracker).await
}

/// Returns the answer to an earlier question, like the tool `collect_answer`.
pub async fn collect(
    State(state): State<SharedState>,
    Extension(tracker): Extension<ResponseTracker>,
    managed: Option<Extension<ManagedSession>>,
    body: Bytes,
) -> Result<Json<Value>, HttpError> {
    let body: ConnectionBody = parse_body(&body).map_err(HttpError::bad_request)?;
    state.rate_limits.call(&body.client.key()?, Instant::now())?;
    let result = state.collect(&body.arguments, managed.map(|Extension(session)| session), tracker).await?;
    Ok(Json(json!({"result": result.structured, "text": result.text})))
}

/// Closes a connection. One that isn't closed is noticed later.
pub async fn leave(State(state): State<SharedState>, body: Bytes) -> Result<Json<Value>, HttpError> {
    let body: ConnectionBody = parse_body(&body).map_err(HttpError::bad_request)?;
    state.connections.close(&body.client.key()?).await;
    Ok(Json(json!({"left": true})))
}

/// Asks a test question.
pub async fn test(
    State(state): State<SharedState>,
    Extension(tracker): Extension<ResponseTracker>,
) -> Result<Response, HttpError> {
    let question = json!({"questions": [{
        "question": "This is a test question from askdesk doctor. Do you see it?",
        "header": "Test",
        "type": "confirm",
    }]});
    let name = "askdesk doctor";
    let (channel, connection) = (Channel::CommandLine, name.to_owned());
    let caller = Caller {
        client: InboundClient { channel, name: name.to_owned(), version: None, folder: None },
        asker: Asker::App { connection, lifetime: Lifetime::Calls },
        again: None,
        open_question: state.count_question(name)?,
        tool: "test",
    };
    stream_events(&state, caller, read_arguments(Tool::AskUser, &question)?, tracker).await
}

fn read_arguments(tool: Tool, arguments: &Value) -> Result<Asking, HttpError> {
    arguments::read(tool, arguments).map_err(|refusal| HttpError::invalid(refusal.to_string()))
}

async fn stream_events(
    state: &SharedState,
    caller: Caller,
    asking: Asking,
    tracker: ResponseTracker,
) -> Result<Response, HttpError> {
    let call = state.ask(caller, asking).await?;
    let asked = json!({"event": "asked", "requestId": call.request});
    let mut ticks = tokio::time::interval(state.timeouts.progress);
    ticks.reset();
    let closing = state.closing.clone();
    // Dropping the stream drops the call in it, which leaves the request to the user.
    let rest = stream::unfold(Some((call, ticks)), move |waiting| {
        let (tracker, closing) = (tracker.clone(), closing.clone());
        async move {
            let (mut call, mut ticks) = waiting?;
            let outcome = tokio::select! {
                outcome = call.outcome() => outcome,
                _ = ticks.tick() => {
                    let event = json!({"event": "waiting", "seconds": call.elapsed().as_secs()});
                    return Some((event, Some((call, ticks))));
                }
                () = closing.cancelled() => None,
            };
            let Some(outcome) = outcome else {
                // The client sees a stream without an outcome, and asks again when Askdesk is back.
                call.leave(Leave::Gone).await;
                return None;
            };
            let result = call.finish(&outcome, tracker);
            Some((json!({"event": "ended", "result": result.structured, "text": result.text}), None))
        }
    });
    let lines = stream::iter([asked]).chain(rest).map(|event| Ok::<_, Infallible>(format!("{event}\n")));
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(lines)).into_response())
}

fn checked(field: &str, text: &str) -> Result<String, HttpError> {
    let text = text.trim();
    match (1..=MAX_NAME).contains(&text.chars().count()) {
        true => Ok(text.to_owned()),
        false => Err(HttpError::invalid(format!("{field}: must be a string of 1 to {MAX_NAME} characters"))),
    }
}
