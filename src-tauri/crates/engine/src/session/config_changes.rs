//! Changes of config options in a running agent, and the agent's answers to them.

use askdesk_agents::Action;
use askdesk_domain::{ChangeRefused, DeliveryError, Rejection};

use super::pending::WriteSubject;
use super::task::SessionTask;
use crate::error::EngineError;
use crate::mailbox::{ConfigChange, Reply};

/// How many changes of one session can wait for the agent at a time.
const PENDING_CHANGES: usize = 16;

impl SessionTask {
    pub(super) async fn set_config(&mut self, change: ConfigChange, reply: Reply<Result<(), EngineError>>) {
        // A caller that has given up no longer waits.
        let changes = &mut self.config_changes;
        changes.waiting.retain(|_, reply| !reply.is_closed());
        if changes.waiting.len() >= PENDING_CHANGES {
            let _ = reply.send(Err(refused(ChangeRefused::OthersWait)));
            return;
        }
        changes.asked += 1;
        let ticket = changes.asked;
        let ConfigChange { option, value } = change;
        match self.agent.adapter.send(Action::SetConfig { ticket, option, value }) {
            Ok(output) => {
                self.config_changes.waiting.insert(ticket, reply);
                self.write(WriteSubject::ConfigChange { ticket }, output.outbound);
                for event in output.events {
                    self.on_event(event, None).await;
                }
            }
            Err(error) => {
                let _ = reply.send(Err(refused(ChangeRefused::InWords { words: error.to_string() })));
            }
        }
    }

    pub(super) fn on_config_answered(&mut self, ticket: u64, refusal: Option<String>) {
        self.reply_to_change(ticket, refusal.map(|words| ChangeRefused::InWords { words }));
    }

    pub(super) fn change_unwritten(&mut self, ticket: u64, why: DeliveryError) {
        self.reply_to_change(ticket, Some(ChangeRefused::Unreached { why }));
    }

    fn reply_to_change(&mut self, ticket: u64, why: Option<ChangeRefused>) {
        if let Some(reply) = self.config_changes.waiting.remove(&ticket) {
            let _ = reply.send(why.map_or(Ok(()), |why| Err(refused(why))));
        }
    }
}

fn refused(why: ChangeRefused) -> EngineError {
    Rejection::AgentRefused { why }.into()
}
