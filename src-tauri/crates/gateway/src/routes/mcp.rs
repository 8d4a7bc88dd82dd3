//! MCP over streamable HTTP, with sessions, as most clients speak it, and without (2026-07-28).

mod middleware;

use std::sync::Arc;
use std::time::{Duration, Instant};

use askdesk_client_config::BACKGROUND_HEADER;
use askdesk_domain::{Channel, InboundClient, Leave};
use askdesk_mcp_tools::{CANCELED, CallResult, Client, Folder, GONE, Tool, refused, shown};
use axum::Router;
use axum::http::{HeaderMap, request};
use axum::middleware::{from_fn, from_fn_with_state};
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
use uuid::Uuid;

use crate::arguments;
use crate::call::{Asker, Caller, PendingCall};
use crate::connections::Lifetime;
use crate::guard::{MAX_BODY_BYTES, MCP_PATH, ManagedSession};
use crate::rate_limit::OpenQuestion;
use crate::response_tracking::ResponseTracker;
use crate::routes::SharedState;
use crate::state::GatewayState;

/// How long an idle session is kept. A question may be open in it for a day.
const SESSION_TIMEOUT: Duration = Duration::from_secs(48 * 60 * 60);

/// How long Claude Code in a terminal waits for a call if its settings don't say it.
const FOREGROUND: Duration = Duration::from_secs(2 * 60);

const NOT_COUNTED: &str = "the call was not counted";
const NOT_TRACKED: &str = "the response to the call is not tracked";

/// Builds the route of the MCP server.
pub fn router(state: &SharedState) -> Router<SharedState> {
    let own = |name: &str| format!("http://{name}:{}", state.port);
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(["127.0.0.1", "localhost", "::1"])
        .with_allowed_origins([own("127.0.0.1"), own("localhost"), own("[::1]")])
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(state.streams.clone());
    // A client whose stream breaks off has gone. It comes back by asking the same question again.
    config.sse_retry = None;
    let mut session_config = SessionConfig::default();
    session_config.keep_alive = Some(SESSION_TIMEOUT);
    session_config.sse_retry = None;
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = session_config;
    let sessions = Arc::new(sessions);
    let limits = middleware::SessionLimits::new(Arc::clone(state), Arc::clone(&sessions));
    let state = Arc::clone(state);
    let service =
        StreamableHttpService::new(move || Ok(McpSession::new(Arc::clone(&state))), sessions, config);
    Router::new()
        .route_service(MCP_PATH, service)
        .layer(from_fn_with_state(limits, middleware::limit_rate))
        .layer(from_fn(middleware::unify_errors))
}

/// One session of a client, or one call of a client without sessions.
struct McpSession {
    state: Arc<GatewayState>,
    /// The key of the connection of a client with sessions.
    id: Uuid,
    folder: Folder,
}

impl McpSession {
    fn new(state: Arc<GatewayState>) -> Self {
        Self { state, id: Uuid::new_v4(), folder: Folder::default() }
    }

    async fn ask(
        &self,
        tool: Tool,
        mut params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let started = Instant::now();
        let client = Client::of(context);
        let arguments = params.arguments.take().map(Value::Object).unwrap_or_else(|| json!({}));
        let asking = match arguments::read(tool, &arguments) {
            Ok(asking) => asking,
            Err(refusal) => {
                self.state.metrics.called(tool.name_for(&client.name), "refused");
                return Ok(shown::failed(&refused(&refusal)));
            }
        };
        let folder = match self.folder.of(&client, &params, context, self.state.timeouts.roots).await {
            Ok(folder) => folder,
            Err(roots_request) => return Ok((*roots_request).into()),
        };
        let open_question = extension::<Arc<OpenQuestion>>(context, NOT_COUNTED)?;
        let connection = match (client.is_sessionless, &folder) {
            (true, Some(folder)) => {
                format!("{}\n{}\n{folder}", client.name, client.version.as_deref().unwrap_or_default())
            }
            // Two clients of the same name may work in two projects, and nothing tells them apart.
            (true, None) => Uuid::new_v4().to_string(),
            (false, Some(folder)) => key_in_folder(self.id, folder),
            (false, None) => self.id.to_string(),
        };
        let lifetime = match client.is_sessionless && folder.is_none() {
            true => Lifetime::Calls,
            false => Lifetime::UntilClosed,
        };
        let tool = tool.name_for(&client.name);
        let Client { name, version, .. } = client;
        let client = InboundClient { channel: Channel::Mcp, name, version, folder };
        let asker = Asker::of(attached::<ManagedSession>(context), connection, lifetime);
        let caller = Caller { asker, client, again: None, open_question, tool };
        let tracker = extension(context, NOT_TRACKED)?;
        match self.state.ask(caller, asking).await {
            Ok(call) => Ok(self.wait(call, started, tracker, context).await),
            Err(error) => Ok(shown::failed(&error.message)),
        }
    }

    async fn wait(
        &self,
        mut call: PendingCall,
        started: Instant,
        tracker: ResponseTracker,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let token = context.meta.get_progress_token();
        let gone = async {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => CANCELED,
                () = tracker.dropped() => GONE,
            }
        };
        let mut gone = std::pin::pin!(gone);
        let foreground =
            context.extensions.get::<request::Parts>().and_then(|parts| foreground(&parts.headers));
        let background = async {
            match foreground {
                Some(limit) => tokio::time::sleep_until((started + limit).into()).await,
                None => std::future::pending().await,
            }
        };
        let mut background = std::pin::pin!(background);
        let mut in_background = false;
        // The first tick comes at once. It opens the stream and shows the client that the call is being handled.
        let mut progress = tokio::time::interval(self.state.timeouts.progress);
        let outcome = loop {
            tokio::select! {
                biased;
                ended = call.outcome_unless(gone.as_mut()) => match ended {
                    Ok(outcome) => break outcome,
                    Err(words) => {
                        call.leave(Leave::Gone).await;
                        return shown::failed(words);
                    }
                },
                () = self.state.closing.cancelled() => break None,
                () = &mut background, if !in_background => {
                    in_background = true;
                    call.goes_on().await;
                }
                _ = progress.tick(), if token.is_some() => {
                    let Some(token) = token.clone() else { continue };
                    let params = shown::waiting(token, call.elapsed());
                    if let Err(error) = context.peer.notify_progress(params).await {
                        tracing::debug!(%error, "a progress notification was not delivered");
                    }
                }
            }
        };
        let Some(outcome) = outcome else {
            let result = CallResult::desk_closed(call.request);
            call.leave(Leave::Gone).await;
            return shown::said(result);
        };
        shown::said(call.finish(&outcome, tracker.clone()))
    }

    async fn collect(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = params.arguments.map(Value::Object).unwrap_or_else(|| json!({}));
        Ok(match self.state.collect(&arguments, attached(context), extension(context, NOT_TRACKED)?).await {
            Ok(result) => shown::said(result),
            Err(error) => shown::failed(&error.message),
        })
    }
}

impl ServerHandler for McpSession {
    fn get_info(&self) -> ServerConfig {
        shown::server(&self.state.version)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        shown::tools(&Client::of(&context).name, page)
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
            Some(Tool::CollectAnswer) => self.collect(params, &context).await,
            Some(tool) => self.ask(tool, params, &context).await,
            None => Err(shown::unknown(&params.name)),
        }
    }
}

impl Drop for McpSession {
    fn drop(&mut self) {
        let (state, id) = (Arc::clone(&self.state), self.id);
        let folder_key = self.folder.known().map(|folder| key_in_folder(id, folder));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                state.connections.close(&id.to_string()).await;
                if let Some(key) = folder_key {
                    state.connections.close(&key).await;
                }
            });
        }
    }
}

/// Returns how long a client waits for a call before it moves it to its background; none if it always waits. Only Claude
/// Code in a terminal does that.
fn foreground(headers: &HeaderMap) -> Option<Duration> {
    let (entry, limit) = headers.get(BACKGROUND_HEADER)?.to_str().ok()?.split_once('/')?;
    let limit = limit.parse().map_or(FOREGROUND, Duration::from_millis);
    (entry == "cli" && !limit.is_zero()).then_some(limit)
}

/// Returns what the middleware has attached to the HTTP request of a call, or an error that says what is missing.
fn extension<T: Clone + Send + Sync + 'static>(
    context: &RequestContext<RoleServer>,
    missing: &'static str,
) -> Result<T, ErrorData> {
    attached(context).ok_or_else(|| ErrorData::internal_error(missing, None))
}

fn attached<T: Clone + Send + Sync + 'static>(context: &RequestContext<RoleServer>) -> Option<T> {
    let parts = context.extensions.get::<request::Parts>();
    parts.and_then(|parts| parts.extensions.get::<T>()).cloned()
}

/// Returns the key of a connection once its folder is known. Questions it asked before are in a session without a folder.
fn key_in_folder(connection: Uuid, folder: &str) -> String {
    format!("{connection}\n{folder}")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::by_default("cli/", Some(120_000))]
    #[case::set("cli/3000", Some(3_000))]
    #[case::not_a_number("cli/soon", Some(120_000))]
    #[case::turned_off("cli/0", None)]
    #[case::not_in_a_terminal("sdk-cli/3000", None)]
    #[case::in_another_client("${CLAUDE_CODE_ENTRYPOINT:-}/${CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS:-}", None)]
    #[case::of_another_form("cli", None)]
    fn case_170_only_a_claude_code_in_a_terminal_moves_calls(
        #[case] header: &str,
        #[case] millis: Option<u64>,
    ) {
        let headers =
            HeaderMap::from_iter([(HeaderName::from_static(BACKGROUND_HEADER), header.parse().unwrap())]);
        assert_eq!(foreground(&headers), millis.map(Duration::from_millis));
        assert_eq!(foreground(&HeaderMap::new()), None);
    }
}
