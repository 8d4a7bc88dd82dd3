//! The real `claude`; its model is a mock on loopback.

mod faults;
mod helpers;
mod hooks;
mod modes;
mod odd_model;
mod quit;
mod warnings;

use std::path::PathBuf;
use std::time::Duration;

use crate::support::agents::{Stage, seal};
use crate::support::desk::Staging;
use crate::support::moves::goes_on_in_the_moved_folder;
use askdesk_agents::{Start, claude};
use askdesk_domain::{SessionId, SessionOptions};
use askdesk_engine::clock::Clock;
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};

/// The real program stores its input with a delay; killed earlier, it forgets it.
const STORED_AFTER: Duration = Duration::from_secs(3);
const REQUEST_WITHIN: Duration = Duration::from_secs(30);

fn questions() -> Value {
    json!([{"question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false,
        "options": [{"label": "SQLite", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]}])
}

/// A model and a home for the agent, which survive its process.
struct World {
    program: PathBuf,
    mock: MockApi,
    home: tempfile::TempDir,
    project: tempfile::TempDir,
}

impl World {
    /// Opens one, or reports that the test was skipped.
    async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Some(Self { program, mock, home, project })
    }

    /// Stages a start in a sealed environment, whose process writes its id to a file.
    fn staging(&self) -> Staging {
        let (program, home) = (self.program.clone(), self.home.path().to_owned());
        let base_url = self.mock.base_url.clone();
        Box::new(move |start: &Start| {
            let Start { folder, options, open } = start;
            let mut plan = claude::launch(program, folder.clone(), &options.config, open);
            seal(&mut plan, &home, &base_url);
            if options.config.values().any(|value| value.as_str() == "bypass") {
                // As root, the program accepts this mode only in a sandbox.
                plan.env.push(("IS_SANDBOX".into(), "1".into()));
            }
            Ok(plan)
        })
    }

    async fn start(&self, stage: &Stage, options: SessionOptions) -> SessionId {
        let id = stage.desk.clock.session_id();
        let (folder, prompt) = (self.project.path().to_owned(), Some("Please go on."));
        stage.start_staged_in(folder, id, self.staging(), prompt, options).await;
        id
    }

    /// Starts a session on a desk of its own.
    async fn started(&self) -> (Stage, SessionId) {
        let stage = Stage::open().await;
        let session = self.start(&stage, SessionOptions::default()).await;
        (stage, session)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_real_claude_goes_on_in_the_folder_that_its_own_one_became() {
    let script = vec![Reply::text("Hi."), Reply::text("Still here.")];
    let Some(world) = World::open("a_session_of_the_real_claude_goes_on", script).await else { return };
    let (mut stage, session) = world.started().await;
    stage.until_idle_after(session, "Hi.").await;
    tokio::time::sleep(STORED_AFTER).await;
    let stage_resume = |stage: &Stage| stage.desk.agent.stage(world.staging());
    goes_on_in_the_moved_folder(&mut stage, &world.mock, &world.project, session, stage_resume).await;
}
