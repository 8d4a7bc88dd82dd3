//! The real `opencode` over its server, with a mock of the model on loopback.

mod api2;
#[cfg(unix)]
mod faults;
mod images;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::opencode::{ASK, MODEL, OPENCODE, PERMISSIONS};
use askdesk_agents::{Agent, LinkPlan, OpenCode, SessionPlan, Start};
use askdesk_domain::{
    AgentDescriptor, AgentFailure, Approval, ApprovalDecision, ApprovalOptionId, Choices, Delivery,
    EntryBody, LaunchOverrides, OrphanedWhy, Outcome, SessionEnd, SessionId, SessionOptions, ToolDetail,
    ToolStatus, ValueId,
};
use askdesk_engine::Catalog;
use askdesk_engine::SessionCall;
use askdesk_engine::clock::Clock;
use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};

use crate::support::agents::{Stage, choose, is_alive, seal};
use crate::support::desk::TestDesk;
use crate::support::moves::goes_on_in_the_moved_folder;

const REQUEST_WITHIN: Duration = Duration::from_secs(30);

/// OpenCode in a sealed environment, whose server writes its id to a file.
#[derive(Debug)]
struct Sealed {
    agent: OpenCode,
    program: PathBuf,
    home: PathBuf,
    base_url: String,
    events: Option<&'static [&'static str]>,
}

impl Agent for Sealed {
    fn descriptor(&self) -> &AgentDescriptor {
        self.agent.descriptor()
    }

    fn find(&self, _: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        Ok(Some(self.program.clone()))
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        let program = Some(self.program.display().to_string());
        let options = SessionOptions { program, ..start.options.clone() };
        let mut planned = self.agent.prepare(&Start { options, ..start.clone() })?;
        let LinkPlan::Http(plan) = &mut planned.link else { panic!("{:?}", planned.link) };
        plan.events = self.events.unwrap_or(plan.events);
        let launch = &mut plan.launch;
        launch.folder = self.home.clone();
        seal(launch, &self.home, &self.base_url);
        Ok(planned)
    }
}

/// A model and a home for the agent, which survive its server.
struct World {
    program: PathBuf,
    mock: MockApi,
    home: tempfile::TempDir,
    project: tempfile::TempDir,
    /// The event streams that are tried, if not those of the adapter.
    events: Option<&'static [&'static str]>,
}

impl World {
    /// Opens one, or reports that the test was skipped.
    async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::native_or_skip(Cli::OpenCode, test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Cli::OpenCode.write_settings(home.path(), &mock.base_url).unwrap();
        Some(Self { program, mock, home, project, events: None })
    }

    fn set(&self, setting: &str) {
        let file = self.home.path().join(".config/opencode/opencode.jsonc");
        let settings = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, settings.replacen('{', &format!("{{\n  {setting},"), 1)).unwrap();
    }

    /// Adds to the settings of the agents. A subagent that may ask is offered the question tool, by which the mock tells that
    /// a request is for the script.
    fn set_agents(&self, agents: &Value) {
        self.set(&format!("\"agent\": {agents}"));
    }

    fn agents(&self) -> Catalog {
        let agent = Sealed {
            agent: OpenCode::default(),
            program: self.program.clone(),
            home: self.home.path().to_owned(),
            base_url: self.mock.base_url.clone(),
            events: self.events,
        };
        Catalog::new(vec![Arc::new(agent)])
    }

    /// A desk on a folder, with this agent.
    async fn desk(&self, folder: &Path) -> Stage {
        Stage::on(TestDesk::open_with(folder, self.agents()).await)
    }

    /// Starts a session on a desk of its own.
    async fn started(&self) -> (Stage, SessionId) {
        let stage = Stage::on(TestDesk::open_alone_with(self.agents()).await);
        let session = self.start(&stage).await;
        (stage, session)
    }

    /// A session that asks before changes.
    async fn start(&self, stage: &Stage) -> SessionId {
        let id = stage.desk.clock.session_id();
        let mut config: Choices = [(PERMISSIONS, ASK)].into_iter().collect();
        // The routes below /api don't follow the model of the configuration (measured with 1.18.33).
        config.extend(self.events.map(|_| (MODEL, ValueId::literal("mock/mock"))));
        let options = SessionOptions { config, ..SessionOptions::default() };
        stage.start_of(id, OPENCODE, self.project.path().to_owned(), Some("Please go on."), options).await;
        id
    }

    async fn resume(&self, stage: &Stage, session: SessionId) {
        stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    }

    fn pid(&self) -> String {
        std::fs::read_to_string(self.home.path().join("pid")).unwrap().trim().to_owned()
    }

    fn kill(&self) {
        assert!(Command::new("kill").args(["-9", &self.pid()]).status().unwrap().success());
    }

    async fn request(&self, n: usize) -> Value {
        self.mock.wait_for_request(n, REQUEST_WITHIN).await.expect("a request to the model")
    }
}

fn store() -> Value {
    json!({"question": "Which store should the notes be kept in?", "header": "Store", "options": [
        {"label": "SQLite, or a file", "description": "One file"}, {"label": "PostgreSQL", "description": "A server"}]})
}

fn asks(id: &str) -> Block {
    Block::tool(id, "question", json!({"questions": [store()]}))
}

fn runs(id: &str, command: &str) -> Block {
    Block::tool(id, "bash", json!({"command": command, "description": "Works"}))
}

/// Counts words in the input of the model.
fn count_in(request: &Value, words: &str) -> usize {
    request["messages"].to_string().matches(words).count()
}

async fn decide(stage: &Stage, approval: &Approval, option: &'static str, message: Option<&str>) {
    let message = message.map(str::to_owned);
    let decision = ApprovalDecision { message, ..ApprovalDecision::of(ApprovalOptionId::literal(option)) };
    stage.desk.engine.decide_approval(approval.id, decision).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_65_the_models_next_request_contains_exactly_the_answer() {
    let parts = json!({"question": "Which parts?", "header": "Parts", "multiple": true, "options": [
        {"label": "Dark mode", "description": "A theme"}, {"label": "i18n", "description": "Languages"}]});
    let both = json!({"questions": [store(), parts]});
    let script = vec![
        Reply::new([Block::text("I need to ask."), Block::tool("call_1", "question", both)]),
        Reply::text("It is a file."),
        Reply::text("Again."),
    ];
    let Some(world) = World::open("case_65_opencode_answer", script).await else { return };
    let (mut stage, session) = world.started().await;
    let request = stage.asked_one(session).await;
    assert_eq!(request.questions[0].options.len(), 2);
    let store = choose(&request, 0, &["SQLite, or a file"]);
    let mut parts = choose(&request, 1, &["Dark mode", "i18n"]);
    parts.other = Some("and \"print\"".to_owned());
    stage.desk.engine.answer(request.id, vec![store, parts]).await.unwrap();
    let heard = world.request(2).await;
    stage.until_delivered(request.id).await;
    let result = heard["messages"].as_array().unwrap().iter().rfind(|it| it["role"] == "tool").unwrap();
    let expected = r#""Which store should the notes be kept in?"="SQLite, or a file", "Which parts?"="Dark mode, i18n, and "print"""#;
    let result = result["content"].as_str().unwrap();
    assert!(result.contains(expected), "{result}");
    stage.until_idle_after(session, "It is a file.").await;
    assert!(stage.desk.mirror.said(session).contains(&"I need to ask."));
    let EntryBody::TurnEnded { error, input_tokens, context, .. } = stage.desk.mirror.turns(session)[0]
    else {
        panic!()
    };
    assert_eq!((error, *input_tokens), (&None, 20));
    assert_eq!(context.map(|context| context.size), Some(200_000));

    stage.sessions.call(session, SessionCall::message("Once more".to_owned())).await.unwrap();
    stage.until_idle_after(session, "Again.").await;
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
    assert!(!is_alive(world.pid()), "the server ends with its last session");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_66_and_75_a_permission_is_allowed_or_rejected_as_decided() {
    let script = vec![
        Reply::new([runs("call_1", "touch made.txt")]),
        Reply::new([runs("call_2", "touch never.txt")]),
        Reply::text("I understand."),
        Reply::new([runs("call_3", "touch not-this.txt")]),
    ];
    let Some(world) = World::open("case_66_opencode_permission", script).await else { return };
    let (mut stage, session) = world.started().await;

    let first = stage.permission(session).await;
    let awaits = |statuses: Vec<ToolStatus>| statuses.last() == Some(&ToolStatus::AwaitingPermission);
    stage.desk.until("the tool waits", |known| awaits(known.tool_statuses(session))).await;
    assert!(!world.project.path().join("made.txt").exists());
    decide(&stage, &first, "once", None).await;
    world.request(2).await;
    assert!(world.project.path().join("made.txt").exists());

    stage
        .desk
        .until("the next one", |known| known.open_approval(session).is_some_and(|it| it.id != first.id))
        .await;
    let second = stage.permission(session).await;
    decide(&stage, &second, "reject", Some("Not that file.")).await;
    let heard = world.request(3).await;
    assert_eq!(count_in(&heard, "Not that file."), 1, "{}", heard["messages"]);
    stage.until_idle_after(session, "I understand.").await;

    // Without words OpenCode ends the turn.
    stage.sessions.call(session, SessionCall::message("Try the other one".to_owned())).await.unwrap();
    let third = stage.permission(session).await;
    decide(&stage, &third, "reject", None).await;
    stage.until_idle(session).await;
    assert_eq!(world.mock.conversation().len(), 4);
    for never in ["never.txt", "not-this.txt"] {
        assert!(!world.project.path().join(never).exists(), "{never}");
    }
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

fn calls_subagent(id: &str, agent: &str) -> Block {
    let input = json!({"description": "Makes files", "prompt": "Make them.", "subagent_type": agent});
    Block::tool(id, "task", input)
}

#[tokio::test(flavor = "multi_thread")]
async fn case_108_a_subagent_of_a_session_that_asks_asks_too_or_is_barred() {
    let script = vec![
        Reply::new([calls_subagent("call_1", "general")]),
        Reply::new([runs("call_2", "touch denied.txt")]),
        Reply::new([runs("call_3", "touch allowed.txt")]),
        Reply::text("Made."),
        Reply::new([calls_subagent("call_4", "mine")]),
        Reply::text("Barred, then."),
    ];
    let Some(world) = World::open("case_108_opencode_subagent", script).await else { return };
    let edits = json!({"description": "Edits", "mode": "subagent", "permission": {"bash": "allow", "question": "allow"}});
    world.set_agents(&json!({"general": {"permission": {"question": "allow"}}, "mine": edits}));
    let (mut stage, session) = world.started().await;

    let first = stage.permission(session).await;
    assert_eq!(first.asked_by.as_deref(), Some("general"));
    let touches = |approval: &Approval, file: &str| match &approval.subject {
        ToolDetail::Command { command, .. } => command.contains(file),
        _ => false,
    };
    assert!(touches(&first, "denied.txt"), "{first:?}");
    decide(&stage, &first, "reject", Some("Not that file.")).await;
    stage
        .desk
        .until("the next one", |known| known.open_approval(session).is_some_and(|it| it.id != first.id))
        .await;
    let second = stage.permission(session).await;
    assert!(touches(&second, "allowed.txt"), "{second:?}");
    assert!(!world.project.path().join("allowed.txt").exists());
    decide(&stage, &second, "once", None).await;
    // The subagent is barred that the user's own settings let run commands unasked.
    let heard = world.request(6).await;
    assert!(heard["messages"].to_string().contains("prevents you from using"), "{}", heard["messages"]);
    stage.until_idle_after(session, "Barred, then.").await;
    assert!(world.project.path().join("allowed.txt").exists());
    assert!(!world.project.path().join("denied.txt").exists());
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_while_it_asks_closes_the_card_and_the_session_goes_on() {
    let script = vec![Reply::new([asks("call_1")]), Reply::text("On it.")];
    let Some(world) = World::open("opencode_interrupt", script).await else { return };
    let (mut stage, session) = world.started().await;
    let request = stage.asked_one(session).await;
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.until_idle(session).await;
    stage.asked(session, 0).await;
    let ended = stage.desk.request(request.id).await;
    assert!(matches!(ended.ended().unwrap().outcome, Outcome::Withdrawn { .. }), "{ended:?}");
    assert_eq!(world.mock.conversation().len(), 1, "the model was not called again");
    stage.sessions.call(session, SessionCall::message("Go on".to_owned())).await.unwrap();
    stage.until_idle_after(session, "On it.").await;
    assert!(matches!(stage.desk.mirror.delivery(request.id), None | Some(Delivery::Parked)));
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_68_and_69_killed_with_its_server_while_it_asks_a_session_gets_the_late_answer_once_when_resumed()
 {
    let script = vec![
        Reply::new([Block::text("I need to ask."), asks("call_1")]),
        Reply::text("Idle here."),
        Reply::text("PostgreSQL it is."),
        Reply::text("As you say."),
    ];
    let Some(world) = World::open("case_68_opencode_killed", script).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut stage = world.desk(folder.path()).await;
    let session = world.start(&stage).await;
    let request = stage.asked_one(session).await;
    let other = world.start(&stage).await;
    stage.until_said(other, "Idle here.").await;
    world.kill();
    for session in [session, other] {
        assert!(matches!(stage.until_ended(session).await, SessionEnd::Failed { .. }));
        assert!(stage.desk.mirror.sessions[&session].resumable);
    }
    let missed = stage.desk.request(request.id).await;
    assert_eq!(missed.ended().unwrap().outcome, Outcome::Orphaned { why: OrphanedWhy::AgentEnded });
    let parked = stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await;
    assert_eq!(parked.unwrap().ended().unwrap().delivery, Some(Delivery::Parked));
    // The app restarts in between.
    stage.sessions.shut_down().await;
    drop(stage);
    let mut stage = world.desk(folder.path()).await;
    assert_eq!(world.mock.conversation().len(), 2);

    world.resume(&stage, session).await;
    stage.desk.catch_up();
    let heard = world.request(3).await;
    assert_eq!(count_in(&heard, "This is a late answer."), 1, "{}", heard["messages"]);
    assert_eq!(count_in(&heard, r#"Answer: \"PostgreSQL\""#), 1, "{}", heard["messages"]);
    stage.until_said(session, "PostgreSQL it is.").await;
    stage.until_delivered_late(request.id).await;
    stage.until_idle(session).await;
    assert_eq!(stage.desk.mirror.said(session), ["PostgreSQL it is."], "a resumed session repeats nothing");

    world.resume(&stage, other).await;
    stage.sessions.call(other, SessionCall::message("And you?".to_owned())).await.unwrap();
    stage.until_said(other, "As you say.").await;
    stage.desk.check_mirror().await;
    stage.sessions.shut_down().await;
    assert!(!is_alive(world.pid()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_real_opencode_goes_on_in_the_folder_that_its_own_one_became() {
    let script = vec![Reply::text("Hi."), Reply::text("Still here.")];
    let Some(world) = World::open("a_session_of_the_real_opencode_goes_on", script).await else { return };
    let (mut stage, session) = world.started().await;
    stage.until_idle_after(session, "Hi.").await;
    goes_on_in_the_moved_folder(&mut stage, &world.mock, &world.project, session, |_| ()).await;
}
