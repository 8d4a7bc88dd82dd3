//! One session of Codex that is open, and what its server would send.

use askdesk_agents::codex::{Codex, CodexAdapter};
use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, EncodeError, Inbound, Open, Outbound, Output, RpcIn, RpcOut,
};
use askdesk_domain::{Choices, NativeRef, Outcome, Question};
use serde_json::{Value, json};
use std::path::Path;

pub const THREAD: &str = "01900000-0000-7000-8000-000000000001";

pub struct Session(pub CodexAdapter);

impl Session {
    /// One that has been told nothing yet.
    pub fn unopened(choices: &Choices) -> Self {
        Self(CodexAdapter::new(Path::new("/proj"), Codex::default().descriptor().config.clone(), choices))
    }

    /// One that is open, with a turn that runs.
    pub fn in_turn() -> Self {
        let mut session = Self::open(&Choices::new());
        session.tell("turn/started", json!({"turn": {"id": "turn-1", "status": "inProgress"}}));
        session
    }

    pub fn open(choices: &Choices) -> Self {
        let mut session = Self::unopened(choices);
        session.0.open(Open::New);
        session.respond(1, Ok(opened()));
        session
    }

    pub fn receive(&mut self, message: RpcIn) -> Output {
        self.0.receive(&Inbound::Rpc(message))
    }

    pub fn tell(&mut self, method: &str, mut params: Value) -> Vec<AgentEvent> {
        params["threadId"] = json!(THREAD);
        self.receive(RpcIn::notification(method, params)).events
    }

    /// Asks something, and returns what follows.
    pub fn ask(&mut self, id: u64, method: &str, mut params: Value) -> Output {
        params["threadId"] = json!(THREAD);
        self.receive(RpcIn::request(json!(id), method, params))
    }

    pub fn respond(&mut self, key: u64, result: Result<Value, askdesk_agents::RpcError>) -> Output {
        self.receive(RpcIn::Response { id: key, result })
    }

    pub fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        self.0.send(action)
    }

    /// Ends a question, and returns what the server gets.
    pub fn end(&mut self, native_ref: &NativeRef, questions: &[Question], outcome: Outcome) -> Value {
        let action =
            Action::Answer { native_ref: native_ref.clone(), questions: questions.to_vec(), outcome };
        result(&self.send(action).unwrap())
    }
}

/// The answer to the start of a session.
pub fn opened() -> Value {
    json!({
        "thread": {"id": THREAD, "cliVersion": "0.169.0", "parentThreadId": null},
        "model": "mock", "approvalPolicy": "on-request", "reasoningEffort": null,
        "sandbox": {"type": "workspaceWrite", "writableRoots": ["/more"], "networkAccess": false},
    })
}

/// The one answer to a request of the server.
pub fn result(output: &Output) -> Value {
    match output.outbound.as_slice() {
        [Outbound::Rpc(RpcOut::Response { result: Ok(result), .. })] => result.clone(),
        other => panic!("{other:?}"),
    }
}

/// The requests to the server, with their params.
pub fn requests(output: &Output) -> Vec<(String, Value)> {
    let request = |outbound: &Outbound| match outbound {
        Outbound::Rpc(RpcOut::Request { method, params, .. }) => Some((method.clone(), params.clone())),
        _ => None,
    };
    output.outbound.iter().filter_map(request).collect()
}
