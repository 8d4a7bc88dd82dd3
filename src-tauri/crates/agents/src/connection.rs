//! The sans-IO part of a link that several sessions share.

mod json_rpc;

use std::fmt::Debug;

use crate::adapter::{Inbound, Outbound};

pub use json_rpc::{Handshake, JsonRpcConnection, JsonRpcRules, OPEN_REQUESTS, UNCLAIMED};

/// Names a session among those that share a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub u64);

/// Speaks with one server for several sessions: handshake, request ids, and which message belongs to whom.
pub trait Connection: Send + Debug {
    /// Begins the handshake; called once, before anything else.
    fn open(&mut self) -> Routed;

    /// Says whether the handshake is over; before, [`Connection::send`] is not called.
    fn is_ready(&self) -> bool;

    /// Takes in a session.
    fn join(&mut self, member: MemberId);

    /// Encodes what a session writes.
    fn send(&mut self, member: MemberId, outbound: Outbound) -> Routed;

    /// Takes what the server sent.
    fn receive(&mut self, inbound: Inbound) -> Routed;

    /// Lets a session go; nothing is delivered to it afterwards.
    fn leave(&mut self, member: MemberId) -> Routed;
}

/// What a connection makes of something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routed {
    /// Lines to write to the server.
    pub lines: Vec<String>,
    /// What goes to which session.
    pub inbound: Vec<(MemberId, Inbound)>,
    /// Why the connection cannot go on.
    pub failed: Option<String>,
}
