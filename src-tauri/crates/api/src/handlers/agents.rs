use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::{Agent, FoundVersion, found_version};
use askdesk_contract::*;
use askdesk_domain::{AgentFailure, AgentId, ProgramError, Rejection, Session, Timestamp};
use askdesk_engine::EngineError;
use askdesk_engine::slow_files::on_slow_files;
use askdesk_user_environment::{Current, current, latest, settled};

use crate::api::Api;

/// How long the search for one agent's program may take. A folder in `PATH` may not respond.
const FIND_LIMIT: Duration = Duration::from_secs(3);

impl Api {
    pub(crate) async fn list_agents(&self, latest_shell: bool) -> Result<AgentsFound, Error> {
        match latest_shell {
            true => latest().await,
            false => settled().await,
        };
        // Before the search: a shell that answers meanwhile may not have been in time for it.
        let reading = current().is_reading;
        let settings = self.current_settings().await?.settings;
        let finding: Vec<_> =
            self.engine.agents().iter().map(|agent| tokio::spawn(find(Arc::clone(agent)))).collect();
        let mut agents = Vec::new();
        for (agent, finding) in self.engine.agents().iter().zip(finding) {
            let id = &agent.descriptor().id;
            let found = finding.await.map_err(|_| EngineError::Closing)?;
            let (program, problem) = match found {
                Ok(program) => (program, None),
                Err(error) => (None, Some(error)),
            };
            agents.push(AgentFound {
                agent: id.clone(),
                program: program.map(|program| program.display().to_string()),
                problem,
                extras: settings.extras(id),
            });
        }
        Ok(AgentsFound { agents, reading })
    }

    pub(crate) async fn read_agent_version(&self, input: ReadAgentVersion) -> Result<AgentVersion, Error> {
        settled().await;
        let agent = self.agent(&input.agent)?;
        let program = find(Arc::clone(agent)).await.ok().flatten();
        let FoundVersion { version, fit } = match program {
            Some(program) => Box::pin(found_version(&**agent, &program)).await,
            None => FoundVersion::default(),
        };
        Ok(AgentVersion { version, fit })
    }

    pub(crate) async fn read_environment(&self, again: bool) -> Result<EnvironmentRead, Error> {
        if again {
            self.host.read_environment().await;
        }
        settled().await;
        let Current { origin, is_reading, .. } = current();
        Ok(EnvironmentRead {
            way: origin.way,
            shell: origin.shell.map(|shell| shell.display().to_string()),
            failed: origin.failed,
            read_at: (origin.read_at != 0).then(|| Timestamp::from_millis(origin.read_at)),
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
    pub fn agent_name(&self, session: &Session) -> String {
        let id = session.origin.agent();
        let agent = id.and_then(|id| self.engine.agents().get(id));
        let unknown = || id.map(ToString::to_string).unwrap_or_default();
        agent.map_or_else(unknown, |agent| agent.descriptor().name.clone())
    }
}

/// Looks for an agent's program; none if it needs none.
async fn find(agent: Arc<dyn Agent>) -> Result<Option<PathBuf>, AgentFailure> {
    let program = agent.descriptor().name.clone();
    let found = on_slow_files(FIND_LIMIT, move || agent.find(None)).await;
    found.unwrap_or_else(|| {
        let error = format!("the search for it took more than {} seconds", FIND_LIMIT.as_secs());
        Err(AgentFailure::NotStarted { program, problem: ProgramError::TimedOut, error })
    })
}
