//! The real `claude`, killed while it asks, and resumed; its model is a mock on loopback.

mod faults;
mod helpers;
mod long_lines;
mod modes;
mod quit;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::agents::{Stage, choose};
use crate::support::desk::Staging;
use askdesk_agents::{Start, claude};
use askdesk_domain::{
    AgentFailure, Delivery, LaunchOverrides, OrphanedWhy, Outcome, SessionEnd, SessionId, SessionOptions,
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
        let (program, pid_file) = (self.program.clone(), self.pid_file());
        let sealed = clis::sealed_env(self.home.path(), &self.mock.base_url);
        Box::new(move |start: &Start| {
            let Start { folder, options, resume } = start;
            let mut plan = claude::launch(program, folder.clone(), &options.config, resume.as_ref());
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

    async fn resume(&self, stage: &Stage, session: SessionId) {
        stage.desk.agent.stage(self.staging());
        stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    }

    fn pid_file(&self) -> PathBuf {
        self.home.path().join("pid")
    }

    fn kill(&self) {
        let pid = std::fs::read_to_string(self.pid_file()).unwrap();
        assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
    }
}

/// Counts words in the input of the model.
fn count_in(request: &Value, words: &str) -> usize {
    request["messages"].to_string().matches(words).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_27_and_47_the_real_agent_killed_while_it_asks_gets_the_late_answer_once_when_resumed() {
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
    let session = world.start(&stage).await;
    let request = stage.asked_one(session).await;
    tokio::time::sleep(STORED_AFTER).await;
    world.kill();
    assert!(matches!(stage.until_ended(session).await, SessionEnd::Failed { .. }));
    let missed = stage.desk.request(request.id).await;
    let why = OrphanedWhy::AgentEnded;
    assert_eq!(missed.ended().unwrap().outcome, Outcome::Orphaned { why });

    let parked = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await;
    assert_eq!(parked.unwrap().ended().unwrap().delivery, Some(Delivery::Parked));
    // The app restarts in between.
    stage.sessions.shut_down().await;
    drop(stage);
    let mut stage = Stage::open_at(folder.path()).await;
    assert_eq!(world.mock.conversation().len(), 1);
    assert!(stage.desk.mirror.sessions[&session].resumable);

    world.resume(&stage, session).await;
    stage.desk.catch_up();
    let heard = world.mock.wait_for_request(2, REQUEST_WITHIN).await.expect("the agent continues");
    assert_eq!(count_in(&heard, "This is a late answer."), 1, "{}", heard["messages"]);
    assert_eq!(count_in(&heard, r#"Answer: \"PostgreSQL\""#), 1, "{}", heard["messages"]);
    stage.until_said(session, "PostgreSQL it is.").await;
    stage.until_delivered_late(request.id).await;
    stage.until_idle(session).await;

    stage.sessions.send_message(session, "And the name?".to_owned()).await.unwrap();
    stage.until_said(session, "As you say.").await;
    stage.until_idle(session).await;
    let heard = world.mock.conversation();
    assert_eq!(heard.len(), 3);
    assert_eq!(count_in(&heard[2], "This is a late answer."), 1);
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_the_real_agent_does_not_know_ends_and_gets_nothing() {
    let script = vec![Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions())])];
    let Some(world) = World::open("a_session_the_real_agent_does_not_know", script).await else { return };
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    let request = stage.asked_one(session).await;
    stage.stop(session).await;
    stage.desk.engine.decline(request.id, None).await.unwrap();
    let native = stage.desk.mirror.sessions[&session].native_session.clone().expect("the agent said its id");
    assert_ne!(native.as_str(), session.to_string(), "the desk's id is not the agent's");
    forget(&world.home.path().join(".claude"), native.as_str());

    world.resume(&stage, session).await;
    stage.desk.catch_up();
    let SessionEnd::Failed { why } = stage.until_ended(session).await else { panic!() };
    assert!(why == AgentFailure::SessionUnknown, "{why}");
    stage.desk.check_mirror().await;
    assert!(!stage.desk.mirror.sessions[&session].resumable);
    assert_eq!(stage.desk.mirror.delivery(request.id), Some(&Delivery::Parked));
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
