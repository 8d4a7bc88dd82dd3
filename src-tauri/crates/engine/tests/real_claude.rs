//! The real `claude`, killed while it asks, and taken up again; its model is a mock on loopback.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "what tests share may fail the test"
)]

#[path = "support/agents.rs"]
mod agents;
#[path = "support/desk.rs"]
mod desk;
#[path = "support/mirror.rs"]
mod mirror;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agents::{Stage, choose};
use askdesk_agents::{ClaudeOptions, LaunchPlan, claude_launch, claude_resume};
use askdesk_domain::{Delivery, Failure, OrphanedWhy, Outcome, SessionEnd, SessionId};
use askdesk_engine::frame;
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use uuid::Uuid;

/// The real program writes down what it was told a while after it was told; one killed earlier knows nothing of it.
const WRITTEN_DOWN: Duration = Duration::from_secs(3);
const REQUEST_WITHIN: Duration = Duration::from_secs(30);

fn questions() -> Value {
    json!([{"question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false,
        "options": [{"label": "SQLite", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]}])
}

/// A model, and a home for the agent, which outlive its process.
struct World {
    program: PathBuf,
    mock: MockApi,
    home: tempfile::TempDir,
    project: tempfile::TempDir,
}

impl World {
    /// Opens one, or says that the test did not run.
    async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        let Some(program) = clis::claude_program() else {
            clis::report_skipped(
                test,
                &format!("the real claude is not installed; {}", clis::HOW_TO_INSTALL),
            );
            return None;
        };
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Some(Self { program, mock, home, project })
    }

    /// Plans a start with nothing of this machine in it, whose process tells its number.
    fn plan(
        &self,
        launch: fn(PathBuf, PathBuf, &ClaudeOptions) -> LaunchPlan,
        session: SessionId,
    ) -> LaunchPlan {
        let options = ClaudeOptions {
            session_id: session.uuid(),
            prompt_tool: true,
            model: None,
            permission_mode: None,
            effort: None,
        };
        let mut plan = launch(self.program.clone(), self.project.path().to_owned(), &options);
        let first = ["-c", "echo $$ > \"$0\"; exec \"$@\""].map(Into::into);
        let pid_and_program = [self.pid_file().into_os_string(), plan.program.into_os_string()];
        plan.args = first.into_iter().chain(pid_and_program).chain(plan.args).collect();
        plan.program = "/bin/sh".into();
        plan.env_remove.extend(std::env::vars_os().map(|(name, _)| name));
        let sealed = clis::sealed_env(self.home.path(), &self.mock.base_url);
        plan.env.extend(sealed.into_iter().map(|(name, value)| (name.into(), value.into())));
        plan
    }

    fn pid_file(&self) -> PathBuf {
        self.home.path().join("pid")
    }

    fn kill(&self) {
        let pid = std::fs::read_to_string(self.pid_file()).unwrap();
        assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
    }
}

/// How often words stand in what the model was told.
fn told(request: &Value, words: &str) -> usize {
    request["messages"].to_string().matches(words).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_27_and_47_the_real_agent_killed_while_it_asks_gets_the_late_answer_once_when_taken_up_again() {
    let script = vec![
        Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions())]),
        Reply::text("PostgreSQL it is."),
        Reply::text("As you say."),
    ];
    let Some(world) = World::open("case_27_and_47_the_real_agent_killed_while_it_asks", script).await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::open_at(folder.path()).await;
    // Ids of the test's clock repeat; the program wants one of its own.
    let session = SessionId::new(Uuid::new_v4());
    let plan = world.plan(claude_launch, session);
    stage.start_plan(session, Ok(plan), Some("Please go on.")).await;
    let request = stage.asked_one(session).await;
    tokio::time::sleep(WRITTEN_DOWN).await;
    world.kill();
    assert!(matches!(stage.until_ended(session).await, SessionEnd::Failed { .. }));
    let missed = stage.desk.request(request.id).await;
    let why = OrphanedWhy::AgentEnded;
    assert_eq!(missed.ended().unwrap().outcome, Outcome::Orphaned { why });

    let parked = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await;
    assert_eq!(parked.unwrap().ended().unwrap().delivery, Some(Delivery::Parked));
    // The app is restarted in between: the answer waits on disk.
    stage.sessions.shut_down().await;
    drop(stage);
    let mut stage = Stage::open_at(folder.path()).await;
    assert_eq!(world.mock.conversation().len(), 1);
    assert!(stage.desk.mirror.sessions[&session].resumable);

    stage.sessions.resume(session, Ok(world.plan(claude_resume, session))).await.unwrap();
    stage.desk.catch_up();
    let heard = world.mock.wait_for_request(2, REQUEST_WITHIN).await.expect("the agent goes on");
    assert_eq!(told(&heard, "This is a late answer."), 1, "{}", heard["messages"]);
    assert_eq!(told(&heard, r#"Answer: \"PostgreSQL\""#), 1, "{}", heard["messages"]);
    stage.until_said(session, "PostgreSQL it is.").await;
    stage.until_delivered(request.id).await;
    let known = stage.desk.mirror.requests[&request.id].ended().unwrap().delivery.clone();
    assert!(matches!(known, Some(Delivery::Delivered { late: true, .. })), "{known:?}");
    stage.until_idle(session).await;

    stage.sessions.send_message(session, "And the name?".to_owned()).await.unwrap();
    stage.until_said(session, "As you say.").await;
    stage.until_idle(session).await;
    let heard = world.mock.conversation();
    assert_eq!(heard.len(), 3);
    assert_eq!(told(&heard[2], "This is a late answer."), 1);
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_the_real_agent_does_not_know_is_said_to_be_gone_and_gets_nothing() {
    let script = vec![Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions())])];
    let Some(world) = World::open("a_session_the_real_agent_does_not_know", script).await else { return };
    let mut stage = Stage::open().await;
    let session = SessionId::new(Uuid::new_v4());
    stage.start_plan(session, Ok(world.plan(claude_launch, session)), Some("Please go on.")).await;
    let request = stage.asked_one(session).await;
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.desk.engine.decline(request.id, None).await.unwrap();
    forget(&world.home.path().join(".claude"), &session.to_string());

    stage.sessions.resume(session, Ok(world.plan(claude_resume, session))).await.unwrap();
    stage.desk.catch_up();
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    assert!(why == Failure::SessionUnknown, "{why}");
    stage.desk.check_mirror().await;
    assert!(!stage.desk.mirror.sessions[&session].resumable);
    assert_eq!(stage.desk.mirror.requests[&request.id].ended().unwrap().delivery, Some(Delivery::Parked));
    assert_eq!(world.mock.conversation().len(), 1);
}

/// Removes everything the agent has written under the session's id.
fn forget(folder: &Path, session: &str) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let is_of_it = entry.file_name().unwrap().to_string_lossy().starts_with(session);
        match (is_of_it, entry.is_dir()) {
            (true, true) => std::fs::remove_dir_all(entry).unwrap(),
            (true, false) => std::fs::remove_file(entry).unwrap(),
            (false, true) => forget(&entry, session),
            (false, false) => {}
        }
    }
}
