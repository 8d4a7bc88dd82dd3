//! What the person changes about a running agent, and what the agent says to it.

use askdesk_domain::{ChangeRefused, PermissionMode, Reject, Undelivered};
use tokio::sync::oneshot;

use super::SessionTask;
use super::pending::Line;
use crate::writer::EngineError;

/// How many changes of one session may wait for the agent at a time.
const AWAITED_CHANGES: usize = 16;

/// Another way to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// In this permission mode.
    Mode(PermissionMode),
    /// With this model.
    Model(String),
}

/// A request of ours that somebody waits for.
pub(super) struct Awaited {
    /// Tells which line carried it.
    number: u64,
    reply: oneshot::Sender<Result<(), EngineError>>,
}

impl SessionTask {
    pub(super) fn change(&mut self, change: &Change, reply: oneshot::Sender<Result<(), EngineError>>) {
        // Whoever has given up need not be remembered.
        self.requests.retain(|_, awaited| !awaited.reply.is_closed());
        if self.requests.len() >= AWAITED_CHANGES {
            let _ = reply.send(Err(Reject::AgentRefused { why: ChangeRefused::OthersWait }.into()));
            return;
        }
        let request = match change {
            Change::Mode(mode) => self.stream.encode_set_mode(*mode),
            Change::Model(model) => self.stream.encode_set_model(model),
        };
        self.changes_asked += 1;
        let number = self.changes_asked;
        self.requests.insert(request.id, Awaited { number, reply });
        self.write(Line::Request { number }, request.line);
    }

    pub(super) fn on_request_ended(&mut self, request_id: &str, refused: Option<String>) {
        if let Some(awaited) = self.requests.remove(request_id) {
            let ended = refused.map_or(Ok(()), |words| {
                let why = ChangeRefused::InWords { words };
                Err(Reject::AgentRefused { why }.into())
            });
            let _ = awaited.reply.send(ended);
        }
    }

    pub(super) fn request_unwritten(&mut self, number: u64, why: &Undelivered) {
        for (_, awaited) in self.requests.extract_if(|_, awaited| awaited.number == number) {
            let why = ChangeRefused::Unreached { why: why.clone() };
            let _ = awaited.reply.send(Err(Reject::AgentRefused { why }.into()));
        }
    }
}
