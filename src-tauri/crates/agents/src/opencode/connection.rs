//! The conversation with one server: who an event is for, and whose request a response answers.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::parent_of;
use crate::adapter::{Inbound, Outbound};
use crate::connection::{Connection, HttpMethod, HttpRequest, MemberId, Routed};
use crate::rpc::{INTERNAL_ERROR, RpcError, RpcIn, RpcOut};

/// The event that each stream begins with.
pub(super) const CONNECTED: &str = "server.connected";
/// The event that shows that the stream is alive, every ten seconds (measured with 1.18.33).
pub(super) const HEARTBEAT: &str = "server.heartbeat";
/// Kinds of events that are about the server, its folders or its terminal program, and not about a session's work.
const ABOUT_SERVER: &[&str] = &[
    "catalog.",
    "command.",
    "file.",
    "global.",
    "installation.",
    "integration.",
    "lsp.",
    "mcp.",
    "models-dev.",
    "plugin.",
    "project.",
    "pty.",
    "reference.",
    "tui.",
    "vcs.",
    "workspace.",
    "worktree.",
];
/// How many ids of events are remembered, so that an event that arrives twice counts once.
const REMEMBERED_EVENTS: usize = 4096;

/// Routes the events of `/global/event` and the responses of one server.
#[derive(Debug, Default)]
pub struct OpenCodeConnection {
    connected: bool,
    requests_sent: u64,
    /// The open requests by their ids on the wire: the session and its key.
    open: HashMap<u64, (MemberId, u64)>,
    members: Vec<MemberId>,
    /// Whose session an id is. A subagent's session belongs to the session it works for.
    sessions: HashMap<String, MemberId>,
    seen: HashSet<String>,
    seen_in_order: VecDeque<String>,
}

impl OpenCodeConnection {
    /// Returns false for an event that has arrived before.
    fn is_new(&mut self, event: &Value) -> bool {
        let Some(id) = event.get("id").and_then(Value::as_str) else { return true };
        if !self.seen.insert(id.to_owned()) {
            return false;
        }
        self.seen_in_order.push_back(id.to_owned());
        if self.seen_in_order.len() > REMEMBERED_EVENTS
            && let Some(oldest) = self.seen_in_order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        true
    }

    fn claim(&mut self, session: &str, member: MemberId) {
        self.sessions.entry(session.to_owned()).or_insert(member);
    }

    /// Takes note of subagents in a session or a list of sessions.
    fn claim_subagents(&mut self, sessions: &Value) {
        let all = sessions.as_array().map_or_else(|| std::slice::from_ref(sessions), Vec::as_slice);
        for (id, parent) in all.iter().filter_map(parent_of) {
            if let Some(member) = self.sessions.get(parent).copied() {
                self.claim(id, member);
            }
        }
    }

    fn share(&self, inbound: &Inbound, out: &mut Routed) {
        out.inbound.extend(self.members.iter().map(|member| (*member, inbound.clone())));
    }

    /// Routes an event; `abridged` is the length of one that was too long to be read whole.
    fn on_event(&mut self, event: &Value, abridged: Option<usize>, out: &mut Routed) {
        let Some(kind) = event.get("type").and_then(Value::as_str).map(str::to_owned) else { return };
        // The server repeats every stored event in this form.
        if kind == "sync" || !self.is_new(event) {
            return;
        }
        let properties = event.get("properties").cloned().unwrap_or(Value::Null);
        if let Some(session) = properties.get("info").filter(|_| kind.starts_with("session.")) {
            self.claim_subagents(session);
        }
        self.connected |= kind == CONNECTED;
        let places = ["/sessionID", "/info/sessionID", "/part/sessionID"];
        let session = places.iter().find_map(|place| properties.pointer(place)?.as_str());
        let notification = |properties: Value| match abridged {
            // The session refuses it, and needs to know why.
            Some(bytes) if asks(&kind) => {
                Inbound::Abridged { line: properties.to_string().into_bytes(), bytes }
            }
            _ => Inbound::Rpc(RpcIn::Notification { method: kind.clone(), params: properties }),
        };
        match session {
            Some(session) => {
                // Other programs may use the server's store, and their sessions are none of ours.
                if let Some(member) = self.sessions.get(session).copied() {
                    out.inbound.push((member, notification(properties)));
                }
            }
            None if concerns_server(&kind) => {}
            None => self.share(&notification(properties), out),
        }
    }

    fn on_response(&mut self, id: u64, result: Result<Value, RpcError>, out: &mut Routed) {
        // The session that asked may be gone.
        let Some((member, key)) = self.open.remove(&id) else { return };
        if let Ok(value) = &result {
            let own = value.get("id").and_then(Value::as_str).filter(|id| id.starts_with("ses"));
            if let Some(session) = own {
                self.claim(session, member);
            }
            self.claim_subagents(value);
        }
        out.inbound.push((member, Inbound::Rpc(RpcIn::Response { id: key, result })));
    }
}

/// Whether a kind of event that names no session is about the server itself.
pub(super) fn concerns_server(kind: &str) -> bool {
    ABOUT_SERVER.iter().any(|known| kind.starts_with(known))
}

/// Whether an event is a question or a permission request.
fn asks(kind: &str) -> bool {
    matches!(kind, "question.asked" | "permission.asked")
}

impl Connection for OpenCodeConnection {
    fn open(&mut self) -> Routed {
        Routed::default()
    }

    fn is_ready(&self) -> bool {
        self.connected
    }

    fn join(&mut self, member: MemberId) {
        self.members.push(member);
    }

    fn send(&mut self, member: MemberId, outbound: Outbound) -> Routed {
        let mut out = Routed::default();
        let Outbound::Rpc(RpcOut::Request { id: key, method: line, params: body }) = outbound else {
            return out;
        };
        let Some((method, path)) = HttpMethod::split(&line) else {
            let result = Err(RpcError::new(INTERNAL_ERROR, format!("not a request: {line}")));
            out.inbound.push((member, Inbound::Rpc(RpcIn::Response { id: key, result })));
            return out;
        };
        let place = path.split('?').next().unwrap_or_default();
        if let Some(session) = place.strip_prefix("/session/").and_then(|rest| rest.split('/').next())
            && session.starts_with("ses")
        {
            self.claim(session, member);
        }
        self.requests_sent += 1;
        self.open.insert(self.requests_sent, (member, key));
        out.requests.push(HttpRequest {
            id: self.requests_sent,
            session: member,
            method,
            path: path.to_owned(),
            body,
            long: place.ends_with("/summarize"),
        });
        out
    }

    fn receive(&mut self, inbound: Inbound) -> Routed {
        let mut out = Routed::default();
        if let Inbound::Rpc(RpcIn::Response { id, result }) = inbound {
            self.on_response(id, result, &mut out);
            return out;
        }
        let (line, abridged) = match &inbound {
            Inbound::Line(line) => (line, None),
            Inbound::Abridged { line, bytes } => (line, Some(*bytes)),
            other => {
                self.share(other, &mut out);
                return out;
            }
        };
        match serde_json::from_slice::<Value>(line) {
            Ok(Value::Object(mut event)) => {
                // An event of one folder's stream has no frame.
                let event = event.remove("payload").unwrap_or(Value::Object(event));
                self.on_event(&event, abridged, &mut out);
            }
            _ => self.share(&inbound, &mut out),
        }
        out
    }

    fn leave(&mut self, member: MemberId) -> Routed {
        self.members.retain(|other| *other != member);
        self.sessions.retain(|_, owner| *owner != member);
        self.open.retain(|_, (owner, _)| *owner != member);
        Routed::default()
    }
}
