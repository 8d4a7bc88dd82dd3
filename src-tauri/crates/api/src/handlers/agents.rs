use std::sync::Arc;

use askdesk_agents::{Agent, ask_version};
use askdesk_domain::{AgentId, Rejection, Session, Timestamp};
use askdesk_user_environment::{Current, current, settled};

use crate::api::Api;
use crate::dto::*;
use crate::error::Error;

impl Api {
    pub async fn list_agents(&self, _: ListAgents) -> Result<AgentsFound, Error> {
        let settings = self.current_settings().await?.settings;
        settled().await;
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

    pub async fn read_environment(&self, input: ReadEnvironment) -> Result<EnvironmentRead, Error> {
        if input.again {
            self.host.read_environment().await;
        }
        settled().await;
        let Current { origin, is_reading, .. } = current();
        Ok(EnvironmentRead {
            way: origin.way,
            shell: origin.shell.map(|shell| shell.display().to_string()),
            failed: origin.failed,
            read_at: (origin.read_at != 0).then(|| Timestamp::from_millis(origin.read_at)),
            took_ms: u32::try_from(origin.took).unwrap_or(u32::MAX),
            reading: is_reading,
        })
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
