//! Handles the requests of the client.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use askdesk_client_config::DataFolder;
use askdesk_mcp_tools::{CANCELED, CallResult, Client, Folder, GONE, Tool, refused, shown};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig,
    Tool as McpTool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::app_start::AppStart;
use super::connection::Connection;
use crate::arguments::Mcp;
use crate::exit::Failure;
use crate::retry::Retry;
use crate::terminal::note;

/// How long a client may take to name its folder.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);
/// The longest client name that the gateway accepts, in characters.
const MAX_NAME: usize = 128;

pub struct Handler {
    connection: Connection,
    folder: Folder,
    app_start: Option<AppStart>,
    patience: Duration,
    gone: CancellationToken,
}

impl Handler {
    /// Creates a handler. `gone` is canceled when the client has gone.
    pub fn new(data: DataFolder, mcp: &Mcp, gone: CancellationToken) -> Self {
        let app_start = mcp.start.then(AppStart::default);
        let (connection, folder) = (Connection::new(data), Folder::default());
        Self { connection, folder, app_start, patience: mcp.patience, gone }
    }

    pub fn connection(&self) -> Connection {
        self.connection.clone()
    }

    async fn called(
        &self,
        tool: Tool,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        if let Err(why) = self.reach_app().await {
            return not_running(tool, &why);
        }
        let result = match tool {
            Tool::CollectAnswer => self.collect(params).await,
            Tool::AskUserQuestion | Tool::AskUser => {
                let client = Client::of(context);
                let folder = match self.folder.of(&client, &params, context, ROOTS_TIMEOUT).await {
                    Ok(folder) => folder.or_else(working_folder),
                    Err(roots_request) => return (*roots_request).into(),
                };
                let call = self.call(tool, params, client, folder);
                let ended = tokio::select! {
                    ended = self.connection.ask(call, Retry::new(self.patience)) => ended,
                    never = report_progress(context) => match never {},
                };
                ended.and_then(|ended| call_result(&ended))
            }
        };
        match result {
            Ok(result) => shown::said(result),
            Err(Failure::Lost { request: Some(request) }) => shown::said(CallResult::desk_closed(request)),
            // With these statuses, the server isn't the Askdesk of this data folder, or it is quitting.
            Err(
                failure @ (Failure::NotRunning(_)
                | Failure::Closed(_)
                | Failure::Lost { request: None }
                | Failure::Rejected { status: 401 | 503, .. }),
            ) => not_running(tool, &failure.to_string()),
            Err(Failure::Rejected { status: 422, message }) if tool.asks() => {
                shown::failed(&refused(message))
            }
            Err(failure) => shown::failed(&failure.to_string()),
        }
    }

    /// Starts the app if it isn't running. Fails with the reason why it can't be asked.
    async fn reach_app(&self) -> Result<(), String> {
        let mut reached = self.connection.reach().await;
        // If its gateway can't open, another instance could not open one either.
        if let Some(app_start) = &self.app_start
            && !matches!(reached, Ok(()) | Err(Failure::Closed(_)))
        {
            if app_start.start(&self.connection).await {
                return Ok(());
            }
            reached = self.connection.reach().await;
        }
        reached.map_err(|failure| match failure {
            Failure::Closed(_) => failure.to_string(),
            _ => "Askdesk isn't running".to_owned(),
        })
    }

    fn call(
        &self,
        tool: Tool,
        params: CallToolRequestParams,
        client: Client,
        folder: Option<String>,
    ) -> Value {
        let mut about = self.connection.fields();
        about["name"] = client.name.chars().take(MAX_NAME).collect::<String>().into();
        about["version"] = client.version.into();
        about["folder"] = folder.into();
        json!({
            "client": about,
            "nativeRef": Uuid::new_v4(),
            "tool": tool.name_for(""),
            "arguments": arguments(params),
        })
    }

    async fn collect(&self, params: CallToolRequestParams) -> Result<CallResult, Failure> {
        let body = json!({"client": self.connection.fields(), "arguments": arguments(params)});
        call_result(&self.connection.post("/v1/collect", &body).await?)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        shown::server(env!("CARGO_PKG_VERSION"))
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
        let Some(tool) = Tool::named(&params.name) else { return Err(shown::unknown(&params.name)) };
        // Dropping the call closes its connection, which tells Askdesk.
        Ok(tokio::select! {
            answer = self.called(tool, params, &context) => answer,
            () = context.ct.cancelled() => shown::failed(CANCELED),
            () = self.gone.cancelled() => shown::failed(GONE),
        })
    }
}

/// Sends progress notifications, if the client wants them.
async fn report_progress(context: &RequestContext<RoleServer>) -> Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let began = Instant::now();
    let mut ticks = tokio::time::interval(shown::PROGRESS);
    loop {
        ticks.tick().await;
        // If this fails, the client has gone, which the transport notices.
        let _ = context.peer.notify_progress(shown::waiting(token.clone(), began.elapsed())).await;
    }
}

/// Reads the result of a call: text for the model, and JSON for programs.
fn call_result(response: &Value) -> Result<CallResult, Failure> {
    match (response.get("text").and_then(Value::as_str), response.get("result")) {
        (Some(text), Some(result)) => Ok(CallResult { text: text.to_owned(), structured: result.clone() }),
        _ => Err(Failure::InvalidResponse("it has no result".to_owned())),
    }
}

fn arguments(params: CallToolRequestParams) -> Value {
    params.arguments.map_or_else(|| json!({}), Value::Object)
}

fn working_folder() -> Option<String> {
    std::env::current_dir().ok()?.into_os_string().into_string().ok()
}

fn not_running(tool: Tool, why: &str) -> CallToolResponse {
    let (what, result) = match tool {
        Tool::CollectAnswer => ("can't collect the answer", CallResult::no_desk_to_collect_from()),
        Tool::AskUserQuestion | Tool::AskUser => ("can't ask the user", CallResult::no_desk()),
    };
    note(&format!("{what}: {why}"));
    shown::said(result)
}
