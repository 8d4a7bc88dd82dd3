//! The real `claude` with `askdesk mcp` as its server. Its model is a mock on loopback.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use askdesk_domain::Channel;
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::calls::{asked, second_option};
use super::mcp_client::PATIENCE;
use crate::gateway_fixture::Fixture;

#[tokio::test(flavor = "multi_thread")]
async fn the_real_claude_asks_over_stdio_and_its_model_receives_the_answer() {
    let Some(program) = clis::claude_program() else {
        let why = format!("the real claude is not installed; {}", clis::HOW_TO_INSTALL);
        clis::report_skipped("the_real_claude_asks_over_the_twin", &why);
        return;
    };
    let questions = json!([{"question": "Which store should the notes be kept in?", "header": "Store",
        "multiSelect": false, "options": [{"label": "SQLite", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]}]);
    let tool = Block::tool("toolu_1", "mcp__askdesk__ask_user_question", json!({"questions": questions}));
    let script = vec![Reply::new([tool]), Reply::text("PostgreSQL it is.")];
    let mock = MockApi::start(Script(script)).await.unwrap();
    let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let fixture = Fixture::open().await;
    let server = json!({"mcpServers": {"askdesk": {
        "type": "stdio", "command": env!("CARGO_BIN_EXE_askdesk"), "args": ["mcp"],
        "env": {"ASKDESK_DATA_DIR": fixture.folder.path()}, "alwaysLoad": true,
    }}});
    let mut command = Command::new(program);
    command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
    command.args(["--permission-prompt-tool", "stdio", "--strict-mcp-config"]);
    command.args(["--mcp-config", &server.to_string(), "--allowedTools", "mcp__askdesk"]);
    command.env_clear().envs(clis::sealed_env(home.path(), &mock.base_url)).current_dir(project.path());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let mut claude = command.spawn().unwrap();
    let said = json!({"type": "user", "message": {"role": "user", "content": "Please go on."},
        "parent_tool_use_id": null, "session_id": ""});
    // Its input stays open: at its end the program gives up its calls.
    claude.stdin.as_mut().unwrap().write_all(format!("{said}\n").as_bytes()).await.unwrap();

    let (request, session) = asked(&fixture).await;
    assert_eq!(
        (session.origin.channel(), session.origin.client()),
        (Some(Channel::Mcp), Some("claude-code"))
    );
    assert_eq!(PathBuf::from(&session.folder), std::fs::canonicalize(project.path()).unwrap());
    fixture.engine.answer(request.id, second_option()).await.unwrap();
    mock.wait_for_request(2, Duration::from_secs(60)).await.expect("the turn goes on");
    let told = mock.tool_results().remove(0);
    assert!(told["content"].to_string().contains("PostgreSQL"), "{told}");
    assert_ne!(told["is_error"], true);
    drop(claude.stdin.take());
    assert!(tokio::time::timeout(PATIENCE, claude.wait()).await.expect("an end").unwrap().success());
    fixture
        .until("the session is over", |desk| {
            desk.sessions().all(|session| !session.is_running()).then_some(())
        })
        .await;
}
