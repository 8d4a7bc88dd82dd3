//! The real `claude` with `askdesk mcp` as its server.

use serde_json::json;

use crate::gateway::real_claude::asks_over_mcp;

#[tokio::test(flavor = "multi_thread")]
async fn the_real_claude_asks_over_stdio_and_its_model_receives_the_answer() {
    let test = "the_real_claude_asks_over_stdio_and_its_model_receives_the_answer";
    let world = asks_over_mcp(test, |world| {
        let env = json!({"ASKDESK_DATA_DIR": world.fixture.folder.path()});
        let program = env!("CARGO_BIN_EXE_askdesk");
        json!({"type": "stdio", "command": program, "args": ["mcp"], "env": env, "alwaysLoad": true})
    })
    .await;
    if let Some(world) = world {
        world.fixture.all_sessions_end().await;
    }
}
