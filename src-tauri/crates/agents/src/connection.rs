//! The sans-IO part of a shared link.

mod http_request;
mod json_rpc;

use std::fmt::Debug;

use crate::adapter::{Inbound, Outbound};

pub use http_request::{HttpMethod, HttpRequest};
pub use json_rpc::{Handshake, JsonRpcConnection, JsonRpcRules, OPEN_REQUESTS, UNCLAIMED};

/// Names a session among those that share a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub u64);

/// Multiplexes several sessions over one server: handshake, request ids, and the routing of messages.
pub trait Connection: Send + Debug {
    /// Begins the handshake; called once, before anything else.
    fn open(&mut self) -> Routed;

    /// Whether the handshake is complete; [`Connection::send`] is not called before.
    fn is_ready(&self) -> bool;

    /// Adds a session.
    fn join(&mut self, member: MemberId);

    /// Encodes what a session writes.
    fn send(&mut self, member: MemberId, outbound: Outbound) -> Routed;

    /// Interprets what the server sent.
    fn receive(&mut self, inbound: Inbound) -> Routed;

    /// Removes a session; nothing is delivered to it afterwards.
    fn leave(&mut self, member: MemberId) -> Routed;
}

/// What has to be written and delivered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routed {
    /// Lines to write to the server.
    pub lines: Vec<String>,
    /// Requests to a server that speaks HTTP. Each gets one [`RpcIn::Response`](crate::RpcIn).
    pub requests: Vec<HttpRequest>,
    /// What goes to which session.
    pub inbound: Vec<(MemberId, Inbound)>,
    /// Why the connection cannot go on.
    pub failed: Option<String>,
}
