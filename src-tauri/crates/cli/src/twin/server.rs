//! What the client speaks with.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use askdesk_client_config::desk::Desk;
use askdesk_mcp_tools::{CANCELLED, CallResult, Client, Folder, GONE, Tool, refused, shown};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig,
    Tool as McpTool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::asking::{ask, told};
use super::note;
use super::starting::Starting;
use super::way::Way;
use crate::arguments::Mcp;
use crate::ending::Failure;

/// How long a client has to say in which folder it works.
const ROOTS_WAIT: Duration = Duration::from_secs(2);
/// How much of a client's name the desk takes, in characters.
const NAME_MOST: usize = 128;

/// The server on standard input and output.
pub struct Twin {
    way: Way,
    folder: Folder,
    starting: Option<Starting>,
    patience: Duration,
    gone: CancellationToken,
}

impl Twin {
    /// Makes a server that hands calls over to a desk until its client is gone.
    pub fn new(desk: Desk, mcp: &Mcp, gone: CancellationToken) -> Self {
        let starting = mcp.start.then(Starting::default);
        Self { way: Way::to(desk), folder: Folder::default(), starting, patience: mcp.patience, gone }
    }

    /// Returns its way to the desk.
    pub fn way(&self) -> Way {
        self.way.clone()
    }

    async fn called(
        &self,
        tool: Tool,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        if !self.has_desk().await {
            return without_desk(tool, "no desk is running");
        }
        let handed_over = match tool {
            Tool::CollectAnswer => self.collect(params).await,
            Tool::AskUserQuestion | Tool::AskUser => {
                let client = Client::of(context);
                let folder = match self.folder.of(&client, &params, context, ROOTS_WAIT).await {
                    Ok(folder) => folder.or_else(working_folder),
                    Err(first_of_all) => return (*first_of_all).into(),
                };
                let call = self.call(tool, params, client, folder);
                tokio::select! {
                    result = ask(&self.way, call, self.patience) => result,
                    never = tell_progress(context) => match never {},
                }
            }
        };
        match handed_over {
            Ok(result) => shown::said(result),
            Err(Failure::NoDesk(why)) => without_desk(tool, &why),
            // Whoever listens there is no desk that this person has, or one that is going and takes nothing more.
            Err(Failure::Denied { status: 401 | 503, message }) => without_desk(tool, &message),
            Err(Failure::Denied { status: 422, message }) if tool.asks() => shown::failed(&refused(message)),
            Err(failure) => shown::failed(&failure.to_string()),
        }
    }

    async fn has_desk(&self) -> bool {
        if self.way.is_open().await {
            return true;
        }
        match &self.starting {
            Some(starting) => starting.start(&self.way).await,
            None => false,
        }
    }

    fn call(
        &self,
        tool: Tool,
        params: CallToolRequestParams,
        client: Client,
        folder: Option<String>,
    ) -> Value {
        let mut about = self.way.client();
        about["name"] = client.name.chars().take(NAME_MOST).collect::<String>().into();
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
        let body = json!({"client": self.way.client(), "arguments": arguments(params)});
        told(&self.way.post("/v1/collect", &body).await?)
    }
}

impl ServerHandler for Twin {
    fn get_info(&self) -> ServerConfig {
        shown::server(env!("CARGO_PKG_VERSION"))
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
        let Some(tool) = Tool::named(&params.name) else { return Err(shown::unknown(&params.name)) };
        // Whatever ends it first, the call is dropped, and with it the connection on which the desk has it.
        Ok(tokio::select! {
            answer = self.called(tool, params, &context) => answer,
            () = context.ct.cancelled() => shown::failed(CANCELLED),
            () = self.gone.cancelled() => shown::failed(GONE),
        })
    }
}

/// Tells the client again and again that the person is waited for, where it wants to hear that.
async fn tell_progress(context: &RequestContext<RoleServer>) -> Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let began = Instant::now();
    let mut ticks = tokio::time::interval(shown::PROGRESS);
    loop {
        ticks.tick().await;
        // A client that cannot be told is gone, which is noticed elsewhere.
        let _ = context.peer.notify_progress(shown::waiting(token.clone(), began.elapsed())).await;
    }
}

fn arguments(params: CallToolRequestParams) -> Value {
    params.arguments.map_or_else(|| json!({}), Value::Object)
}

fn working_folder() -> Option<String> {
    std::env::current_dir().ok()?.into_os_string().into_string().ok()
}

fn without_desk(tool: Tool, why: &str) -> CallToolResponse {
    let (what, result) = match tool {
        Tool::CollectAnswer => ("nothing can be collected", CallResult::no_desk_to_collect_from()),
        Tool::AskUserQuestion | Tool::AskUser => ("nobody can be asked", CallResult::no_desk()),
    };
    note(&format!("{what}: {why}"));
    shown::said(result)
}
