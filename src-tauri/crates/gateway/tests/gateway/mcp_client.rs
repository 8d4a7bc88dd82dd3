//! An MCP client with and without sessions: the library's own.

#![expect(deprecated, reason = "roots are on their way out, and clients still have them")]

use std::sync::atomic::{AtomicUsize, Ordering};

use askdesk_client_config::SESSION_HEADER;
use axum::http::HeaderName;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListRootsResult, ProgressNotificationParam, ProtocolVersion, Root,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::fixture::{Fixture, PATIENCE};

/// The folder that a client names, and the address by which it does.
pub const PROJECT: &str = if cfg!(windows) { r"C:\a\project" } else { "/home/a/project" };
const PROJECT_URI: &str = if cfg!(windows) { "file:///C:/a/project" } else { "file:///home/a/project" };

/// The generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    Sessions,
    Discovery,
}

/// How a client names its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    AtOnce,
    NotAtFirst,
    Never,
}

pub struct TestClient {
    name: &'static str,
    folder: Folder,
    asked_for_folder: AtomicUsize,
    progress: mpsc::UnboundedSender<String>,
}

impl ClientHandler for TestClient {
    fn get_info(&self) -> ClientConfig {
        let able = match self.folder {
            Folder::Never => ClientCapabilities::default(),
            Folder::AtOnce | Folder::NotAtFirst => ClientCapabilities::builder().enable_roots().build(),
        };
        ClientConfig::new(able, Implementation::new(self.name, "1.2.3"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        if self.asked_for_folder.fetch_add(1, Ordering::Relaxed) == 0 && self.folder == Folder::NotAtFirst {
            std::future::pending::<()>().await;
        }
        Ok(ListRootsResult::new(vec![Root::new(PROJECT_URI)]))
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(told.message.unwrap_or_default());
    }
}

/// A client that is connected to a server.
pub struct McpClient {
    pub client: RunningService<RoleClient, TestClient>,
    pub progress: mpsc::UnboundedReceiver<String>,
}

impl McpClient {
    /// Connects to the gateway.
    pub async fn over_http(fixture: &Fixture, name: &'static str, speaks: Speaks, folder: Folder) -> Self {
        let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", fixture.address));
        let transport = StreamableHttpClientTransport::from_config(config.auth_header(fixture.token()));
        Self::over(transport, name, speaks, folder).await
    }

    /// Connects as a session's agent does: with the session's token.
    pub async fn in_session(fixture: &Fixture, token: &str) -> Self {
        Self::with_header(fixture, (SESSION_HEADER, token), Speaks::Sessions, Folder::Never).await
    }

    /// Connects as Claude Code with another header does.
    pub async fn with_header(
        fixture: &Fixture,
        (name, value): (&'static str, &str),
        speaks: Speaks,
        folder: Folder,
    ) -> Self {
        let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", fixture.address));
        let headers = [(HeaderName::from_static(name), value.parse().unwrap())];
        let config = config.auth_header(fixture.token()).custom_headers(headers.into());
        let transport = StreamableHttpClientTransport::from_config(config);
        Self::over(transport, "claude-code", speaks, folder).await
    }

    pub async fn over<E: std::error::Error + Send + Sync + 'static, A>(
        transport: impl IntoTransport<RoleClient, E, A>,
        name: &'static str,
        speaks: Speaks,
        folder: Folder,
    ) -> Self {
        let (sender, progress) = mpsc::unbounded_channel();
        let client = TestClient { name, folder, asked_for_folder: AtomicUsize::new(0), progress: sender };
        let lifecycle = match speaks {
            Speaks::Sessions => ClientLifecycleMode::Initialize,
            Speaks::Discovery => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        };
        let beginning = client.serve_with_lifecycle(transport, lifecycle);
        let client = tokio::time::timeout(PATIENCE, beginning).await.expect("a beginning in time").unwrap();
        Self { client, progress }
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let calling = self.client.call_tool(params(tool, arguments));
        tokio::time::timeout(PATIENCE, calling).await.expect("an end in time").unwrap()
    }

    pub async fn ask(&self) -> CallToolResult {
        self.call("ask_user_question", which_store()).await
    }

    /// Asks, and returns the progress notifications of the call too.
    pub fn ask_with_progress(
        &mut self,
    ) -> (impl Future<Output = CallToolResult>, &mut mpsc::UnboundedReceiver<String>) {
        let calling = self.client.call_tool(params("ask_user_question", which_store()));
        let called =
            async { tokio::time::timeout(PATIENCE, calling).await.expect("an end in time").unwrap() };
        (called, &mut self.progress)
    }

    /// Asks in a call that can be canceled. A client without sessions has named its folder before.
    pub async fn begin(&self) -> RequestHandle<RoleClient> {
        self.begin_call("ask_user_question", which_store()).await
    }

    pub async fn begin_call(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(tool, arguments)));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }
}

fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

pub fn which_store() -> Value {
    json!({"questions": [{
        "question": "Which store?", "header": "Store", "multiSelect": false,
        "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"}],
    }]})
}

pub fn text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

pub fn structured(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().expect("a structure")
}

/// Asserts that a result says that the user chose Postgres.
pub fn assert_answered(result: &CallToolResult, request: impl serde::Serialize) {
    assert_ne!(result.is_error, Some(true));
    let words = "User has answered your questions: \"Which store?\"=\"Postgres\". You can now continue with the user's \
                 answers in mind.";
    assert_eq!(text(result), words);
    let answer = json!({"question": "Which store?", "header": "Store", "selectedOptions": ["Postgres"]});
    let expected = json!({"outcome": "answered", "requestId": request, "answers": [answer]});
    assert_eq!(structured(result), &expected);
}
