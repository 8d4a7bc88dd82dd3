//! One JSON-RPC connection for several sessions, configured with the places of the session ids in a protocol.

use std::collections::{HashMap, VecDeque};

use askdesk_outside_json::{Lost, Read};
use serde_json::{Map, Value, json};

use super::{Connection, MemberId, Routed};
use crate::adapter::{Inbound, Outbound, Partial};
use crate::rpc::{INTERNAL_ERROR, PARSE_ERROR, RpcError, RpcIn, RpcOut};

/// How many messages for unknown sessions are kept; beyond that the oldest is refused.
pub const UNCLAIMED: usize = 1024;
/// How many bytes those messages may have in total.
pub const UNCLAIMED_BYTES: usize = 8 * 1024 * 1024;
/// How many requests of the server may be open in all sessions; more are refused.
pub const OPEN_REQUESTS: usize = 1024;

/// What one protocol on top of JSON-RPC looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonRpcRules {
    /// None if sessions may write at once.
    pub handshake: Option<Handshake>,
    /// JSON pointers to the session id in `params`; the first that points to a string counts.
    pub session_in_params: &'static [&'static str],
    /// JSON pointer to the session id in `params` to which a new session belongs that the agent began by itself, such as one
    /// of a subagent. What is about the new one goes to the same member.
    pub parent_in_params: Option<&'static str>,
    /// JSON pointers to ids in `params`, one or a list, of such new sessions that a message about a session names.
    pub children_in_params: &'static [&'static str],
    /// JSON pointers into `result` to the session id that a response assigns.
    pub session_in_result: &'static [&'static str],
    /// Whether messages contain `"jsonrpc": "2.0"`.
    pub sends_version: bool,
}

/// The handshake: one request, and a notification once it is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Handshake {
    pub method: &'static str,
    pub params: Value,
    /// The notification that follows the answer.
    pub notification: Option<&'static str>,
}

/// Speaks JSON-RPC with one server for several sessions.
///
/// Sessions are identified by the ids in their own requests and in the responses to them. Messages for an unknown id
/// are kept while some session has no id yet, and are delivered to the one that gets it.
#[derive(Debug)]
pub struct JsonRpcConnection {
    rules: JsonRpcRules,
    ready: bool,
    /// Counts our own requests, for their ids on the wire.
    requests_sent: u64,
    handshake_id: Option<u64>,
    /// Our open requests by their ids on the wire: the session and its key.
    client_requests: HashMap<u64, (MemberId, u64)>,
    /// The open requests of the server, with the session that has to answer.
    server_requests: Vec<(Value, MemberId)>,
    members: Vec<MemberId>,
    sessions: HashMap<String, MemberId>,
    unclaimed: VecDeque<Unclaimed>,
}

/// A message for a session id that no member has claimed yet.
#[derive(Debug)]
struct Unclaimed {
    session: String,
    message: RpcIn,
    /// The length of its line.
    bytes: usize,
}

impl JsonRpcConnection {
    /// Makes a conversation that has not begun.
    pub fn new(rules: JsonRpcRules) -> Self {
        Self {
            ready: rules.handshake.is_none(),
            rules,
            requests_sent: 0,
            handshake_id: None,
            client_requests: HashMap::new(),
            server_requests: Vec::new(),
            members: Vec::new(),
            sessions: HashMap::new(),
            unclaimed: VecDeque::new(),
        }
    }

    /// Writes a message with its fields in the usual order.
    fn line(&self, fields: Value) -> String {
        let mut message = Map::new();
        if self.rules.sends_version {
            message.insert("jsonrpc".to_owned(), json!("2.0"));
        }
        if let Value::Object(fields) = fields {
            message.extend(fields.into_iter().filter(|(name, value)| name != "params" || !value.is_null()));
        }
        Value::Object(message).to_string()
    }

    fn answer(&self, id: &Value, result: Result<Value, RpcError>) -> String {
        self.line(match result {
            Ok(result) => json!({"id": id, "result": result}),
            Err(error) => json!({"id": id, "error": error.to_json()}),
        })
    }

    fn next_id(&mut self) -> u64 {
        self.requests_sent += 1;
        self.requests_sent
    }

    /// Takes note of whose session an id is; the first session that has it keeps it.
    fn claim_session(&mut self, member: MemberId, session: Option<&str>, out: &mut Routed) {
        let Some(session) = session else { return };
        self.sessions.entry(session.to_owned()).or_insert(member);
        if self.sessions.get(session) != Some(&member) {
            return;
        }
        for kept in std::mem::take(&mut self.unclaimed) {
            if kept.session == session {
                self.deliver(member, kept.message, out);
            } else {
                self.unclaimed.push_back(kept);
            }
        }
        self.refuse_unclaimed(out);
    }

    /// Refuses the messages that no session can claim any more.
    fn refuse_unclaimed(&mut self, out: &mut Routed) {
        if self.some_member_has_no_session() {
            return;
        }
        for kept in std::mem::take(&mut self.unclaimed) {
            self.refuse(&kept.message, out);
        }
    }

    fn some_member_has_no_session(&self) -> bool {
        let has_session = |member: &MemberId| self.sessions.values().any(|known| known == member);
        !self.members.iter().all(has_session)
    }

    fn unclaimed_bytes(&self) -> usize {
        self.unclaimed.iter().map(|message| message.bytes).sum()
    }

    /// Answers a request that no session takes with an error; a notification gets no answer.
    fn refuse(&self, message: &RpcIn, out: &mut Routed) {
        if let RpcIn::Request { id, method, .. } = message {
            out.lines.push(self.answer(id, Err(RpcError::unknown_method(method))));
        }
    }

    fn deliver(&mut self, member: MemberId, message: RpcIn, out: &mut Routed) {
        if let RpcIn::Request { id, .. } = &message {
            if self.server_requests.len() >= OPEN_REQUESTS {
                let error = RpcError::new(INTERNAL_ERROR, "too many open requests");
                return out.lines.push(self.answer(id, Err(error)));
            }
            let request = (id.clone(), member);
            if !self.server_requests.contains(&request) {
                self.server_requests.push(request);
            }
        }
        out.inbound.push((member, Inbound::Rpc(message)));
    }

    /// Routes a request or a notification of the server.
    fn route(&mut self, message: RpcIn, bytes: usize, out: &mut Routed) {
        let (RpcIn::Request { params, .. } | RpcIn::Notification { params, .. }) = &message else {
            return;
        };
        let session = text_at(params, self.rules.session_in_params).map(str::to_owned);
        let Some(session) = session else {
            return match &message {
                RpcIn::Request { .. } => self.refuse(&message, out),
                // It is about the server, so it is for everybody.
                _ => out
                    .inbound
                    .extend(self.members.iter().map(|member| (*member, Inbound::Rpc(message.clone())))),
            };
        };
        if !self.sessions.contains_key(&session)
            && let Some(pointer) = self.rules.parent_in_params
            && let Some(parent) = text_at(params, &[pointer])
            && let Some(member) = self.sessions.get(parent).copied()
        {
            self.sessions.insert(session.clone(), member);
        }
        if let Some(member) = self.sessions.get(&session).copied() {
            for pointer in self.rules.children_in_params {
                let children: Vec<&str> = match params.pointer(pointer) {
                    Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
                    Some(Value::String(one)) => vec![one],
                    _ => Vec::new(),
                };
                for child in children {
                    self.sessions.entry(child.to_owned()).or_insert(member);
                }
            }
            return self.deliver(member, message, out);
        }
        if !self.some_member_has_no_session() {
            return self.refuse(&message, out);
        }
        self.unclaimed.push_back(Unclaimed { session, message, bytes });
        while self.unclaimed.len() > UNCLAIMED || self.unclaimed_bytes() > UNCLAIMED_BYTES {
            let Some(oldest) = self.unclaimed.pop_front() else { return };
            self.refuse(&oldest.message, out);
        }
    }

    fn on_answer(&mut self, id: u64, result: Result<Value, RpcError>, out: &mut Routed) {
        if self.handshake_id == Some(id) {
            self.handshake_id = None;
            match (result, self.rules.handshake.as_ref().and_then(|handshake| handshake.notification)) {
                (Err(error), _) => out.failed = Some(error.to_string()),
                (Ok(_), then) => {
                    self.ready = true;
                    out.lines.extend(then.map(|method| self.line(json!({"method": method}))));
                }
            }
            return;
        }
        // The session that asked may be gone.
        let Some((member, key)) = self.client_requests.remove(&id) else { return };
        let session = result.as_ref().ok().and_then(|result| text_at(result, self.rules.session_in_result));
        let session = session.map(str::to_owned);
        out.inbound.push((member, Inbound::Rpc(RpcIn::Response { id: key, result })));
        self.claim_session(member, session.as_deref(), out);
    }

    /// Passes on what is not a message of the protocol to every session, which counts it.
    fn share_unusable(&self, inbound: &Inbound, out: &mut Routed) {
        out.inbound.extend(self.members.iter().map(|member| (*member, inbound.clone())));
    }
}

impl Connection for JsonRpcConnection {
    fn open(&mut self) -> Routed {
        let mut out = Routed::default();
        if let Some(Handshake { method, params, .. }) = self.rules.handshake.clone() {
            let id = self.next_id();
            self.handshake_id = Some(id);
            out.lines.push(self.line(json!({"id": id, "method": method, "params": params})));
        }
        out
    }

    fn is_ready(&self) -> bool {
        self.ready
    }

    fn join(&mut self, member: MemberId) {
        self.members.push(member);
    }

    fn send(&mut self, member: MemberId, outbound: Outbound) -> Routed {
        let mut out = Routed::default();
        match outbound {
            Outbound::Line(line) => out.lines.push(line),
            Outbound::Rpc(RpcOut::Request { id: key, method, params }) => {
                let id = self.next_id();
                self.client_requests.insert(id, (member, key));
                out.lines.push(self.line(json!({"id": id, "method": method, "params": params})));
                let session = text_at(&params, self.rules.session_in_params).map(str::to_owned);
                self.claim_session(member, session.as_deref(), &mut out);
            }
            Outbound::Rpc(RpcOut::Notification { method, params }) => {
                out.lines.push(self.line(json!({"method": method, "params": params})));
            }
            Outbound::Rpc(RpcOut::Response { id, result }) => {
                let place =
                    self.server_requests.iter().position(|(asked, who)| *asked == id && *who == member);
                // Twice answered, or another session's: the server does not wait for it.
                if let Some(place) = place {
                    self.server_requests.remove(place);
                    out.lines.push(self.answer(&id, result));
                }
            }
        }
        out
    }

    fn receive(&mut self, inbound: Inbound) -> Routed {
        let mut out = Routed::default();
        let line = match &inbound {
            Inbound::Line(line) | Inbound::End { unfinished: line } if line.trim_ascii().is_empty() => {
                return out;
            }
            Inbound::Line(line) | Inbound::Abridged { line, .. } | Inbound::End { unfinished: line } => line,
            Inbound::Rpc(_) => {
                self.share_unusable(&inbound, &mut out);
                return out;
            }
        };
        let abridged = match &inbound {
            Inbound::Abridged { why, .. } => Some(*why),
            _ => None,
        };
        let Read { value, lost, .. } = askdesk_outside_json::read(line);
        let malformed = lost == Some(Lost::Malformed);
        let cut_off = malformed && matches!(inbound, Inbound::End { .. });
        let Value::Object(mut message) = (if cut_off { Value::Null } else { value }) else {
            self.share_unusable(&inbound, &mut out);
            return out;
        };
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let params = message.remove("params").unwrap_or(Value::Null);
        let id = message.remove("id").filter(|id| id.is_string() || id.is_number());
        match (method, id) {
            (Some(_), Some(id)) if let Some(why) = abridged.or(lost.map(Partial::Unread)) => {
                let code = if malformed { PARSE_ERROR } else { INTERNAL_ERROR };
                let error = RpcError::new(code, why.refusal());
                out.lines.push(self.answer(&id, Err(error)));
                let session = text_at(&params, self.rules.session_in_params);
                let member = session.and_then(|session| self.sessions.get(session)).copied();
                let refused = Inbound::Abridged { line: line.clone(), why };
                out.inbound.extend(member.map(|member| (member, refused)));
            }
            (Some(method), Some(id)) => {
                self.route(RpcIn::Request { id, method, params }, line.len(), &mut out);
            }
            (None, Some(id)) if malformed && id.as_u64().is_some_and(|id| id <= self.requests_sent) => {
                let error = RpcError::new(PARSE_ERROR, "the response isn't valid JSON");
                self.on_answer(id.as_u64().unwrap_or_default(), Err(error), &mut out);
            }
            _ if malformed => self.share_unusable(&inbound, &mut out),
            (Some(method), None) => {
                self.route(RpcIn::Notification { method, params }, line.len(), &mut out);
            }
            (None, Some(id)) => {
                let result = match (message.remove("error"), message.remove("result")) {
                    (Some(error), _) if !error.is_null() => Err(RpcError::read(&error)),
                    (_, result) => Ok(result.unwrap_or(Value::Null)),
                };
                match id.as_u64().filter(|id| *id <= self.requests_sent) {
                    Some(id) => self.on_answer(id, result, &mut out),
                    None => self.share_unusable(&inbound, &mut out),
                }
            }
            (None, None) => self.share_unusable(&inbound, &mut out),
        }
        out
    }

    fn leave(&mut self, member: MemberId) -> Routed {
        let mut out = Routed::default();
        self.members.retain(|other| *other != member);
        self.sessions.retain(|_, owner| *owner != member);
        self.client_requests.retain(|_, (owner, _)| *owner != member);
        // The server would wait forever for what it asked this session.
        let (gone, asked) =
            std::mem::take(&mut self.server_requests).into_iter().partition(|(_, owner)| *owner == member);
        self.server_requests = asked;
        let gone: Vec<(Value, MemberId)> = gone;
        let closed = || RpcError::new(INTERNAL_ERROR, "the session is closed");
        out.lines.extend(gone.iter().map(|(id, _)| self.answer(id, Err(closed()))));
        self.refuse_unclaimed(&mut out);
        out
    }
}

fn text_at<'a>(value: &'a Value, pointers: &[&str]) -> Option<&'a str> {
    pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_str())
}
