//! The real `claude` as an MCP client and with its hook. Its model is a mock on loopback.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use askdesk_domain::{AnswerInput, Channel, Delivery, QuestionId, Request, Session};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use super::fixture::Fixture;

pub const REQUEST_WITHIN: Duration = Duration::from_secs(30);

fn questions() -> Value {
    json!([{"question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false,
        "options": [{"label": "SQLite", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]}])
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
        let Some(program) = clis::claude_program() else {
            let why = format!("the real claude is not installed; {}", clis::HOW_TO_INSTALL);
            clis::report_skipped(test, &why);
            return None;
        };
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Some(Self { fixture: Fixture::open().await, program, mock, home, project })
    }

    async fn start(&self, arguments: &[String]) -> Child {
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

    pub fn bearer(&self) -> Value {
        json!({"Authorization": format!("Bearer {}", self.fixture.token())})
    }

    pub async fn asked(&self) -> (Request, Session) {
        self.fixture
            .until("the real agent asks", |desk| {
                let request = desk.requests().find(|request| request.is_open())?;
                Some((request.clone(), desk.session(request.session)?.clone()))
            })
            .await
    }

    /// Answers, and returns what the model receives.
    pub async fn answer(&self, request: &Request) -> Value {
        let question = QuestionId::at(0);
        let answer = AnswerInput { question, chosen: vec![question.option(1)], other: None, note: None };
        self.fixture.engine.answer(request.id, vec![answer]).await.unwrap();
        self.mock.wait_for_request(2, REQUEST_WITHIN).await.expect("the turn goes on");
        let id = request.id;
        self.fixture
            .until("the answer is delivered", move |desk| {
                let delivery = desk.request(id)?.ended()?.delivery.clone();
                matches!(delivery, Some(Delivery::Delivered { .. })).then_some(())
            })
            .await;
        self.mock.tool_results().remove(0)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_claude_asks_over_mcp_and_its_model_receives_the_answer() {
    let script = vec![
        Reply::new([Block::tool(
            "toolu_1",
            "mcp__askdesk__ask_user_question",
            json!({"questions": questions()}),
        )]),
        Reply::text("PostgreSQL it is."),
    ];
    let Some(world) = World::open("the_real_claude_asks_over_mcp", script).await else { return };
    let server = json!({"mcpServers": {"askdesk": {
        "type": "http", "url": format!("http://{}/mcp", world.fixture.address), "headers": world.bearer(),
        "alwaysLoad": true,
    }}});
    let arguments =
        ["--mcp-config", &server.to_string(), "--strict-mcp-config", "--allowedTools", "mcp__askdesk"];
    let mut claude = world.start(&arguments.map(str::to_owned)).await;
    let (request, session) = world.asked().await;
    assert_eq!(
        (session.origin.channel(), session.origin.client()),
        (Some(Channel::Mcp), Some("claude-code"))
    );
    let project = std::fs::canonicalize(world.project.path()).unwrap();
    assert_eq!(PathBuf::from(&session.folder), project, "by its roots");
    let told = world.answer(&request).await;
    assert!(told["content"].to_string().contains("PostgreSQL"), "{told}");
    assert_ne!(told["is_error"], true);
    drop(claude.stdin.take());
    assert!(claude.wait().await.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_the_real_claudes_hook_is_answered_in_askdesk() {
    let script = vec![Reply::question("toolu_1", &questions()), Reply::text("PostgreSQL it is.")];
    let Some(world) = World::open("case_53_the_real_claudes_hook_is_answered_in_askdesk", script).await
    else {
        return;
    };
    let hook = json!({"type": "http", "url": format!("http://{}/hooks/claude", world.fixture.address),
        "timeout": 86_400, "headers": world.bearer()});
    let settings = json!({"hooks": {"PermissionRequest": [{"matcher": "AskUserQuestion", "hooks": [hook]}]}});
    let claude = world.start(&["--settings".to_owned(), settings.to_string()]).await;
    let (request, session) = world.asked().await;
    assert_eq!(session.origin.channel(), Some(Channel::TerminalHook));
    let project = std::fs::canonicalize(world.project.path()).unwrap();
    assert_eq!(PathBuf::from(&session.folder), project);
    let told = world.answer(&request).await;
    assert!(told["content"].to_string().contains("PostgreSQL"), "{told}");
    drop(claude);
}
