//! Sessions of the real agents, with a model of the tests' own on loopback, in the real window.

use std::os::unix::fs::symlink;
use std::path::Path;

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};

/// The window beside one real agent, with a selected session of it.
pub struct Real {
    pub cli: Cli,
    pub app: App,
    pub mock: MockApi,
    pub session: String,
    pub project: TempDir,
    pub home: TempDir,
    _programs: TempDir,
}

impl Real {
    /// Starts a session, or reports that the test did not run because the agent is not installed.
    pub async fn start(
        cli: Cli,
        setup: Setup,
        test: &str,
        config: Value,
        script: Vec<Reply>,
    ) -> Option<Self> {
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        std::fs::write(project.path().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
        let (app, programs) = open_beside(cli, setup, test, home.path(), &mock).await?;
        let input = json!({ "agent": agent(cli), "folder": project.path(), "options": { "config": config },
            "prompt": "Please go on.", "name": "Real" });
        let session = app.start_session(input).await;
        app.select(&session).await;
        Some(Self { cli, app, mock, session, project, home, _programs: programs })
    }

    /// Everything that the model has been sent last.
    pub fn heard(&self) -> String {
        self.mock.conversation().last().unwrap().to_string()
    }

    /// Waits for the first turn to end.
    pub async fn until_first_turn(&self) {
        self.app.wait("a request to the model", async || self.mock.conversation().pop()).await;
        self.until_idle().await;
    }

    pub async fn until_idle(&self) {
        self.app.in_state(&self.session, "idle").await;
    }

    /// Sends a message in the window.
    pub async fn send(&self, text: &str) {
        let field = self.app.by_role_in("main", "textbox", "Message to the agent").await;
        field.send_keys(text).await.unwrap();
        self.app.click("button", "Send").await;
    }
}

/// The agent as the bridge calls it.
pub fn agent(cli: Cli) -> String {
    cli.id().replace('-', "_")
}

/// The configuration of a session that asks before it runs a command.
pub fn asking(cli: Cli) -> Value {
    match cli {
        Cli::Codex => json!({ "approval_policy": "untrusted", "sandbox": "danger-full-access" }),
        Cli::OpenCode => json!({ "permissions": "ask" }),
        _ => json!({}),
    }
}

/// The agent's call that runs a command.
pub fn shell(cli: Cli, command: &str) -> Block {
    let described = json!({ "command": command, "description": "Works" });
    match cli {
        Cli::Codex => Block::tool(&call(), "exec_command", json!({ "cmd": command })),
        Cli::OpenCode => Block::tool(&call(), "bash", described),
        _ => Block::tool(&call(), "Bash", described),
    }
}

/// The agent's call that asks for a store.
pub fn ask(cli: Cli) -> Block {
    let questions = json!([{ "id": "store", "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    let tool = match cli {
        Cli::Codex => "request_user_input",
        Cli::OpenCode => "question",
        _ => "AskUserQuestion",
    };
    Block::tool(&call(), tool, json!({ "questions": questions }))
}

/// The id of a call, which no other one has.
fn call() -> String {
    format!("call_{}", uuid::Uuid::new_v4().simple())
}

/// Opens the window with this agent as the only one that is installed, in the folder that is returned.
pub async fn open_beside(
    cli: Cli,
    setup: Setup,
    test: &str,
    home: &Path,
    mock: &MockApi,
) -> Option<(App, TempDir)> {
    let program = clis::native_or_skip(cli, test)?;
    if cli != Cli::ClaudeCode {
        cli.write_settings(home, &mock.base_url).unwrap();
    }
    let programs = TempDir::new().unwrap();
    symlink(program, programs.path().join(cli.command())).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    let app = sealed(setup, home, mock).env("PATH", path).open().await;
    Some((app, programs))
}

/// Gives the agent a home folder of its own and the mock as its model.
pub fn sealed(setup: Setup, home: &Path, mock: &MockApi) -> Setup {
    let env = clis::sealed_env(home, &mock.base_url).into_iter();
    env.fold(setup, |setup, (name, value)| setup.env(&name, value))
}

/// Newer models ask in the middle of their work and go on.
#[tokio::test]
async fn case_135_and_136_a_question_that_does_not_block_is_a_card_and_its_answer_begins_a_turn() {
    let test = "case_135_and_136_a_question_that_does_not_block_is_a_card";
    let questions = json!([{"title": "Which trigger?", "options": ["Click", "Keyboard"]}]);
    let asks = Reply::new([Block::tool("c1", "request_user_input_async", json!({ "questions": questions }))]);
    let script = vec![asks, Reply::text("I go on meanwhile."), Reply::text("Keyboard it is.")];
    let newer = json!({ "model": "gpt-6-astra" });
    let setup = Setup::default().pictured();
    let Some(real) = Real::start(Cli::Codex, setup, test, newer, script).await else { return };
    let app = &real.app;
    app.find(OPEN_CARD).await;
    app.in_state(&real.session, "needs_you").await;
    app.shows_text("aside.panel", "Codex didn’t wait for this answer. Your answer begins a new turn.").await;
    app.shows_text("main", "Went on without your answer I go on meanwhile.").await;
    app.picture("goes-on").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.choose_second_by_keys().await;
    app.shows_text("main", "Keyboard it is.").await;
    app.find(DELIVERED).await;
    real.until_idle().await;
    let heard = real.mock.conversation().last().unwrap()["input"].to_string();
    assert_eq!(heard.matches("<send_user_message_question_reply>").count(), 1, "{heard}");
    assert!(heard.contains(r#"[{\"answer\":\"Keyboard\",\"question\":\"Which trigger?\""#), "{heard}");
}
