//! The door for MCP clients: streamable HTTP, with the sessions that most clients speak and without (2026-07-28).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askdesk_domain::{AgentKind, Leave, Source, Visitor};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header, request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig,
    Tool as McpTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::arguments;
use crate::call::{Caller, Waiting, waiting_words};
use crate::denied::Denied;
use crate::desk::Desk;
use crate::guard::BODY_BYTES;
use crate::handover::Handover;
use crate::pace::{Counted, TooMuch};
use crate::result::{self, CallResult};
use crate::roots;
use crate::tools::Tool;

/// How long a session without a sign of its client is kept; a question may wait for a day in it.
const SESSION_KEPT: Duration = Duration::from_secs(48 * 60 * 60);
/// How much of a refusal of the library is passed on.
const REFUSAL_BYTES: usize = 8 * 1024;
/// The header that names a session.
const SESSION_HEADER: &str = "mcp-session-id";
/// The bucket of clients that open sessions.
const NEWCOMERS: &str = "newcomers";

/// Builds the door.
pub fn service(
    desk: &Arc<Desk>,
    streams: &CancellationToken,
) -> StreamableHttpService<McpDoor, LocalSessionManager> {
    let own = |name: &str| format!("http://{name}:{}", desk.port());
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(["127.0.0.1", "localhost", "::1"])
        .with_allowed_origins([own("127.0.0.1"), own("localhost"), own("[::1]")])
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(streams.clone());
    // A stream that breaks off is a caller that left; it comes back by asking the same again.
    config.sse_retry = None;
    let mut sessions = LocalSessionManager::default();
    let mut kept = SessionConfig::default();
    kept.keep_alive = Some(SESSION_KEPT);
    kept.sse_retry = None;
    sessions.session_config = kept;
    let desk = Arc::clone(desk);
    StreamableHttpService::new(move || Ok(McpDoor::new(Arc::clone(&desk))), Arc::new(sessions), config)
}

/// Counts what a client calls, before anything is done for it.
pub async fn paced(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    // The guard has it in memory already.
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Denied::bad_request("the body could not be read").into_response();
    };
    let message = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    match count(&desk, &parts, &message) {
        Ok(Some(counted)) => {
            parts.extensions.insert(Arc::new(counted));
        }
        Ok(None) => {}
        Err(too_much) => {
            desk.metrics().refused("too_many_requests");
            return in_rpc(&message, &too_much);
        }
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

fn count(desk: &Desk, parts: &request::Parts, message: &Value) -> Result<Option<Counted>, TooMuch> {
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    let session = parts.headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let client = match session {
        Some(session) => format!("session {session}"),
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

/// One session of a client, or one call of a client without sessions.
pub struct McpDoor {
    desk: Arc<Desk>,
    /// Names the connection of a client with sessions.
    id: Uuid,
    folder: OnceCell<Option<String>>,
}

/// Who calls, as far as it says.
struct Client {
    name: String,
    version: Option<String>,
    has_roots: bool,
    /// Whether it calls without a session.
    alone: bool,
}

impl McpDoor {
    fn new(desk: Arc<Desk>) -> Self {
        Self { desk, id: Uuid::new_v4(), folder: OnceCell::new() }
    }

    async fn ask(
        &self,
        tool: Tool,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = client(context);
        let arguments = params.arguments.map(Value::Object).unwrap_or_else(|| json!({}));
        let asking = match arguments::read(tool, &arguments) {
            Ok(asking) => asking,
            Err(refusal) => {
                self.desk.metrics().called(tool.name_for(&client.name), "refused");
                return Ok(failed(&result::refused(&refusal)));
            }
        };
        let folder = if !client.alone {
            self.folder
                .get_or_init(|| roots::asked(context, client.has_roots, self.desk.times.roots))
                .await
                .clone()
        } else if let Some(given) = &params.input_responses {
            given.get(roots::KEY).and_then(roots::of_response)
        } else if client.has_roots && params.request_state.is_none() {
            return Ok(roots::first_of_all().into());
        } else {
            None
        };
        let parts = context.extensions.get::<request::Parts>();
        let counted = parts.and_then(|parts| parts.extensions.get::<Arc<Counted>>()).cloned();
        let Some(counted) = counted else {
            return Err(ErrorData::internal_error("the call was not counted", None));
        };
        let connection = match client.alone {
            true => {
                let (version, folder) = (client.version.as_deref(), folder.as_deref());
                format!("{}\n{}\n{}", client.name, version.unwrap_or_default(), folder.unwrap_or_default())
            }
            false => self.id.to_string(),
        };
        let caller = Caller {
            connection,
            visitor: Visitor {
                kind: AgentKind::McpClient,
                name: client.name.clone(),
                version: client.version,
                folder,
            },
            source: Source::Mcp,
            native_ref: None,
            again: None,
            leaving: Leave::Gone,
            counted,
            tool: tool.name_for(&client.name),
        };
        let handover = parts.and_then(|parts| parts.extensions.get::<Handover>()).cloned();
        match self.desk.ask(caller, asking).await {
            Ok(waiting) => Ok(self.wait(waiting, handover, context).await),
            Err(denied) => Ok(failed(&denied.message)),
        }
    }

    async fn wait(
        &self,
        mut waiting: Waiting,
        handover: Option<Handover>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let token = context.meta.get_progress_token();
        let watched = handover.clone();
        let left = async move {
            match watched {
                Some(handover) => handover.left().await,
                None => std::future::pending().await,
            }
        };
        let mut left = std::pin::pin!(left);
        // The first tick is at once: it opens the stream, and shows the client that it is waited.
        let mut progress = tokio::time::interval(self.desk.times.progress);
        let outcome = loop {
            tokio::select! {
                outcome = waiting.end() => break outcome,
                () = context.ct.cancelled() => {
                    waiting.leave().await;
                    return failed("The call was cancelled.");
                }
                () = &mut left => {
                    waiting.leave().await;
                    return failed("The caller is gone.");
                }
                () = self.desk.closing.cancelled() => break None,
                _ = progress.tick(), if token.is_some() => {
                    let Some(token) = token.clone() else { continue };
                    let seconds = waiting.seconds();
                    let params = ProgressNotificationParam::new(token, seconds as f64);
                    let params = params.with_message(waiting_words(seconds));
                    if let Err(error) = context.peer.notify_progress(params).await {
                        tracing::debug!(%error, "a client did not take that it still waits");
                    }
                }
            }
        };
        let Some(outcome) = outcome else {
            let result = CallResult::desk_closed(waiting.request);
            waiting.leave().await;
            return said(result);
        };
        let result = waiting.result(&outcome);
        if let Some(handover) = &handover {
            handover.ends_with_piece_that_holds(waiting.request.to_string());
        }
        waiting.told(&outcome, handover);
        said(result)
    }

    async fn collect(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let arguments = params.arguments.map(Value::Object).unwrap_or_else(|| json!({}));
        let request = match arguments::read_request_id(&arguments) {
            Ok(request) => request,
            Err(refusal) => return failed(&refusal.to_string()),
        };
        let parts = context.extensions.get::<request::Parts>();
        let handover = parts.and_then(|parts| parts.extensions.get::<Handover>()).cloned();
        if let Some(handover) = &handover {
            handover.ends_with_piece_that_holds(request.to_string());
        }
        match self.desk.collect(request, handover).await {
            Ok(result) => said(result),
            Err(denied) if denied.status == StatusCode::NOT_FOUND => failed(
                "There is no question with this requestId on the desk any more. Ask again if you still need the answer.",
            ),
            Err(denied) => failed(&denied.message),
        }
    }
}

impl ServerHandler for McpDoor {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("askdesk", self.desk.version()).with_title("Askdesk");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(
                "Asks the user questions on their desk and waits for the answer, which may take long. Ask instead of guessing \
                 whenever only the user can decide.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = client(&context);
        let tools = Tool::ALL.iter().map(|tool| described(*tool, tool.name_for(&client.name)));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        Tool::named(name).map(|tool| described(tool, name))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match Tool::named(&params.name) {
            Some(Tool::CollectAnswer) => Ok(self.collect(params, &context).await),
            Some(tool) => self.ask(tool, params, &context).await,
            None => {
                let names = Tool::ALL.map(|tool| tool.name_for("")).join(", ");
                let words = format!("there is no tool \"{}\"; there are {names}", params.name);
                Err(ErrorData::invalid_params(words, None))
            }
        }
    }
}

impl Drop for McpDoor {
    fn drop(&mut self) {
        let (desk, id) = (Arc::clone(&self.desk), self.id);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { desk.connections.close(&id.to_string()).await });
        }
    }
}

fn client(context: &RequestContext<RoleServer>) -> Client {
    let about = context.client_info();
    let name = about.as_ref().map(|about| about.name.trim()).filter(|name| !name.is_empty());
    let version = about.as_ref().map(|about| about.version.trim()).filter(|version| !version.is_empty());
    let alone = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    Client {
        name: name.unwrap_or("MCP client").to_owned(),
        version: version.map(str::to_owned),
        has_roots: roots::has(context),
        alone,
    }
}

fn described(tool: Tool, name: &str) -> McpTool {
    let schema = match tool.input_schema() {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let mut described = McpTool::new(Cow::Owned(name.to_owned()), tool.description(), Arc::new(schema));
    described.title = Some(tool.title().to_owned());
    // Asking changes nothing, however often it is done.
    described.annotations =
        Some(ToolAnnotations::with_title(tool.title()).read_only(true).destructive(false).open_world(false));
    described
}

fn said(CallResult { text, structured }: CallResult) -> CallToolResponse {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result.into()
}

fn failed(words: &str) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(words)]).into()
}
