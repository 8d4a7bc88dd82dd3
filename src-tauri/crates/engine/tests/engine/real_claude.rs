//! The real `claude`; its model is a mock on loopback.

mod faults;
mod helpers;
mod hooks;
mod long_lines;
mod modes;
mod odd_model;
mod quit;
mod warnings;

use std::path::PathBuf;
use std::time::Duration;

use crate::support::agents::Stage;
use crate::support::desk::Staging;
use askdesk_agents::{Start, claude};
use askdesk_domain::{
    AgentFailure, LaunchOverrides, SessionEnd, SessionId, SessionOptions, SessionState, StartRefusal,
};
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
        let (program, pid_file) = (self.program.clone(), self.home.path().join("pid"));
        let sealed = clis::sealed_env(self.home.path(), &self.mock.base_url);
        Box::new(move |start: &Start| {
            let Start { folder, options, open } = start;
            let mut plan = claude::launch(program, folder.clone(), &options.config, open);
            let first = ["-c", "echo $$ > \"$0\"; exec \"$@\""].map(Into::into);
            let pid_and_program = [pid_file.into_os_string(), plan.program.into_os_string()];
            plan.args = first.into_iter().chain(pid_and_program).chain(plan.args).collect();
            plan.program = "/bin/sh".into();
            plan.env_remove.extend(std::env::vars_os().map(|(name, _)| name));
            plan.env.extend(sealed.into_iter().map(|(name, value)| (name.into(), value.into())));
            Ok(plan)
        })
    }

    async fn start(&self, stage: &Stage) -> SessionId {
        let id = stage.desk.clock.session_id();
        let (folder, prompt) = (self.project.path().to_owned(), Some("Please go on."));
        stage.start_staged_in(folder, id, self.staging(), prompt, SessionOptions::default()).await;
        id
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_real_claude_goes_on_in_the_folder_that_its_own_one_became() {
    let script = vec![Reply::text("Hi."), Reply::text("Still here.")];
    let Some(world) = World::open("a_session_of_the_real_claude_goes_on", script).await else { return };
    let data = tempfile::tempdir().unwrap();
    let mut stage = Stage::open_at(data.path()).await;
    let session = world.start(&stage).await;
    stage.until_said(session, "Hi.").await;
    stage.until_idle(session).await;
    tokio::time::sleep(STORED_AFTER).await;
    stage.stop(session).await;
    let moved = tempfile::tempdir().unwrap();
    let folder = moved.path().join("moved");
    std::fs::rename(world.project.path(), &folder).unwrap();
    stage.sessions.change_folder(session, folder).await.unwrap();
    stage.desk.agent.stage(world.staging());
    stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    stage.desk.catch_up();
    stage.sessions.send_message(session, "And now?".to_owned()).await.unwrap();
    stage.until_said(session, "Still here.").await;
    stage.until_idle(session).await;
    let heard = world.mock.conversation().last().unwrap().to_string();
    // The agent knows the conversation, and works in the new folder.
    assert!(heard.contains("Please go on.") && heard.contains("And now?"), "{heard}");
    assert!(heard.contains(&moved.path().join("moved").display().to_string()), "{heard}");
    std::fs::create_dir(world.project.path()).unwrap();
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settings_file_that_the_real_claude_cannot_read_is_said() {
    let Some(world) = World::open("a_settings_file_that_the_real_claude_cannot_read", Vec::new()).await
    else {
        return;
    };
    std::fs::write(world.home.path().join(".claude.json"), "{\"a\":").unwrap();
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    stage.until_ended(session).await;
    let SessionState::Ended { end: SessionEnd::Failed { why }, .. } =
        &stage.desk.mirror.sessions[&session].state
    else {
        panic!("{:?}", stage.desk.mirror.sessions[&session].state)
    };
    let AgentFailure::StartRefused { why: StartRefusal::SettingsUnreadable, said } = why else {
        panic!("{why}")
    };
    assert!(said.contains(".claude.json"), "{said}");
    stage.desk.check_mirror().await;
}
