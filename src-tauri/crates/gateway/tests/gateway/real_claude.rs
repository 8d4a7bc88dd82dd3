//! The real `claude` in front of an open gateway. Its model is a mock on loopback.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use askdesk_client_config::{Endpoint, Env, Os, Scope, Token, connect};
use askdesk_contract::Client;
use askdesk_domain::{Channel, Request};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use askdesk_user_environment::Variables;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use super::fixture::Fixture;

pub const REQUEST_WITHIN: Duration = Duration::from_secs(60);

pub fn which_store(question: &str) -> Value {
    json!([{"question": question, "header": "Store", "multiSelect": false, "options": [
        {"label": "SQLite", "description": "One file"}, {"label": "PostgreSQL", "description": "A server"}]}])
}

/// Connects Claude Code as `askdesk connect` does.
pub fn connect_claude(fixture: &Fixture, home: &Path, project: &Path) {
    let (home, project) = (home.to_owned(), project.to_owned());
    let env = Env { os: Os::CURRENT, home, project, variables: Variables::default() };
    let token = Token::parse(&fixture.token()).unwrap();
    let endpoint = Endpoint { port: fixture.address.port(), token, command: None, ask_by_command: false };
    connect(Client::ClaudeCode, Scope::User, &env, &endpoint).unwrap().apply().unwrap();
}

/// An open gateway, a mock model, and a home folder for the program.
pub struct World {
    pub fixture: Fixture,
    pub program: PathBuf,
    pub mock: MockApi,
    pub home: tempfile::TempDir,
    pub project: tempfile::TempDir,
}

impl World {
    /// Starts it, or reports that the test is not run.
    pub async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Some(Self { fixture: Fixture::open().await, program, mock, home, project })
    }

    pub async fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(&self.program);
        command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
        command.args(["--permission-prompt-tool", "stdio"]).args(arguments);
        command.env_clear().envs(clis::sealed_env(self.home.path(), &self.mock.base_url));
        command.current_dir(self.project.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let mut claude = command.spawn().unwrap();
        let said = json!({"type": "user", "message": {"role": "user", "content": "Please go on."},
            "parent_tool_use_id": null, "session_id": ""});
        // Its input stays open: at its end the program gives up its calls.
        claude.stdin.as_mut().unwrap().write_all(format!("{said}\n").as_bytes()).await.unwrap();
        claude
    }

    /// The hook that `askdesk connect` registers.
    pub fn hook(&self) -> Value {
        json!({"type": "http", "url": format!("http://{}/hooks/claude", self.fixture.address),
            "timeout": 86_400, "headers": self.bearer()})
    }

    pub fn bearer(&self) -> Value {
        json!({"Authorization": format!("Bearer {}", self.fixture.token())})
    }

    /// Waits until it asks in its project over a channel.
    pub async fn asked(&self, channel: Channel) -> Request {
        let (request, session) = self.fixture.asked().await;
        assert_eq!(session.origin.channel(), Some(channel));
        assert_eq!(PathBuf::from(&session.folder), dunce::canonicalize(self.project.path()).unwrap());
        request
    }

    /// Chooses PostgreSQL, and checks that the model receives it.
    pub async fn answer(&self, request: &Request) {
        self.fixture.answer(request.id).await;
        self.mock.wait_for_request(2, REQUEST_WITHIN).await.expect("the turn goes on");
        self.fixture.delivered(request.id).await;
        let told = self.mock.tool_results().remove(0);
        assert!(told["content"].to_string().contains("PostgreSQL"), "{told}");
        assert_ne!(told["is_error"], true);
    }
}
