//! The connection of one MCP client, as the gateway knows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askdesk_client_config::DataFolder;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::exit::Failure;
use crate::http_client::HttpClient;
use crate::retry::{self, Retry};

/// A connection. Each call finds the gateway anew, because its port and token may have changed.
#[derive(Clone, Debug)]
pub struct Connection {
    folder: DataFolder,
    id: Uuid,
    /// Whether a question was asked, so that the gateway knows this connection.
    used: Arc<AtomicBool>,
}

impl Connection {
    pub fn new(folder: DataFolder) -> Self {
        Self { folder, id: Uuid::new_v4(), used: Arc::default() }
    }

    /// Returns the fields that identify this connection in a call.
    pub fn fields(&self) -> Value {
        json!({"kind": "mcp", "connection": self.id})
    }

    /// Checks that Askdesk is running and its gateway listens.
    pub async fn reach(&self) -> Result<(), Failure> {
        HttpClient::for_asking(&self.folder)?.check_connection().await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        HttpClient::for_asking(&self.folder)?.post(path, body).await
    }

    /// Asks a question, and returns the event that it has ended.
    pub async fn ask(&self, call: Value, retry: Retry) -> Result<Value, Failure> {
        self.used.store(true, Ordering::Relaxed);
        retry::ask(&self.folder, "/v1/asks", call, retry).await
    }

    /// Tells the gateway that the client has gone. Otherwise it would only notice later.
    pub async fn leave(&self) {
        if self.used.load(Ordering::Relaxed) {
            let _ = self.post("/v1/leave", &json!({"client": self.fields()})).await;
        }
    }
}
