//! The fake server, and how its protocol keeps its session ids.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};

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
        session_in_result: &["/sessionId"],
        sends_version: true,
    }
}

pub fn connection() -> NewConnection {
    Arc::new(|| -> Box<dyn Connection> { Box::new(JsonRpcConnection::new(rules())) })
}

/// The built program; a test that runs by itself builds it first.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        askdesk_testkit::fake_server::program().unwrap_or_else(|| {
            build();
            askdesk_testkit::fake_server::program().expect("the fake server stands beside the tests")
        })
    };
    PROGRAM.get_or_init(find).clone()
}

fn build() {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "askdesk-testkit", "--features", "mock-api"]);
    cargo.args(["--bin", "fake-server", "--target-dir"]).arg(target);
    assert!(cargo.status().unwrap().success(), "the fake server does not build");
}
