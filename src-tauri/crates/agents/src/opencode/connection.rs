//! The conversation with one server: who an event is for, and whose request a response answers.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use askdesk_outside_json::{Lost, Read};
use serde_json::Value;

use super::api2::{Api2, Translated, Why};
use super::known::{ABOUT_SERVER, REQUESTS, REQUESTS_2};
use super::parent_of;
use crate::adapter::{Inbound, Outbound, Partial};
use crate::connection::{Connection, HttpMethod, HttpRequest, MemberId, Routed};
use crate::json::text;
use crate::rpc::{INTERNAL_ERROR, RpcError, RpcIn, RpcOut};

/// The event that each stream begins with.
pub(super) const CONNECTED: &str = "server.connected";
/// The event that shows that the stream is alive, every ten seconds (measured with 1.18.33).
pub(super) const HEARTBEAT: &str = "server.heartbeat";
/// How many ids of events are remembered, so that an event that arrives twice counts once.
const REMEMBERED_EVENTS: usize = 4096;

/// Routes the events and the responses of one server.
#[derive(Debug, Default)]
pub struct OpenCodeConnection {
    connected: bool,
    requests_sent: u64,
    /// The open requests by their ids on the wire: the session, and what the response is for.
    open: HashMap<u64, (MemberId, For)>,
    /// Turns the API of OpenCode 2 into the one before, if that is what the server speaks.
    api2: Option<Api2>,
    members: Vec<MemberId>,
    /// Whose session an id is. A subagent's session belongs to the session it works for.
    sessions: HashMap<String, MemberId>,
    seen: HashSet<String>,
    seen_in_order: VecDeque<String>,
}

/// What a response is for.
#[derive(Debug)]
enum For {
    /// The session's own request, by its key.
    Member(u64),
    Translation(Why),
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

    /// Routes an event, or the part of one that could be read.
    fn on_event(&mut self, event: &Value, partial: Option<Partial>, out: &mut Routed) {
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
        let notification = |properties: Value| match partial {
            // The session refuses it, and needs to know why.
            Some(why) if asks(&kind) => Inbound::Abridged { line: properties.to_string().into_bytes(), why },
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

    /// Routes an event of OpenCode 2's API.
    fn on_new_event(&mut self, event: &Value, partial: Option<Partial>, out: &mut Routed) {
        if !self.is_new(event) {
            return;
        }
        let data = &event["data"];
        let session = text(data, "sessionID").or_else(|| data.pointer("/form/sessionID")?.as_str());
        let owner = session.and_then(|session| self.sessions.get(session).copied());
        if session.is_some() && owner.is_none() && text(event, "type") != Some("session.created") {
            return;
        }
        let api2 = self.api2.get_or_insert_default();
        let mut translated = api2.on_event(event, owner);
        if let Some(member) = self.members.first().filter(|_| text(event, "type") == Some(CONNECTED)) {
            translated.asks.extend(api2.connected(*member).asks);
        }
        self.carry_out(translated, partial, out);
    }

    fn carry_out(&mut self, translated: Translated, partial: Option<Partial>, out: &mut Routed) {
        for ask in translated.asks {
            self.requests_sent += 1;
            let long = matches!(ask.why, Why::Look { .. }) || ask.path.ends_with("/compact");
            self.open.insert(self.requests_sent, (ask.member, For::Translation(ask.why)));
            out.requests.push(HttpRequest {
                id: self.requests_sent,
                session: ask.member,
                method: ask.method,
                path: ask.path,
                body: ask.body,
                long,
                delay: ask.delay,
            });
        }
        for event in translated.events {
            self.on_event(&event, partial, out);
        }
        for (member, key, result) in translated.responses {
            self.respond(member, key, result, out);
        }
    }

    fn on_response(&mut self, id: u64, result: Result<Value, RpcError>, out: &mut Routed) {
        // The session that asked may be gone.
        match self.open.remove(&id) {
            Some((member, For::Member(key))) => self.respond(member, key, result, out),
            Some((member, For::Translation(why))) => {
                let Some(api2) = &mut self.api2 else { return };
                let translated = api2.on_response(member, why, result, &self.sessions);
                self.carry_out(translated, None, out);
            }
            None => {}
        }
    }

    fn respond(&mut self, member: MemberId, key: u64, result: Result<Value, RpcError>, out: &mut Routed) {
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
    // The API below `/api` has other names for them.
    REQUESTS.contains(&kind) || REQUESTS_2.contains(&kind)
}

impl Connection for OpenCodeConnection {
    fn open(&mut self) -> Routed {
        Routed::default()
    }

    fn is_ready(&self) -> bool {
        self.connected && self.api2.as_ref().is_none_or(Api2::is_ready)
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
        if let Some(api2) = &mut self.api2 {
            let translated = api2.send(member, key, method, path, body);
            self.carry_out(translated, None, &mut out);
            return out;
        }
        self.requests_sent += 1;
        self.open.insert(self.requests_sent, (member, For::Member(key)));
        out.requests.push(HttpRequest {
            id: self.requests_sent,
            session: member,
            method,
            path: path.to_owned(),
            body,
            long: place.ends_with("/summarize"),
            delay: Duration::ZERO,
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
            Inbound::Abridged { line, why } => (line, Some(*why)),
            other => {
                self.share(other, &mut out);
                return out;
            }
        };
        let Read { mut value, lost, .. } = askdesk_outside_json::read(line);
        // An event of one folder's stream has no frame.
        let event = value.get_mut("payload").map(Value::take).unwrap_or(value);
        let is_used = lost != Some(Lost::Malformed) || event["type"].as_str().is_some_and(asks);
        let partial = abridged.or(lost.map(Partial::Unread));
        match event.is_object() && is_used {
            true if event["data"].is_object() => self.on_new_event(&event, partial, &mut out),
            true => self.on_event(&event, partial, &mut out),
            false => self.share(&inbound, &mut out),
        }
        out
    }

    fn leave(&mut self, member: MemberId) -> Routed {
        self.members.retain(|other| *other != member);
        self.sessions.retain(|_, owner| *owner != member);
        // The others wait for the version, too.
        let is_info = |what: &For| matches!(what, For::Translation(Why::Info));
        self.open.retain(|_, (owner, what)| *owner != member || is_info(what));
        if let Some(api2) = &mut self.api2 {
            api2.leave(member);
        }
        Routed::default()
    }
}
