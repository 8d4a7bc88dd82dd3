//! One session of Codex that is open, and what its server would send.

use askdesk_agents::codex::{Codex, CodexAdapter};
use askdesk_agents::{Adapter, Agent, AgentEvent, Inbound, Open, Output, RpcIn};
use askdesk_domain::Choices;
use serde_json::{Value, json};
use std::path::Path;

const THREAD: &str = "01900000-0000-7000-8000-000000000001";

pub struct Session(pub CodexAdapter);

impl Session {
    /// One that is open, with a turn that runs.
    pub fn in_turn() -> Self {
        let config = Codex::default().descriptor().config.clone();
        let mut session = Self(CodexAdapter::new(Path::new("/proj"), config, &Choices::new()));
        session.0.open(Open::New);
        let opened = json!({"thread": {"id": THREAD}, "model": "mock"});
        session.receive(RpcIn::Response { id: 1, result: Ok(opened) });
        session.tell("turn/started", json!({"turn": {"id": "turn-1", "status": "inProgress"}}));
        session
    }

    fn receive(&mut self, message: RpcIn) -> Output {
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
}
