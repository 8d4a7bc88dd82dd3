//! The helpers of the agent: subagents and shells that work in the background.

use askdesk_agents::Helpers;
use askdesk_domain::{
    Helper, HelperCommand, HelperEnd, HelperId, HelperState, Notice, Rejection, UnsupportedFeature,
};

use super::task::SessionTask;
use crate::error::EngineError;

impl SessionTask {
    pub(super) async fn on_helpers(&mut self, event: Helpers) {
        match event {
            Helpers::Began { id, kind, title } => {
                let at = self.engine.clock().now();
                self.helper_outputs.begin(self.id, id.clone());
                self.record(HelperCommand::Begin { session: self.id, id, kind, title, at }).await;
            }
            Helpers::Said { id, text } => self.helper_outputs.add(self.id, &id, &text),
            Helpers::WritesTo { id, path } => {
                let secrets = self.agent.link.secrets().clone();
                self.helper_outputs.set_file(self.id, &id, path, secrets);
            }
            Helpers::Ended { id, end } => {
                self.helper_outputs.end(self.id, &id);
                let Some(helper) = self.helper(&id).await else { return };
                let end = match end {
                    HelperEnd::Stopped if helper.state == HelperState::Stopping => HelperEnd::ByUser,
                    HelperEnd::Stopped if self.stopping => HelperEnd::WithAgent,
                    end => end,
                };
                self.record(HelperCommand::End { session: self.id, id }).await;
                self.tell_end(helper, end).await;
            }
            Helpers::NotStopped { id, error } => {
                let Some(Helper { title, .. }) = self.helper(&id).await else { return };
                let state = HelperState::Working;
                self.record(HelperCommand::SetState { session: self.id, id, state }).await;
                self.write_notice(Notice::HelperNotStopped { title, error }).await;
            }
        }
    }

    /// Asks the agent to stop one helper. The agent reports its end, or why it goes on.
    pub(super) async fn stop_helper(&mut self, id: HelperId) -> Result<(), EngineError> {
        if self.helper(&id).await.is_none() {
            return Err(Rejection::NotFound { what: "helper" }.into());
        }
        let stopped = self.agent.adapter.stop_helper(id.clone());
        self.take(stopped.ok_or(Rejection::Unsupported { what: UnsupportedFeature::StoppingHelper })?, None)
            .await;
        let state = HelperState::Stopping;
        self.engine.act(HelperCommand::SetState { session: self.id, id, state }).await?;
        Ok(())
    }

    /// Tells of the helpers that end with the agent's process.
    pub(super) async fn tell_helpers_end(&mut self) {
        for helper in self.helpers().await {
            self.tell_end(helper, HelperEnd::WithAgent).await;
        }
    }

    async fn tell_end(&mut self, Helper { kind, title, .. }: Helper, end: HelperEnd) {
        self.write_notice(Notice::HelperEnded { helper: kind, title, end }).await;
    }

    async fn helper(&mut self, id: &HelperId) -> Option<Helper> {
        self.helpers().await.into_iter().find(|helper| helper.id == *id)
    }

    async fn helpers(&mut self) -> Vec<Helper> {
        self.engine.session(self.id).await.map(|session| session.helpers).unwrap_or_default()
    }
}
