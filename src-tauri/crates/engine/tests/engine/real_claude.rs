//! The real `claude`; its model is a mock on loopback.

mod elicitations;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod helpers;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod modes;
mod odd_model;
#[cfg(unix)]
mod quit;
mod releases;
mod retries;
mod usage;
#[cfg(unix)]
mod warnings;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::support::agents::{Stage, seal};
use crate::support::desk::Staging;
use crate::support::mirror::Mirror;
#[cfg(unix)]
use crate::support::moves::goes_on_in_the_moved_folder;
use askdesk_agents::{Start, claude};
use askdesk_domain::{
    Approval, ApprovalDecision, EntryBody, LaunchOverrides, Notice, SessionId, SessionOptions,
};
use askdesk_engine::SessionCall;
use askdesk_engine::clock::Clock;
use askdesk_testkit::clis::{self, Cli, Release};
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
        Self::open_release(Release::Newest, test, script).await
    }

    async fn open_release(release: Release, test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::release_or_skip(Cli::ClaudeCode, release, test)?;
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
        self.start_staged(stage, self.staging(), options).await
    }

    /// Starts a session whose command line is changed.
    async fn start_changed(
        &self,
        stage: &Stage,
        change: impl FnOnce(&mut Vec<OsString>) + Send + 'static,
    ) -> SessionId {
        let usual = self.staging();
        let staging: Staging = Box::new(move |start: &Start| {
            let mut plan = usual(start)?;
            change(&mut plan.args);
            Ok(plan)
        });
        self.start_staged(stage, staging, SessionOptions::default()).await
    }

    async fn start_staged(&self, stage: &Stage, staging: Staging, options: SessionOptions) -> SessionId {
        let id = stage.desk.clock.session_id();
        let (folder, prompt) = (self.project.path().to_owned(), Some("Please go on."));
        stage.start_staged_in(folder, id, staging, prompt, options).await;
        id
    }

    /// Starts a session on a desk of its own.
    async fn started(&self) -> (Stage, SessionId) {
        let stage = Stage::open().await;
        let session = self.start(&stage, SessionOptions::default()).await;
        (stage, session)
    }
}

/// A session of the real program in folders of its own.
struct Real {
    stage: Stage,
    session: SessionId,
    world: World,
}

impl Real {
    /// Starts a session with a first message, or reports that the test was skipped.
    async fn start(test: &str, options: SessionOptions, script: Vec<Reply>) -> Option<Self> {
        Some(Self::of(World::open(test, script).await?, options).await)
    }

    async fn start_release(release: Release, test: &str, script: Vec<Reply>) -> Option<Self> {
        Some(Self::of(World::open_release(release, test, script).await?, SessionOptions::default()).await)
    }

    async fn of(world: World, options: SessionOptions) -> Self {
        std::fs::write(world.project.path().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
        let stage = Stage::open().await;
        let session = world.start(&stage, options).await;
        Self { stage, session, world }
    }

    /// Waits for the one approval that is open.
    async fn asked(&mut self) -> Approval {
        self.stage.permission(self.session).await
    }

    async fn decide(&self, approval: &Approval, decision: ApprovalDecision) {
        self.stage.desk.engine.decide_approval(approval.id, decision).await.unwrap();
    }

    async fn until_mode(&mut self, mode: &str) {
        self.stage.until_mode(self.session, mode).await;
    }

    /// Waits until so many turns have ended.
    async fn until_turns(&mut self, count: usize) {
        let session = self.session;
        let ended = |known: &Mirror| known.turns(session).len() >= count;
        self.stage.desk.until(&format!("{count} turns"), ended).await;
    }

    async fn say(&self, text: &str) {
        self.stage.sessions.call(self.session, SessionCall::message(text.to_owned())).await.unwrap();
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.world.project.path().join(name)).ok()
    }

    /// The last result of a call that the model got.
    fn result_of(&self, tool_use: &str) -> String {
        let conversation = self.world.mock.conversation();
        let messages = conversation.last().unwrap()["messages"].as_array().unwrap().clone();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        let mut results = blocks.filter(|block| block["tool_use_id"] == tool_use);
        results.next_back().map(|block| block["content"].to_string()).unwrap_or_default()
    }

    async fn resume(&mut self) {
        self.stage.desk.agent.stage(self.world.staging());
        self.stage.sessions.resume(self.session, &LaunchOverrides::default()).await.unwrap();
        self.stage.desk.catch_up();
    }

    async fn stop(mut self) {
        self.stage.sessions.stop(self.session).await.unwrap();
        self.stage.until_ended(self.session).await;
        self.stage.desk.check_mirror().await;
    }
}

fn bash(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({"command": command, "description": "Runs it"}))])
}

/// Interrupts a turn, and fails unless it stops soon without an error and the session takes another message.
async fn interrupted(mut real: Real) -> Real {
    let asked = Instant::now();
    real.stage.sessions.call(real.session, SessionCall::Interrupt).await.unwrap();
    real.until_turns(1).await;
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let ended = real.stage.desk.mirror.turns(real.session)[0].clone();
    assert!(matches!(ended, EntryBody::TurnEnded { error: None, .. }), "{ended:?}");
    assert!(real.stage.desk.mirror.notices(real.session).contains(&&Notice::Interrupted));
    assert!(!real.stage.desk.mirror.live.contains_key(&real.session));
    real.say("Are you there?").await;
    real.stage.until_said(real.session, "Here again.").await;
    real.until_turns(2).await;
    assert_eq!(real.file("late"), None);
    real
}

#[cfg(unix)]
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
