//! The agent's context: how full it is, and making it smaller.

use askdesk_agents::Action;
use askdesk_domain::{ChangeRefused, ContextUse, Rejection, UnsupportedFeature};

use super::pending::WriteSubject;
use super::task::SessionTask;
use crate::error::EngineError;
use crate::mailbox::Input;

impl SessionTask {
    /// Tells subscribers how full the context is, if that is news.
    pub(super) async fn note_context(&mut self, context: Option<ContextUse>) {
        if self.shown.context.replace(context) != Some(context) {
            self.engine.send(Input::ContextChanged { session: self.id, context }).await;
        }
    }

    /// Asks the agent to make its context smaller. It works on that as on a turn, so nothing else may be running.
    pub(super) async fn compact(&mut self) -> Result<(), EngineError> {
        if self.turn.is_running {
            return Err(Rejection::AgentRefused { why: ChangeRefused::Working }.into());
        }
        if self.try_send(WriteSubject::Message, Action::Compact).await.is_err() {
            return Err(Rejection::Unsupported { what: UnsupportedFeature::Compacting }.into());
        }
        self.set_working(true).await;
        Ok(())
    }
}
