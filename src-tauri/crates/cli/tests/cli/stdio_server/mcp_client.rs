//! An MCP client with and without sessions, with `askdesk mcp` as its child.

#![expect(deprecated, reason = "roots are on their way out, and clients still have them")]

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListRootsResult, ProgressNotificationParam, ProtocolVersion, Root,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

/// Longer than anything here takes on a busy machine. A test that waits this long hangs.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    Sessions,
    Discovery,
}

/// What a client tells the server.
#[derive(Clone, Debug)]
pub struct TestClient {
    name: &'static str,
    root: Option<&'static str>,
    progress: mpsc::UnboundedSender<String>,
}

impl ClientHandler for TestClient {
    fn get_info(&self) -> ClientConfig {
        let mut able = ClientCapabilities::default();
        able.roots = self.root.map(|_| Default::default());
        ClientConfig::new(able, Implementation::new(self.name, "1.2.3"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.root.map(Root::new).into_iter().collect()))
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(told.message.unwrap_or_default());
    }
}

/// A client and its child.
pub struct Connected {
    pub client: RunningService<RoleClient, TestClient>,
    pub progress: mpsc::UnboundedReceiver<String>,
    pub child: Child,
    said: Arc<Mutex<String>>,
}

pub async fn connect(command: std::process::Command) -> Connected {
    connect_as(command, "codex-mcp-client", Speaks::Sessions, None, "").await
}

/// Connects as a client that writes something before its first message.
pub async fn connect_as(
    command: std::process::Command,
    name: &'static str,
    speaks: Speaks,
    root: Option<&'static str>,
    before: &str,
) -> Connected {
    let mut command = Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    input.write_all(before.as_bytes()).await.unwrap();
    let said = Arc::new(Mutex::new(String::new()));
    let (mut errors, heard) = (child.stderr.take().unwrap(), Arc::clone(&said));
    tokio::spawn(async move {
        let mut piece = [0; 1024];
        while let Ok(read) = errors.read(&mut piece).await
            && read > 0
        {
            heard.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    });
    let (sender, progress) = mpsc::unbounded_channel();
    let client = TestClient { name, root, progress: sender };
    let lifecycle = match speaks {
        Speaks::Sessions => ClientLifecycleMode::Initialize,
        Speaks::Discovery => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
    };
    let beginning = client.serve_with_lifecycle((output, input), lifecycle);
    let client = tokio::time::timeout(PATIENCE, beginning).await.expect("a beginning in time").unwrap();
    Connected { client, progress, child, said }
}

impl Connected {
    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let calling = self.client.call_tool(params(tool, arguments));
        tokio::time::timeout(PATIENCE, calling).await.expect("an end in time").unwrap()
    }

    /// Starts a call that can be cancelled.
    pub async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(tool, arguments)));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    /// Waits for the next progress notification.
    pub async fn next_progress(&mut self) -> String {
        tokio::time::timeout(PATIENCE, self.progress.recv()).await.expect("a word in time").unwrap()
    }

    /// Waits until the program has printed a note, and returns everything it has printed.
    pub async fn heard(&self, words: &str) -> String {
        let hearing = async {
            loop {
                let said = self.said.lock().unwrap().clone();
                if said.contains(words) {
                    return said;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, hearing).await {
            Ok(said) => said,
            Err(_) => panic!("not said: {words}; but {:?}", self.said.lock().unwrap()),
        }
    }
}

/// Waits until a child exits with success.
pub async fn ended(child: &mut Child) {
    let status = tokio::time::timeout(PATIENCE, child.wait()).await.expect("an end of the program").unwrap();
    assert!(status.success(), "{status}");
}

pub fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
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

/// The JSON of a result without an answer, except for the message in it.
pub fn unanswered(result: &CallToolResult) -> Value {
    let mut said = structured(result).clone();
    assert_eq!(said["message"], text(result), "for clients that hand on the structure alone");
    said.as_object_mut().unwrap().remove("message");
    said
}
