//! OpenCode's adapter and connection, fed with what the real program sent.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use askdesk_agents::opencode::{OpenCodeAdapter, OpenCodeConnection};
use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Attached, Connection, HttpRequest, Inbound, InputError, MemberId,
    Open, OpenCode, Outbound, Output, Partial, RpcError, RpcIn,
};
use askdesk_domain::{Choices, NativeRef, NativeSession, Outcome, config};
use serde_json::{Value, json};
use uuid::Uuid;

const MEMBER: MemberId = MemberId(1);
/// What OpenCode answers to an unknown route.
pub const PAGE: &str = "<!doctype html>";

/// One session on a server that only repeats what was recorded.
pub struct OpenCodeSession {
    connection: OpenCodeConnection,
    pub adapter: OpenCodeAdapter,
    pub events: Vec<AgentEvent>,
    /// What was asked of the server, with methods and paths without their queries.
    pub requests: Vec<(String, Value)>,
    open: VecDeque<(u64, String)>,
}

impl OpenCodeSession {
    pub fn begin(how: Open) -> Self {
        Self::begin_with(how, &Choices::default())
    }

    pub fn begin_with(how: Open, choices: &Choices) -> Self {
        Self::begin_on(Vec::new(), how, choices)
    }

    /// Begins on a server that has sent these events, and doesn't know the routes that were asked for then.
    pub fn begin_on(said: Vec<Value>, how: Open, choices: &Choices) -> Self {
        Self::begin_answered(said, &[], how, choices)
    }

    /// The same, on a server that knows some of the routes.
    pub fn begin_answered(said: Vec<Value>, known: &[(&str, Value)], how: Open, choices: &Choices) -> Self {
        let mut connection = OpenCodeConnection::default();
        connection.join(MEMBER);
        let config = config::with_choices(&OpenCode::default().descriptor().config, choices);
        let adapter = OpenCodeAdapter::new(Path::new("/proj"), config);
        let (events, requests, open) = (Vec::new(), Vec::new(), VecDeque::new());
        let mut session = Self { connection, adapter, events, requests, open };
        for event in said {
            session.line(&event);
        }
        while let Some((id, line)) = session.open.pop_front() {
            let body = known.iter().find(|(route, _)| *route == line).map(|(_, body)| body.clone());
            let result = Ok(body.unwrap_or_else(|| json!(PAGE)));
            session.receive(Inbound::Rpc(RpcIn::Response { id, result }));
        }
        let out = session.adapter.open(how);
        session.take(out);
        session
    }

    /// A new session with this id whose turn runs.
    pub fn working(id: &str) -> Self {
        let mut session = Self::begin(Open::New);
        session.respond("POST /session", Ok(json!({"id": id, "version": "1.18.33"})));
        session.message("go");
        session.event("session.status", json!({"sessionID": id, "status": {"type": "busy"}}));
        session.events.clear();
        session
    }

    pub fn resuming(id: &str) -> Self {
        Self::begin(Open::Resume { native_session: NativeSession::new(id).unwrap() })
    }

    /// Replays a recording. Before each response `act` can do what the recording's user did.
    pub fn replay(name: &str, mut act: impl FnMut(&mut Self, &str)) -> Self {
        let mut session = Self::begin(Open::New);
        session.message("go");
        for line in recording(name) {
            if let Some(event) = line.get("event") {
                session.line(event);
                continue;
            }
            let response = &line["response"];
            let to = response["to"].as_str().unwrap();
            act(&mut session, to);
            if to == "POST /session" {
                session.respond(to, Ok(response["body"].clone()));
                session.list_everything();
            }
        }
        session
    }

    /// Responds to the requests for lists, as the real server did.
    fn list_everything(&mut self) {
        for line in recording("lists") {
            let response = &line["response"];
            let to = response["to"].as_str().unwrap_or_default();
            if self.open.iter().any(|(_, open)| open == to) {
                self.respond(to, Ok(response["body"].clone()));
            }
        }
    }

    pub fn line(&mut self, event: &Value) {
        self.receive(Inbound::Line(event.to_string().into_bytes()));
    }

    pub fn event(&mut self, kind: &str, properties: Value) {
        let id = format!("evt_{}", Uuid::new_v4());
        let mut event = json!({"directory": "/proj", "payload": {"id": id, "type": kind}});
        event["payload"]["properties"] = properties;
        self.line(&event);
    }

    /// Takes an event that was too long to be read whole.
    pub fn abridged_event(&mut self, kind: &str, properties: &Value, bytes: usize) {
        let event = json!({"payload": {"id": "evt_long", "type": kind, "properties": properties}});
        self.receive(Inbound::Abridged {
            line: event.to_string().into_bytes(),
            why: Partial::TooLarge { bytes },
        });
    }

    /// Responds to the oldest open request of this method and path.
    pub fn respond(&mut self, to: &str, result: Result<Value, RpcError>) {
        let place = self.open.iter().position(|(_, open)| open == to);
        let place = place.unwrap_or_else(|| panic!("no open {to} in {:?}", self.open));
        let (id, _) = self.open.remove(place).unwrap();
        self.receive(Inbound::Rpc(RpcIn::Response { id, result }));
    }

    pub fn act(&mut self, action: Action) {
        let out = self.adapter.send(action).unwrap();
        self.take(out);
    }

    pub fn message(&mut self, text: &str) {
        self.act(Action::Message {
            id: Uuid::new_v4(),
            text: text.to_owned(),
            attached: Attached::default(),
        });
    }

    /// Sends how the newest question ended.
    pub fn end_question(&mut self, outcome: Outcome) {
        let (native_ref, questions) = self.questions().pop().unwrap();
        self.act(Action::Answer { native_ref, questions, outcome });
    }

    pub fn questions(&self) -> Vec<(NativeRef, Vec<askdesk_domain::Question>)> {
        let asked = self.events.iter().filter_map(|event| match event {
            AgentEvent::Asked(asked) => Some((asked.native_ref.clone(), asked.questions.clone())),
            _ => None,
        });
        asked.collect()
    }

    pub fn invalid(&self) -> Vec<&InputError> {
        let invalid = self.events.iter().filter_map(|event| match event {
            AgentEvent::InvalidInput { why } => Some(why),
            _ => None,
        });
        invalid.collect()
    }

    pub fn said(&self) -> Vec<&str> {
        let said = self.events.iter().filter_map(|event| match event {
            AgentEvent::Said { text } => Some(text.trim()),
            _ => None,
        });
        said.collect()
    }

    pub fn count(&self, is: impl Fn(&AgentEvent) -> bool) -> usize {
        self.events.iter().filter(|event| is(event)).count()
    }

    /// The bodies of the requests to a method and path.
    pub fn sent(&self, to: &str) -> Vec<&Value> {
        self.requests.iter().filter(|(line, _)| line == to).map(|(_, body)| body).collect()
    }

    /// Whether a request is open.
    pub fn waits_for(&self, to: &str) -> bool {
        self.open.iter().any(|(_, open)| open == to)
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

/// The lines of a recording.
pub fn recording(name: &str) -> Vec<Value> {
    recording_in("opencode", name)
}

pub fn recording_in(folder: &str, name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/recordings").join(folder);
    let file = folder.join(name);
    let text = std::fs::read_to_string(file.with_extension("jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How often each kind of event is in a recording, without those that repeat others.
pub fn kinds(name: &str) -> HashMap<String, usize> {
    let mut kinds = HashMap::new();
    for line in recording(name) {
        if let Some(kind) = line.pointer("/event/payload/type").and_then(Value::as_str) {
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
    }
    kinds
}
