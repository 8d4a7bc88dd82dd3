//! The fake server, and how its protocol keeps its session ids.

use std::sync::Arc;

use askdesk_agents::{Connection, Handshake, JsonRpcConnection, JsonRpcRules, NewConnection};
use serde_json::json;

pub fn rules() -> JsonRpcRules {
    JsonRpcRules {
        handshake: Some(Handshake {
            method: "hello",
            params: json!({"client": "askdesk"}),
            notification: Some("ready"),
        }),
        session_in_params: &["/sessionId"],
        parent_in_params: None,
        children_in_params: &[],
        session_in_result: &["/sessionId"],
        sends_version: true,
    }
}

pub fn connection() -> NewConnection {
    Arc::new(|| -> Box<dyn Connection> { Box::new(JsonRpcConnection::new(rules())) })
}
