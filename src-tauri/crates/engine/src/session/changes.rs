//! What the person changes about a running agent, and what the agent says to it.

use askdesk_agents::Act;
use askdesk_domain::{ChangeRefused, ConfigId, DeliveryError, Rejection, ValueId};
use tokio::sync::oneshot;

use super::SessionTask;
use super::pending::Line;
use crate::writer::EngineError;

/// How many changes of one session may wait for the agent at a time.
const AWAITED_CHANGES: usize = 16;

/// Another value of a config option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub option: ConfigId,
    pub value: ValueId,
}

/// Somebody who waits for the agent's answer to a change.
pub(super) struct Awaited {
    reply: oneshot::Sender<Result<(), EngineError>>,
}

impl SessionTask {
    pub(super) async fn change(&mut self, change: Change, reply: oneshot::Sender<Result<(), EngineError>>) {
        // Whoever has given up need not be remembered.
        self.changes.retain(|_, awaited| !awaited.reply.is_closed());
        if self.changes.len() >= AWAITED_CHANGES {
            let _ = reply.send(Err(Rejection::AgentRefused { why: ChangeRefused::OthersWait }.into()));
            return;
        }
        self.changes_asked += 1;
        let ticket = self.changes_asked;
        let Change { option, value } = change;
        match self.adapter.send(Act::SetConfig { ticket, option, value }) {
            Ok(output) => {
                self.changes.insert(ticket, Awaited { reply });
                self.write(Line::Change { ticket }, output.outbound);
                for event in output.events {
                    self.on_event(event, None).await;
                }
            }
            Err(error) => {
                let why = ChangeRefused::InWords { words: error.to_string() };
                let _ = reply.send(Err(Rejection::AgentRefused { why }.into()));
            }
        }
    }

    pub(super) fn on_config_answered(&mut self, ticket: u64, refused: Option<String>) {
        if let Some(awaited) = self.changes.remove(&ticket) {
            let answered = refused.map_or(Ok(()), |words| {
                let why = ChangeRefused::InWords { words };
                Err(Rejection::AgentRefused { why }.into())
            });
            let _ = awaited.reply.send(answered);
        }
    }

    pub(super) fn change_unwritten(&mut self, ticket: u64, why: &DeliveryError) {
        if let Some(awaited) = self.changes.remove(&ticket) {
            let why = ChangeRefused::Unreached { why: why.clone() };
            let _ = awaited.reply.send(Err(Rejection::AgentRefused { why }.into()));
        }
    }
}
