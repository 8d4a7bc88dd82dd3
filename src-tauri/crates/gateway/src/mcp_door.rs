//! The door for MCP clients: streamable HTTP, with the sessions that most clients speak and without (2026-07-28).

use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{Channel, InboundClient};
use askdesk_mcp_tools::{CANCELLED, CallResult, Client, Folder, GONE, Tool, refused, shown};
use axum::http::request;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig,
    Tool as McpTool,
};
use rmcp::service::RequestContext;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::arguments;
use crate::call::{Caller, Waiting};
use crate::connections::Stays;
use crate::desk::Desk;
use crate::guard::BODY_BYTES;
use crate::handover::Handover;
use crate::mcp_front::Counting;
use crate::pace::Counted;

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
    folder: Folder,
}

impl McpDoor {
    fn new(desk: Arc<Desk>) -> Self {
        Self { desk, id: Uuid::new_v4(), folder: Folder::default() }
    }

    async fn ask(
        &self,
        tool: Tool,
        mut params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = Client::of(context);
        let arguments = params.arguments.take().map(Value::Object).unwrap_or_else(|| json!({}));
        let asking = match arguments::read(tool, &arguments) {
            Ok(asking) => asking,
            Err(refusal) => {
                self.desk.metrics().called(tool.name_for(&client.name), "refused");
                return Ok(shown::failed(&refused(&refusal)));
            }
        };
        let folder = match self.folder.of(&client, &params, context, self.desk.times.roots).await {
            Ok(folder) => folder,
            Err(first_of_all) => return Ok((*first_of_all).into()),
        };
        let parts = context.extensions.get::<request::Parts>();
        let counted = parts.and_then(|parts| parts.extensions.get::<Arc<Counted>>()).cloned();
        let Some(counted) = counted else {
            return Err(ErrorData::internal_error("the call was not counted", None));
        };
        let connection = match (client.alone, &folder) {
            (true, Some(folder)) => {
                format!("{}\n{}\n{folder}", client.name, client.version.as_deref().unwrap_or_default())
            }
            // Two of one name may be at work in two projects, and nothing tells them apart.
            (true, None) => Uuid::new_v4().to_string(),
            (false, Some(folder)) => in_folder(self.id, folder),
            (false, None) => self.id.to_string(),
        };
        let stays = match client.alone && folder.is_none() {
            true => Stays::WhileItCalls,
            false => Stays::UntilItGoes,
        };
        let caller = Caller {
            connection,
            stays,
            visitor: InboundClient {
                channel: Channel::Mcp,
                name: client.name.clone(),
                version: client.version,
                folder,
            },
            again: None,
            counted,
            tool: tool.name_for(&client.name),
        };
        let handover = parts.and_then(|parts| parts.extensions.get::<Handover>()).cloned();
        match self.desk.ask(caller, asking).await {
            Ok(waiting) => Ok(self.wait(waiting, handover, context).await),
            Err(denied) => Ok(shown::failed(&denied.message)),
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
        let gone = async {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => CANCELLED,
                () = left => GONE,
            }
        };
        let mut gone = std::pin::pin!(gone);
        // The first tick is at once: it opens the stream, and shows the client that it is waited.
        let mut progress = tokio::time::interval(self.desk.times.progress);
        let outcome = loop {
            tokio::select! {
                biased;
                ended = waiting.end_unless(gone.as_mut()) => match ended {
                    Ok(outcome) => break outcome,
                    Err(words) => {
                        waiting.leave().await;
                        return shown::failed(words);
                    }
                },
                () = self.desk.closing.cancelled() => break None,
                _ = progress.tick(), if token.is_some() => {
                    let Some(token) = token.clone() else { continue };
                    let params = shown::waiting(token, waiting.waited());
                    if let Err(error) = context.peer.notify_progress(params).await {
                        tracing::debug!(%error, "a client did not take that it still waits");
                    }
                }
            }
        };
        let Some(outcome) = outcome else {
            let result = CallResult::desk_closed(waiting.request);
            waiting.leave().await;
            return shown::said(result);
        };
        let result = waiting.result(&outcome);
        if let Some(handover) = &handover {
            handover.ends_with_piece_that_holds(waiting.request.to_string());
        }
        waiting.told(&outcome, handover);
        shown::said(result)
    }

    async fn collect(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let arguments = params.arguments.map(Value::Object).unwrap_or_else(|| json!({}));
        let parts = context.extensions.get::<request::Parts>();
        let handover = parts.and_then(|parts| parts.extensions.get::<Handover>()).cloned();
        match self.desk.collect(&arguments, handover).await {
            Ok(result) => shown::said(result),
            Err(denied) => shown::failed(&denied.message),
        }
    }
}

impl ServerHandler for McpDoor {
    fn get_info(&self) -> ServerConfig {
        shown::server(self.desk.version())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(shown::tools(&Client::of(&context).name))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        shown::tool(name)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match Tool::named(&params.name) {
            Some(Tool::CollectAnswer) => Ok(self.collect(params, &context).await),
            Some(tool) => self.ask(tool, params, &context).await,
            None => Err(shown::unknown(&params.name)),
        }
    }
}

impl Drop for McpDoor {
    fn drop(&mut self) {
        let (desk, id) = (Arc::clone(&self.desk), self.id);
        let in_folder = self.folder.known().map(|folder| in_folder(id, folder));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                desk.connections.close(&id.to_string()).await;
                if let Some(in_folder) = in_folder {
                    desk.connections.close(&in_folder).await;
                }
            });
        }
    }
}

/// Names a connection from when on its folder is known: what it asked before was asked in a session without one.
fn in_folder(connection: Uuid, folder: &str) -> String {
    format!("{connection}\n{folder}")
}
