//! A real Claude Code process, with a model of our own on loopback, asks in the real window.

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::json;

use crate::harness::Setup;

#[tokio::test]
async fn a_real_claude_process_asks_two_questions_and_gets_exactly_the_answers() {
    let Some(program) =
        clis::claude_or_skip("a_real_claude_process_asks_two_questions_and_gets_exactly_the_answers")
    else {
        return;
    };
    let questions = json!([
        { "question": "Which auth method should we use?", "header": "Auth method", "multiSelect": false,
          "options": [{ "label": "OAuth 2.0", "description": "By a provider" }, { "label": "JWT", "description": "Stateless" }] },
        { "question": "Which features do you want?", "header": "Features", "multiSelect": true,
          "options": [{ "label": "Dark mode", "description": "Theme" }, { "label": "Export", "description": "PDF" },
                      { "label": "Sync", "description": "Devices" }] },
    ]);
    let script = Script(vec![
        Reply::new(vec![Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions)]),
        Reply::text("Thank you, I go on."),
    ]);
    let api = MockApi::start(script).await.unwrap();
    let home = tempfile::TempDir::new().unwrap();
    let mut setup = Setup::default().pictured();
    for (name, value) in clis::sealed_env(home.path(), &api.base_url) {
        setup = setup.env(&name, value);
    }
    let app = setup.open().await;
    let folder = tempfile::TempDir::new().unwrap();
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": folder.path(),
        "options": { "program": program }, "prompt": "Please set up auth.", "name": "Real" });
    let session = app.invoke("start_session", input).await.unwrap();
    app.select(session["id"].as_str().unwrap()).await;

    app.click("radio", "JWT").await;
    app.find("aside [data-question=q2]").await;
    app.click("checkbox", "Sync").await;
    app.click("checkbox", "Dark mode").await;
    app.picture("real-claude").await;
    app.click("button", "Next").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;

    app.shows_text("main", "Thank you, I go on.").await;
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    let results = api.tool_results();
    assert_eq!(results.len(), 1, "{results:?}");
    let text = serde_json::to_string(&results[0]).unwrap();
    assert!(text.contains(r#"\"Which auth method should we use?\"=\"JWT\""#), "{text}");
    assert!(text.contains(r#"\"Which features do you want?\"=\"Dark mode, Sync\""#), "{text}");
    assert_eq!(results[0]["tool_use_id"], "toolu_ask_1");
    assert_ne!(results[0]["is_error"], json!(true));
    app.close().await;
}
