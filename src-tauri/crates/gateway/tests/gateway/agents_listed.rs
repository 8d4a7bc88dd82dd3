//! What `askdesk doctor` learns about the installed agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_agents::claude::ClaudeCode;
use askdesk_agents::{Agent, SessionPlan, Start};
use askdesk_domain::{AgentDescriptor, AgentFailure, SupportedVersions};
use askdesk_engine::Catalog;
use serde_json::json;

use super::fixture::Fixture;

#[tokio::test(flavor = "multi_thread")]
async fn case_137_the_installed_agents_are_listed_with_how_their_versions_fit() {
    let agents = Catalog::new(vec![Arc::new(Installed::default())]);
    let fixture = Fixture::open_with_agents(agents).await;
    let listed = fixture.get("/v1/agents").await.json();
    let agent = &listed["agents"][0];
    assert_eq!((&agent["name"], &agent["version"]), (&json!("Claude Code"), &json!("9.0.120")), "{listed}");
    assert_eq!(agent["fit"]["fit"], "not_verified", "{listed}");
}

/// An agent whose program is a script that says a version with another protocol.
#[derive(Debug)]
struct Installed {
    agent: ClaudeCode,
    descriptor: AgentDescriptor,
}

impl Default for Installed {
    fn default() -> Self {
        let agent = ClaudeCode::default();
        let versions = Some(SupportedVersions::of_package("some-agent", "2.1.329", Some("9.0.0")));
        Self { descriptor: AgentDescriptor { versions, ..agent.descriptor().clone() }, agent }
    }
}

impl Agent for Installed {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn find(&self, _: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        Ok(Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/other_agent.sh")))
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        self.agent.prepare(start)
    }
}
