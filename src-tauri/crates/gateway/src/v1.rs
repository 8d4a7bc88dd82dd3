//! The door for the command line and the stdio twin: a question as JSON, and a line for each thing that comes of it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use askdesk_domain::{Channel, InboundClient, RequestId};
use askdesk_mcp_tools::Tool;
use axum::Extension;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Interval;

use crate::arguments::{self, Asking};
use crate::call::{Caller, Waiting, read_body};
use crate::connections::Stays;
use crate::denied::Denied;
use crate::desk::Desk;
use crate::handover::Handover;

/// How long the names a caller gives itself may be.
const NAME_CHARS: usize = 128;

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
    kind: Channel,
    name: String,
    version: Option<String>,
    folder: Option<String>,
    connection: String,
}

/// How long a client's connection stays.
const fn stays(channel: Channel) -> Stays {
    match channel {
        Channel::CommandLine => Stays::WhileItCalls,
        Channel::Mcp | Channel::TerminalHook => Stays::UntilItGoes,
    }
}

#[derive(Debug, Deserialize)]
struct CollectBody {
    client: Connection,
    #[serde(default)]
    arguments: Value,
}

#[derive(Debug, Deserialize)]
struct LeaveBody {
    client: Connection,
}

/// Which connection of which kind of client.
#[derive(Debug, Deserialize)]
struct Connection {
    kind: Channel,
    connection: String,
}

impl Connection {
    /// What it is known by at the desk.
    fn key(&self) -> Result<String, Denied> {
        Ok(format!("{} {}", self.kind.word(), named("client.connection", &self.connection)?))
    }
}

/// Asks for a caller, and tells it line by line what comes of it.
pub async fn ask(
    State(desk): State<Arc<Desk>>,
    Extension(handover): Extension<Handover>,
    body: Bytes,
) -> Result<Response, Denied> {
    let body: AskBody = form(&body)?;
    let name = named("client.name", &body.client.name)?;
    let tool = Tool::named(&body.tool).filter(|tool| tool.asks());
    let tool = tool.ok_or_else(|| Denied::invalid("tool: must be ask_user_question or ask_user"))?;
    let asking =
        arguments::read(tool, &body.arguments).map_err(|refusal| Denied::invalid(refusal.to_string()))?;
    let ClientBody { kind, version, folder, connection, .. } = body.client;
    let connection = Connection { kind, connection }.key()?;
    let client = match kind {
        // Each run of a script is a connection of its own.
        Channel::CommandLine => format!("command line {name}\n{}", folder.as_deref().unwrap_or_default()),
        Channel::Mcp | Channel::TerminalHook => connection.clone(),
    };
    desk.pace.call(&client, Instant::now())?;
    let counted = Arc::new(desk.pace.open(&client)?);
    let caller = Caller {
        connection,
        stays: stays(kind),
        visitor: InboundClient { channel: kind, name, version, folder },
        again: body.again,
        counted,
        tool: tool.name_for(""),
    };
    lines(&desk, caller, asking, handover).await
}

/// Hands over the answer to an earlier question, as the tool of that name does.
pub async fn collect(
    State(desk): State<Arc<Desk>>,
    Extension(handover): Extension<Handover>,
    body: Bytes,
) -> Result<Json<Value>, Denied> {
    let body: CollectBody = form(&body)?;
    desk.pace.call(&body.client.key()?, Instant::now())?;
    let result = desk.collect(&body.arguments, Some(handover)).await?;
    Ok(Json(json!({"result": result.structured, "text": result.text})))
}

/// A connection is over, and says so; of one that just goes it is found out later.
pub async fn leave(State(desk): State<Arc<Desk>>, body: Bytes) -> Result<Json<Value>, Denied> {
    let body: LeaveBody = form(&body)?;
    desk.connections.close(&body.client.key()?).await;
    Ok(Json(json!({"left": true})))
}

/// Asks a question that shows whether questions arrive.
pub async fn test(
    State(desk): State<Arc<Desk>>,
    Extension(handover): Extension<Handover>,
) -> Result<Response, Denied> {
    let asked = json!({"questions": [{
        "question": "This is a test question of askdesk doctor. Does it reach you?",
        "header": "Test",
        "type": "confirm",
    }]});
    let asking =
        arguments::read(Tool::AskUser, &asked).map_err(|refusal| Denied::invalid(refusal.to_string()))?;
    let client = "askdesk doctor";
    desk.pace.call(client, Instant::now())?;
    let counted = Arc::new(desk.pace.open(client)?);
    let caller = Caller {
        connection: client.to_owned(),
        stays: Stays::WhileItCalls,
        visitor: InboundClient {
            channel: Channel::CommandLine,
            name: client.to_owned(),
            version: None,
            folder: None,
        },
        again: None,
        counted,
        tool: "test",
    };
    lines(&desk, caller, asking, handover).await
}

async fn lines(
    desk: &Arc<Desk>,
    caller: Caller,
    asking: Asking,
    handover: Handover,
) -> Result<Response, Denied> {
    let waiting = desk.ask(caller, asking).await?;
    let mut ticks = tokio::time::interval(desk.times.progress);
    ticks.reset();
    let telling = Telling { desk: Arc::clone(desk), handover, ticks, next: Next::Asked(waiting) };
    // Whoever drops the stream drops what waits in it, and with that leaves the question.
    let lines = stream::unfold(telling, |mut telling| async move {
        telling.line().await.map(|line| (Ok::<_, Infallible>(line), telling))
    });
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(lines)).into_response())
}

/// What is told of one question.
struct Telling {
    desk: Arc<Desk>,
    handover: Handover,
    ticks: Interval,
    next: Next,
}

enum Next {
    Asked(Waiting),
    Waits(Waiting),
    Over,
}

impl Telling {
    async fn line(&mut self) -> Option<Bytes> {
        match std::mem::replace(&mut self.next, Next::Over) {
            Next::Asked(waiting) => {
                let asked = json!({"event": "asked", "requestId": waiting.request});
                self.next = Next::Waits(waiting);
                Some(line(&asked))
            }
            Next::Waits(mut waiting) => {
                let ended = tokio::select! {
                    outcome = waiting.end() => outcome,
                    _ = self.ticks.tick() => {
                        let waits = json!({"event": "waiting", "seconds": waiting.waited().as_secs()});
                        self.next = Next::Waits(waiting);
                        return Some(line(&waits));
                    }
                    () = self.desk.closing.cancelled() => None,
                };
                let Some(outcome) = ended else {
                    // A stream that breaks off without an end is taken up again at the next desk.
                    waiting.leave().await;
                    return None;
                };
                let result = waiting.result(&outcome);
                self.handover.ends_with_piece_that_holds(waiting.request.to_string());
                waiting.told(&outcome, Some(self.handover.clone()));
                Some(line(&json!({"event": "ended", "result": result.structured, "text": result.text})))
            }
            Next::Over => None,
        }
    }
}

fn form<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Denied> {
    serde_json::from_value(read_body(body)?).map_err(|error| Denied::bad_request(error.to_string()))
}

fn line(value: &Value) -> Bytes {
    format!("{value}\n").into()
}

fn named(field: &str, text: &str) -> Result<String, Denied> {
    let text = text.trim();
    match (1..=NAME_CHARS).contains(&text.chars().count()) {
        true => Ok(text.to_owned()),
        false => Err(Denied::invalid(format!("{field}: must be a text of 1 to {NAME_CHARS} characters"))),
    }
}
