//! The door for MCP clients: streamable HTTP, with the sessions that most clients speak and without (2026-07-28).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{AgentKind, Source, Visitor};
use axum::http::{StatusCode, request};
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
use crate::desk::Desk;
use crate::guard::BODY_BYTES;
use crate::handover::Handover;
use crate::mcp_front::Counting;
use crate::pace::Counted;
use crate::result::{self, CallResult};
use crate::roots;
use crate::tools::Tool;

/// How long a session without a sign of its client is kept; a question may wait for a day in it.
const SESSION_KEPT: Duration = Duration::from_secs(48 * 60 * 60);

/// Builds the door, with what counts its calls.
pub fn service(
    desk: &Arc<Desk>,
    streams: &CancellationToken,
) -> (StreamableHttpService<McpDoor, LocalSessionManager>, Counting) {
    let own = |name: &str| format!("http://{name}:{}", desk.port());
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(["127.0.0.1", "localhost", "::1"])
        .with_allowed_origins([own("127.0.0.1"), own("localhost"), own("[::1]")])
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(streams.clone());
    // A stream that breaks off is a caller that left; it comes back by asking the same again.
    config.sse_retry = None;
    let mut kept = SessionConfig::default();
    kept.keep_alive = Some(SESSION_KEPT);
    kept.sse_retry = None;
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = kept;
    let sessions = Arc::new(sessions);
    let counting = Counting::new(Arc::clone(desk), Arc::clone(&sessions));
    let desk = Arc::clone(desk);
    let service = StreamableHttpService::new(move || Ok(McpDoor::new(Arc::clone(&desk))), sessions, config);
    (service, counting)
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
                    let waited = waiting.waited();
                    // It has to grow from one to the next, however soon that comes.
                    let params = ProgressNotificationParam::new(token, waited.as_secs_f64());
                    let params = params.with_message(waiting_words(waited));
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

/// Some clients hand on the structure alone (Claude Code 2.1.329, Codex 0.169.0): where there is no answer in it, what the
/// model has to know stands in it too.
fn said(CallResult { text, mut structured }: CallResult) -> CallToolResponse {
    if structured["outcome"] != "answered" {
        structured["message"] = json!(text);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result.into()
}

fn failed(words: &str) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(words)]).into()
}
