//! The real `claude` with `askdesk mcp` as its server.

use askdesk_domain::Channel;
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use crate::gateway::real_claude::{REQUEST_WITHIN, World, which_store};

#[tokio::test(flavor = "multi_thread")]
async fn the_real_claude_asks_over_stdio_and_its_model_receives_the_answer() {
    let test = "the_real_claude_asks_over_stdio_and_its_model_receives_the_answer";
    let questions = json!({"questions": which_store("Which store should the notes be kept in?")});
    let call = Block::tool("toolu_1", "mcp__askdesk__ask_user_question", questions);
    let script = vec![Reply::new([call]), Reply::text("PostgreSQL it is.")];
    let Some(world) = World::open(test, script).await else { return };
    let env = json!({"ASKDESK_DATA_DIR": world.fixture.folder.path()});
    let program = env!("CARGO_BIN_EXE_askdesk");
    let server =
        json!({"type": "stdio", "command": program, "args": ["mcp"], "env": env, "alwaysLoad": true});
    let config = json!({"mcpServers": {"askdesk": server}}).to_string();
    let arguments = ["--mcp-config", &config, "--strict-mcp-config", "--allowedTools", "mcp__askdesk"];
    let mut claude = world.start(&arguments).await;
    let request = world.asked(Channel::Mcp).await;
    let (_, session) = world.fixture.asked().await;
    assert_eq!(session.origin.client(), Some("claude-code"));
    world.answer(&request).await;
    drop(claude.stdin.take());
    let ended = tokio::time::timeout(REQUEST_WITHIN, claude.wait()).await;
    assert!(ended.expect("an end of the program").unwrap().success());
    world.fixture.all_sessions_end().await;
}
