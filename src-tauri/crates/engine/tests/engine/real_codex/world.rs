//! A model, a home and a desk for the real program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use askdesk_agents::codex::{self, Codex, CodexAdapter};
use askdesk_agents::{Agent, LinkPlan, SessionPlan, Start};
use askdesk_domain::{
    AgentDescriptor, AgentFailure, Approval, ApprovalDecision, ApprovalOptionId, ApprovalState, SessionId,
    SessionOptions, ToolStatus,
};
use askdesk_engine::Catalog;
use askdesk_engine::clock::Clock;
use askdesk_testkit::clis::{self, Cli, Release};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agents::{Stage, choices, seal};
use crate::support::desk::TestDesk;
use crate::support::mirror::Mirror;

pub const REQUEST_WITHIN: Duration = Duration::from_secs(30);

/// Codex in a sealed environment, whose server writes its process id to a file.
#[derive(Debug)]
struct Sealed {
    descriptor: AgentDescriptor,
    program: PathBuf,
    home: PathBuf,
    base_url: String,
}

impl Agent for Sealed {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn find(&self, _: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        Ok(Some(self.program.clone()))
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        let Start { folder, options, .. } = start;
        let mut plan = codex::launch(self.program.clone(), folder);
        seal(&mut plan, &self.home, &self.base_url);
        plan.folder = self.home.clone();
        let (plan, sign_in) = codex::shared(plan, &options.extras);
        let link = LinkPlan::Shared(plan);
        let adapter = CodexAdapter::new(folder, self.descriptor.config.clone(), &options.config);
        Ok(SessionPlan { adapter: Box::new(adapter), link, sign_in: Some(sign_in) })
    }
}

/// The lines of the settings with which the program takes its key from the environment, and from its sign-in.
const KEY_OF_ENVIRONMENT: &str = "env_key = \"MOCK_API_KEY\"";
const KEY_OF_SIGN_IN: &str = "requires_openai_auth = true";

/// Tells the requests of a subagent in the role `loose` from all others.
pub const ROLE_MODEL: &str = "mock-of-a-role";

pub struct World {
    pub mock: MockApi,
    pub stage: Stage,
    program: PathBuf,
    pub home: TempDir,
    pub project: TempDir,
}

impl World {
    /// Opens one, or reports that the test was skipped.
    pub async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        Self::open_on(None, test, script).await
    }

    /// Opens one with a release of the program.
    pub async fn open_release(release: Release, test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::release_or_skip(Cli::Codex, release, test)?;
        Some(Self::of_program(program, None, script).await)
    }

    pub async fn open_on(data: Option<&Path>, test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::native_or_skip(Cli::Codex, test)?;
        Some(Self::of_program(program, data, script).await)
    }

    async fn of_program(program: PathBuf, data: Option<&Path>, script: Vec<Reply>) -> Self {
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        Cli::Codex.write_settings(home.path(), &mock.base_url).unwrap();
        let agent = Sealed {
            descriptor: Codex::default().descriptor().clone(),
            program: program.clone(),
            home: home.path().to_owned(),
            base_url: mock.base_url.clone(),
        };
        let agents = Catalog::new(vec![Arc::new(agent)]);
        let desk = match data {
            Some(folder) => TestDesk::open_with(folder, agents).await,
            None => TestDesk::open_alone_with(agents).await,
        };
        let stage = Stage::on(desk);
        Self { mock, stage, program, home, project }
    }

    /// Configures an MCP server.
    pub fn add_server(&self, name: &str, url: &str) {
        self.add_settings(&format!("[mcp_servers.{name}]\nurl = \"{url}\"\n"));
    }

    /// Configures the role `loose` for subagents.
    pub fn add_role_that_never_asks(&self) {
        let model = format!("model = \"{ROLE_MODEL}\"\n");
        let settings = "approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n";
        std::fs::write(self.home.path().join(".codex/loose.toml"), model + settings).unwrap();
        self.add_settings("[agents.loose]\ndescription = \"Asks nobody\"\nconfig_file = \"loose.toml\"\n");
    }

    /// Configures a model that asks in the middle of its work and goes on.
    pub fn choose_model_that_goes_on(&self) {
        let config = self.home.path().join(".codex/config.toml");
        let settings = std::fs::read_to_string(&config).unwrap();
        std::fs::write(config, settings.replacen("model = \"mock\"", "model = \"gpt-6-astra\"", 1)).unwrap();
    }

    fn add_settings(&self, more: &str) {
        let config = self.home.path().join(".codex/config.toml");
        let settings = std::fs::read_to_string(&config).unwrap();
        std::fs::write(config, format!("{settings}\n{more}")).unwrap();
    }

    pub async fn start(&self, prompt: &str) -> SessionId {
        self.start_with(prompt, SessionOptions::default()).await
    }

    pub async fn start_with(&self, prompt: &str, options: SessionOptions) -> SessionId {
        let id = self.stage.desk.clock.session_id();
        let folder = self.project.path().to_owned();
        self.stage.start_of(id, codex::CODEX, folder, Some(prompt), options).await;
        id
    }

    pub async fn decide(&mut self, approval: &Approval, decision: ApprovalDecision) {
        self.stage.desk.engine.decide_approval(approval.id, decision).await.unwrap();
        let decided = |known: &Mirror| known.approvals[&approval.id].state != ApprovalState::Open;
        self.stage.desk.until("the permission is decided", decided).await;
    }

    /// Waits until the newest tool call has a status.
    pub async fn until_status(&mut self, session: SessionId, status: ToolStatus) {
        let what = format!("the tool is {status:?}");
        self.stage.desk.until(&what, |known| known.tool_statuses(session).last() == Some(&status)).await;
    }

    /// Whether a file is in the session's folder.
    pub fn file(&self, name: &str) -> bool {
        self.project.path().join(name).exists()
    }

    /// Returns what the model's `n`th request says a call of a tool has returned.
    pub async fn result_of(&self, n: usize, call: &str) -> Value {
        let request = self.mock.wait_for_request(n, REQUEST_WITHIN).await.expect("the agent goes on");
        let items = request["input"].as_array().unwrap();
        let output = items.iter().find(|item| item["call_id"] == call && item["output"].is_string());
        serde_json::from_str(output.expect("a result")["output"].as_str().unwrap()).unwrap()
    }

    /// The process of the newest server.
    pub fn server(&self) -> u32 {
        std::fs::read_to_string(self.home.path().join("pid")).unwrap().trim().parse().unwrap()
    }

    pub fn kill_server(&self) {
        let pid = self.server().to_string();
        assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    }

    /// Signs in with a key, as a user does in a terminal.
    pub fn sign_in(&self, key: &str) {
        let config = self.home.path().join(".codex/config.toml");
        let settings = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, settings.replace(KEY_OF_ENVIRONMENT, KEY_OF_SIGN_IN)).unwrap();
        let mut command = Command::new(&self.program);
        command.args(["login", "--with-api-key"]).env_clear();
        command.envs(clis::sealed_env(self.home.path(), &self.mock.base_url));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        running.stdin.take().unwrap().write_all(key.as_bytes()).unwrap();
        assert!(running.wait().unwrap().success());
    }
}

pub fn ask(call: &str, questions: &Value) -> Block {
    Block::tool(call, "request_user_input", json!({"questions": questions}))
}

pub fn shell(call: &str, command: &str) -> Reply {
    Reply::new([Block::tool(call, "exec_command", json!({"cmd": command}))])
}

/// Options with which the agent asks before it runs a command, and every command would succeed unasked.
pub fn asking_first() -> SessionOptions {
    SessionOptions {
        config: choices(&[("approval_policy", "untrusted"), ("sandbox", "danger-full-access")]),
        ..SessionOptions::default()
    }
}

pub fn decision(option: &'static str) -> ApprovalDecision {
    ApprovalDecision::of(ApprovalOptionId::literal(option))
}
