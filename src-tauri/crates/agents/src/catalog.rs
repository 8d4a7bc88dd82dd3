//! The agents that can be started, by their ids.

use std::sync::Arc;

use askdesk_domain::{AgentDescriptor, AgentId};

use crate::agent::Agent;
use crate::claude::ClaudeCode;
use crate::codex::Codex;
use crate::opencode::OpenCode;

/// Lists the agents that need nothing of the app: the one list that a new agent is added to.
pub fn installed_agents() -> Vec<Arc<dyn Agent>> {
    vec![Arc::new(ClaudeCode::default()), Arc::new(Codex::default()), Arc::new(OpenCode::default())]
}

/// The agents that can be started, in the order in which they are offered. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Catalog(Arc<[Arc<dyn Agent>]>);

impl Catalog {
    /// Makes a catalog; of two agents with one id the first is found.
    pub fn new(agents: Vec<Arc<dyn Agent>>) -> Self {
        Self(agents.into())
    }

    pub fn get(&self, id: &AgentId) -> Option<&Arc<dyn Agent>> {
        self.iter().find(|agent| agent.descriptor().id == *id)
    }

    /// Lists the agents.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Agent>> {
        self.0.iter()
    }

    pub fn descriptors(&self) -> Vec<AgentDescriptor> {
        self.iter().map(|agent| agent.descriptor().clone()).collect()
    }
}
