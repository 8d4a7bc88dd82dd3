//! An MCP client with `askdesk mcp` as its child.

use std::ops::{Deref, DerefMut};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::model::CallToolResult;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

pub use crate::gateway::fixture::PATIENCE;
use crate::gateway::mcp_client::McpClient;
pub use crate::gateway::mcp_client::{Folder, Speaks, assert_answered, structured, text, which_store};

/// A client and its child.
pub struct Connected {
    pub mcp: McpClient,
    pub child: Child,
    printed: Arc<Mutex<String>>,
}

pub async fn connect(command: std::process::Command) -> Connected {
    connect_as(command, "codex-mcp-client", Speaks::Sessions, Folder::Never, "").await
}

/// Connects as a client that writes something before its first message.
pub async fn connect_as(
    command: std::process::Command,
    name: &'static str,
    speaks: Speaks,
    folder: Folder,
    before: &str,
) -> Connected {
    let mut command = Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    input.write_all(before.as_bytes()).await.unwrap();
    let printed = Arc::new(Mutex::new(String::new()));
    let (mut errors, all) = (child.stderr.take().unwrap(), Arc::clone(&printed));
    tokio::spawn(async move {
        let mut piece = [0; 1024];
        while let Ok(read) = errors.read(&mut piece).await
            && read > 0
        {
            all.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    });
    Connected { mcp: McpClient::over((output, input), name, speaks, folder).await, child, printed }
}

impl Deref for Connected {
    type Target = McpClient;

    fn deref(&self) -> &McpClient {
        &self.mcp
    }
}

impl DerefMut for Connected {
    fn deref_mut(&mut self) -> &mut McpClient {
        &mut self.mcp
    }
}

impl Connected {
    /// Waits for the next progress notification.
    pub async fn next_progress(&mut self) -> String {
        tokio::time::timeout(PATIENCE, self.progress.recv()).await.expect("progress in time").unwrap()
    }

    /// Closes the connection, waits until the child exits with success, and returns when it did.
    pub async fn close(self) -> Instant {
        let Self { mcp, mut child, .. } = self;
        let closing = tokio::spawn(mcp.client.cancel());
        ended(&mut child).await;
        let exit = Instant::now();
        closing.await.unwrap().unwrap();
        exit
    }

    /// Waits until the program has printed a note, and returns everything it has printed.
    pub async fn until_printed(&self, words: &str) -> String {
        let printed = async {
            loop {
                let all = self.printed.lock().unwrap().clone();
                if all.contains(words) {
                    return all;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, printed).await {
            Ok(all) => all,
            Err(_) => panic!("not printed: {words}; only {:?}", self.printed.lock().unwrap()),
        }
    }
}

/// Waits until a child exits with success.
pub async fn ended(child: &mut Child) {
    let status = tokio::time::timeout(PATIENCE, child.wait()).await.expect("an end of the program").unwrap();
    assert!(status.success(), "{status}");
}

/// The JSON of a result without an answer, except for the message in it.
pub fn unanswered(result: &CallToolResult) -> Value {
    let mut said = structured(result).clone();
    assert_eq!(said["message"], text(result), "for clients that hand on the structure alone");
    said.as_object_mut().unwrap().remove("message");
    said
}
