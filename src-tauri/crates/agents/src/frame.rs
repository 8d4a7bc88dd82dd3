//! Messages of a link that several sessions share, in the shape of JSON-RPC.

use serde_json::{Value, json};

/// The JSON-RPC code for an unknown method.
pub const METHOD_NOT_FOUND: i64 = -32_601;
/// The JSON-RPC code for a failure inside the answering side.
pub const INTERNAL_ERROR: i64 = -32_603;

/// A message from an agent's server to one session.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameIn {
    /// It asks something and waits for [`FrameOut::Response`].
    Request {
        /// The server's id of the request, which goes back as it came.
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// It answers a request of this session.
    Response {
        /// The key that [`FrameOut::Request`] gave.
        key: u64,
        result: Result<Value, RpcError>,
    },
}

/// A message from one session to an agent's server.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameOut {
    /// It asks something; the answer is a [`FrameIn::Response`] with the same key.
    Request {
        /// Unique among the open requests of this session; the connection turns it into an id that is unique on the wire.
        key: u64,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// It answers a request of the server.
    Response {
        /// The server's id of the request, as it came.
        id: Value,
        result: Result<Value, RpcError>,
    },
}

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

impl FrameIn {
    pub fn quoted(&self) -> String {
        let quoted = match self {
            Self::Request { id, method, params } => json!({"id": id, "method": method, "params": params}),
            Self::Notification { method, params } => json!({"method": method, "params": params}),
            Self::Response { key, result: Ok(result) } => json!({"id": key, "result": result}),
            Self::Response { key, result: Err(error) } => json!({"id": key, "error": error.to_json()}),
        };
        quoted.to_string()
    }
}
