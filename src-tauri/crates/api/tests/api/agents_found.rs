//! Agents are looked for, and asked for their versions, each by itself.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use askdesk_agents::claude::ClaudeCode;
use askdesk_agents::{Agent, SessionPlan, Start};
use askdesk_domain::{AgentDescriptor, AgentFailure, AgentId, ProgramError, SupportedVersions};
use serde_json::{Value, json};

use crate::bridge::Bridge;

/// How long the search for one of them takes.
#[derive(Debug)]
struct Installed {
    descriptor: AgentDescriptor,
    program: PathBuf,
    search: Duration,
}

impl Agent for Installed {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn find(&self, _: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        std::thread::sleep(self.search);
        Ok(Some(self.program.clone()))
    }

    fn prepare(&self, _: &Start) -> Result<SessionPlan, AgentFailure> {
        let program = self.program.display().to_string();
        Err(AgentFailure::NotStarted { program, problem: ProgramError::Unfit, error: String::new() })
    }
}

fn installed(n: usize, folder: &Path, script: &str, search: Duration) -> Arc<dyn Agent> {
    let program = folder.join(format!("agent-{n}"));
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let id = AgentId::new(format!("agent_{n}")).unwrap();
    let versions = Some(SupportedVersions::of_package("some-agent", "2.1.329", Some("99.0.0")));
    let descriptor = AgentDescriptor { id, versions, ..ClaudeCode::default().descriptor().clone() };
    Arc::new(Installed { descriptor, program, search })
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_searches_go_on_side_by_side_and_one_that_hangs_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let search = |n| Duration::from_secs(if n == 0 { 8 } else { 1 });
    let agents = (0..10).map(|n| installed(n, folder.path(), "exit 0", search(n))).collect();
    let bridge = Bridge::with_agents(agents);
    let began = Instant::now();
    let found = bridge.call("list_agents", json!({})).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    let found = found["agents"].as_array().unwrap();
    assert_eq!(found[0]["problem"]["problem"], "timed_out");
    assert!(found[1..].iter().all(|agent| agent["program"].is_string()), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_137_a_version_is_read_with_how_it_fits() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = ["echo 2.1.329", "echo 98.0.0", "echo 99.0.0", "echo v9.nightly"];
    let agents = scripts.iter().enumerate();
    let agents = agents.map(|(n, script)| installed(n, folder.path(), script, Duration::ZERO)).collect();
    let bridge = Bridge::with_agents(agents);
    let mut fits = Vec::new();
    for n in 0..scripts.len() {
        let read = bridge.call("read_agent_version", json!({"agent": format!("agent_{n}")})).await.unwrap();
        fits.push(read["fit"].clone());
    }
    let install = "npm install -g some-agent@2.1.329";
    let expected = [
        json!({"fit": "tested"}),
        json!({"fit": "newer", "tested": "2.1.329"}),
        json!({"fit": "not_verified", "good": "2.1.329", "install": install}),
        Value::Null,
    ];
    assert_eq!(fits, expected);
}
