//! OpenCode's adapter and connection, fed with what a server would send.

use std::collections::VecDeque;
use std::path::Path;

use askdesk_agents::opencode::{OpenCodeAdapter, OpenCodeConnection};
use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Attached, Connection, EncodeError, HttpRequest, Inbound, MemberId,
    Open, OpenCode, Outbound, Output, RpcError, RpcIn,
};
use askdesk_domain::{Choices, config};
use serde_json::{Value, json};
use uuid::Uuid;

const MEMBER: MemberId = MemberId(1);

/// One session, and the requests to its server.
pub struct OpenCodeSession {
    connection: OpenCodeConnection,
    adapter: OpenCodeAdapter,
    pub events: Vec<AgentEvent>,
    /// What was asked of the server, with methods and paths without their queries.
    pub requests: Vec<(String, Value)>,
    open: VecDeque<(u64, String)>,
}

impl OpenCodeSession {
    pub fn unopened(choices: &Choices) -> Self {
        let mut connection = OpenCodeConnection::default();
        connection.join(MEMBER);
        let config = config::with_choices(&OpenCode::default().descriptor().config, choices);
        let adapter = OpenCodeAdapter::new(Path::new("/proj"), config);
        Self { connection, adapter, events: Vec::new(), requests: Vec::new(), open: VecDeque::new() }
    }

    pub fn open(&mut self, how: Open) {
        let out = self.adapter.open(how);
        self.take(out);
    }

    /// A new session with this id whose turn runs.
    pub fn working(id: &str) -> Self {
        let mut session = Self::unopened(&Choices::new());
        session.open(Open::New);
        session.respond("POST /session", Ok(json!({"id": id, "version": "1.18.33"})));
        let attached = Attached::default();
        session.act(Action::Message { id: Uuid::nil(), text: "go".to_owned(), attached }).unwrap();
        session.event("session.status", &json!({"sessionID": id, "status": {"type": "busy"}}));
        session.events.clear();
        session
    }

    pub fn event(&mut self, kind: &str, properties: &Value) {
        let id = format!("evt_{}", Uuid::new_v4());
        let event = json!({"payload": {"id": id, "type": kind, "properties": properties}});
        self.receive(Inbound::Line(event.to_string().into_bytes()));
    }

    /// Responds to the oldest open request of this method and path.
    pub fn respond(&mut self, to: &str, result: Result<Value, RpcError>) {
        let place = self.open.iter().position(|(_, open)| open == to);
        let place = place.unwrap_or_else(|| panic!("no open {to} in {:?}", self.open));
        let (id, _) = self.open.remove(place).unwrap();
        self.receive(Inbound::Rpc(RpcIn::Response { id, result }));
    }

    pub fn act(&mut self, action: Action) -> Result<(), EncodeError> {
        let out = self.adapter.send(action)?;
        self.take(out);
        Ok(())
    }

    pub fn receive(&mut self, inbound: Inbound) {
        let routed = self.connection.receive(inbound);
        self.queue(routed.requests);
        for (member, inbound) in routed.inbound {
            assert_eq!(member, MEMBER);
            let out = self.adapter.receive(&inbound);
            self.take(out);
        }
    }

    fn take(&mut self, out: Output) {
        self.events.extend(out.events);
        for outbound in out.outbound {
            assert!(matches!(outbound, Outbound::Rpc(_)), "{outbound:?}");
            let routed = self.connection.send(MEMBER, outbound);
            self.queue(routed.requests);
            for (_, inbound) in routed.inbound {
                let out = self.adapter.receive(&inbound);
                self.take(out);
            }
        }
    }

    fn queue(&mut self, requests: Vec<HttpRequest>) {
        for HttpRequest { id, method, path, body, .. } in requests {
            let names_folder = path.contains("directory=/proj") || path.contains("directory%5D=/proj");
            assert!(names_folder || path.starts_with("/api/") || path == "/global/health", "{path}");
            let line = format!("{method} {}", path.split('?').next().unwrap());
            self.requests.push((line.clone(), body));
            self.open.push_back((id, line));
        }
    }
}
