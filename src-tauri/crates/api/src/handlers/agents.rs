use std::sync::Arc;

use askdesk_agents::{Agent, ask_version};
use askdesk_domain::{AgentId, Rejection, Session};

use crate::api::Api;
use crate::dto::*;
use crate::error::Error;

impl Api {
    pub async fn list_agents(&self, _: ListAgents) -> Result<AgentsFound, Error> {
        let settings = self.current_settings().await?.settings;
        let mut agents = Vec::new();
        for agent in self.engine.agents().iter() {
            let descriptor = agent.descriptor();
            let (program, problem) = match agent.find(None) {
                Ok(program) => (program, None),
                Err(error) => (None, Some(error)),
            };
            let version = match &program {
                Some(program) => Box::pin(ask_version(program)).await,
                None => None,
            };
            agents.push(AgentFound {
                agent: descriptor.id.clone(),
                program: program.map(|program| program.display().to_string()),
                problem,
                version,
                extras: settings.extras(&descriptor.id),
            });
        }
        Ok(AgentsFound { agents })
    }

    pub(super) fn agent(&self, id: &AgentId) -> Result<&Arc<dyn Agent>, Error> {
        self.engine
            .agents()
            .get(id)
            .ok_or_else(|| Rejection::invalid("agent", "there is no such agent").into())
    }

    /// Returns the display name of a session's agent.
    pub(super) fn agent_name(&self, session: &Session) -> String {
        let id = session.origin.agent();
        let agent = id.and_then(|id| self.engine.agents().get(id));
        let unknown = || id.map(ToString::to_string).unwrap_or_default();
        agent.map_or_else(unknown, |agent| agent.descriptor().name.clone())
    }
}
