//! Messages of a link that several sessions share, as in JSON-RPC.

use serde_json::{Value, json};

/// The JSON-RPC code for a text that is not JSON.
pub const PARSE_ERROR: i64 = -32_700;
/// The JSON-RPC code for an unknown method.
pub const METHOD_NOT_FOUND: i64 = -32_601;
/// The JSON-RPC code for a failure inside the answering side.
pub const INTERNAL_ERROR: i64 = -32_603;

/// A message with the ids of its requests and of its responses.
#[derive(Clone, Debug, PartialEq)]
pub enum RpcMessage<RequestId, ResponseId> {
    Request { id: RequestId, method: String, params: Value },
    Notification { method: String, params: Value },
    Response { id: ResponseId, result: Result<Value, RpcError> },
}

/// A message from an agent's server to one session. The server's ids are strings or numbers, and a response returns them
/// unchanged.
pub type RpcIn = RpcMessage<Value, u64>;
/// A message from one session to an agent's server. The session's ids are unique among its open requests; the connection
/// replaces them by ids that are unique on the wire.
pub type RpcOut = RpcMessage<u64, Value>;

/// The error of an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub fn unknown_method(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    /// Reads an error; a missing message or code gets a default.
    pub fn read(error: &Value) -> Self {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
        Self {
            code: error.get("code").and_then(Value::as_i64).unwrap_or(INTERNAL_ERROR),
            message: message.to_owned(),
            data: error.get("data").cloned(),
        }
    }

    /// Writes the error as JSON-RPC has it.
    pub fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

impl<RequestId, ResponseId> RpcMessage<RequestId, ResponseId> {
    pub fn request(id: RequestId, method: impl Into<String>, params: Value) -> Self {
        Self::Request { id, method: method.into(), params }
    }

    pub fn notification(method: impl Into<String>, params: Value) -> Self {
        Self::Notification { method: method.into(), params }
    }
}

impl RpcIn {
    pub fn quoted(&self) -> String {
        let quoted = match self {
            Self::Request { id, method, params } => json!({"id": id, "method": method, "params": params}),
            Self::Notification { method, params } => json!({"method": method, "params": params}),
            Self::Response { id, result: Ok(result) } => json!({"id": id, "result": result}),
            Self::Response { id, result: Err(error) } => json!({"id": id, "error": error.to_json()}),
        };
        quoted.to_string()
    }
}
