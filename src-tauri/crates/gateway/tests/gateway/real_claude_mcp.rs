//! The real `claude` as an MCP client and with its hook.

use askdesk_domain::Channel;
use askdesk_testkit::mock_api::Reply;
use serde_json::json;

use super::real_claude::{World, asks_over_mcp, which_store};

#[tokio::test(flavor = "multi_thread")]
async fn the_real_claude_asks_over_mcp_and_its_model_receives_the_answer() {
    asks_over_mcp("the_real_claude_asks_over_mcp_and_its_model_receives_the_answer", |world| {
        let url = format!("http://{}/mcp", world.fixture.address);
        json!({"type": "http", "url": url, "headers": world.bearer(), "alwaysLoad": true})
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_the_real_claudes_hook_is_answered_in_askdesk() {
    let questions = which_store("Which store should the notes be kept in?");
    let script = vec![Reply::question("toolu_1", &questions), Reply::text("PostgreSQL it is.")];
    let test = "case_53_the_real_claudes_hook_is_answered_in_askdesk";
    let Some(world) = World::open(test, script).await else { return };
    let hooks = json!([{"matcher": "AskUserQuestion", "hooks": [world.hook()]}]);
    let settings = json!({"hooks": {"PermissionRequest": hooks}});
    let _claude = world.start(&["--settings", &settings.to_string()]).await;
    let request = world.asked(Channel::TerminalHook).await;
    world.answer(&request).await;
}
