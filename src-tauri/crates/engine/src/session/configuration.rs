//! What the agent says about itself, and changes of config options while it runs.

use askdesk_agents::{Action, Configuration};
use askdesk_domain::{ChangeRefused, DeliveryError, NamedBy, Rejection, SessionCommand, config};

use super::pending::WriteSubject;
use super::task::SessionTask;
use crate::error::EngineError;
use crate::mailbox::{ConfigChange, Reply};

/// How many changes of one session can wait for the agent at a time.
const PENDING_CHANGES: usize = 16;

impl SessionTask {
    pub(super) async fn on_configuration(&mut self, event: Configuration) {
        match event {
            Configuration::Introduced { version, model, native_session } => {
                self.record(SessionCommand::Introduce { session: self.id, version, model, native_session })
                    .await;
                // An introduced agent counts as idle, and a queued message would overtake the turn that begins.
                if std::mem::take(&mut self.turn.first_sent) && !self.turn.is_running {
                    self.set_working(true).await;
                }
                self.resumption.note_ready();
            }
            Configuration::ConfigChanged { config } => {
                self.policies.planning = config::is_planning(&config);
                self.record(SessionCommand::NoteConfig { session: self.id, config }).await;
            }
            Configuration::ConfigAnswered { ticket, refused } => {
                self.reply_to_change(ticket, refused.map(|words| ChangeRefused::InWords { words }));
            }
            Configuration::Titled { title } => {
                let named = SessionCommand::SuggestName { session: self.id, name: title, by: NamedBy::Agent };
                self.record(named).await;
            }
            Configuration::CommandsChanged { commands } => self.commands.set(self.id, commands),
        }
    }

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
