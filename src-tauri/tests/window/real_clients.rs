//! Real agent CLIs, connected by `askdesk connect`, ask over MCP and are answered in the window. Their models are mocks on
//! loopback.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::{App, DELIVERED, OPEN_CARD, PATIENCE};

/// Finds the command line program, which is built into the app's folder.
fn command_line() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_askdesk-desktop")).with_file_name("askdesk");
    assert!(program.is_file(), "the command line is not built: run `cargo build -p askdesk-cli`");
    program
}

/// Kills the process on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn is_answered_in_the_window(test: &str, cli: Cli, client: &str) {
    let Some(program) = cli.program() else {
        let why = format!("the real {} is not installed; {}", cli.id(), clis::HOW_TO_INSTALL);
        return clis::report_skipped(test, &why);
    };
    let questions = json!([{
        "question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false,
        "options": [{"label": "SQLite", "description": "One file"}, {"label": "PostgreSQL", "description": "A server"}],
    }]);
    let call = Block::tool("call_1", "ask_user_question", json!({"questions": questions}));
    let script = vec![Reply::new([call]), Reply::text("PostgreSQL it is.")];
    let model = MockApi::start(Script(script)).await.unwrap();
    let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let before = cli.write_settings(home.path(), &model.base_url).unwrap();

    let app = App::open().await;
    let data = app.home().join("data");
    app.wait("the gateway", async || data.join("desk.json").is_file().then_some(())).await;
    let askdesk = |line: &[&str]| {
        let mut command = Command::new(command_line());
        command.args(line).env_clear().current_dir(project.path()).stdin(Stdio::null());
        let output = command.env("ASKDESK_DATA_DIR", &data).env("HOME", home.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    askdesk(&["connect", cli.id(), "--yes"]);
    let mut command = cli.run_once(&program, home.path(), project.path(), &model.base_url, "Please go on.");
    let mut running = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());

    // Some take long to start.
    let waits = "nav [data-session][data-state=needs_you]";
    app.wait_long("the agent's question", async || app.shows(waits).await.then_some(())).await;
    let row = app.find(waits).await;
    app.press(&row).await;
    app.shows_text(OPEN_CARD, client).await;
    app.answer("PostgreSQL").await;
    app.find(DELIVERED).await;
    model.wait_for_request(2, PATIENCE).await.expect("the turn goes on");
    let told = model.call_results();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].text.contains("PostgreSQL") && !told[0].text.contains("SQLite"), "{told:?}");
    let ended = app.wait_long("the agent's end", async || running.0.try_wait().unwrap()).await;
    assert!(ended.success(), "{ended}");

    askdesk(&["disconnect", cli.id(), "--yes"]);
    for (file, text) in before {
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{} is as it was", file.display());
    }
}

#[tokio::test]
async fn a_real_claude_that_asks_over_mcp_is_answered_in_the_window() {
    let test = "a_real_claude_that_asks_over_mcp_is_answered_in_the_window";
    is_answered_in_the_window(test, Cli::ClaudeCode, "claude-code").await;
}

#[tokio::test]
async fn a_real_codex_is_answered_in_the_window() {
    is_answered_in_the_window("a_real_codex_is_answered_in_the_window", Cli::Codex, "codex-mcp-client").await;
}

#[tokio::test]
async fn a_real_gemini_is_answered_in_the_window() {
    let test = "a_real_gemini_is_answered_in_the_window";
    is_answered_in_the_window(test, Cli::GeminiCli, "gemini-cli-mcp-client").await;
}

#[tokio::test]
async fn a_real_opencode_is_answered_in_the_window() {
    is_answered_in_the_window("a_real_opencode_is_answered_in_the_window", Cli::OpenCode, "opencode").await;
}
