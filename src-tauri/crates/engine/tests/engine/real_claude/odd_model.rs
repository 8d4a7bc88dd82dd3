//! The real `claude` with a model backend that cuts texts inside a character and gives every call the same ID.

use askdesk_domain::{Notice, ToolStatus};
use askdesk_engine::SessionCall;
use askdesk_testkit::mock_api::{Block, HALF, Reply};
use serde_json::json;

use super::World;
use crate::support::agents::decides;

#[tokio::test(flavor = "multi_thread")]
async fn case_140_half_a_character_and_a_repeated_id_of_the_real_claude_lose_no_question_and_no_permission() {
    let test = "case_140_half_a_character_and_a_repeated_id_of_the_real_claude";
    let asks = || {
        Reply::question(
            "call_0",
            &json!([{"question": format!("Which store {HALF}?"), "header": "Store", "multiSelect": false,
            "options": [{"label": format!("SQLite {HALF}"), "description": "One file"},
                {"label": "Files", "description": "Many"}]}]),
        )
    };
    let command = format!("echo {HALF}");
    let runs =
        Reply::new([Block::tool("call_0", "Bash", json!({"command": command, "description": "Says it"}))]);
    let script = vec![asks(), Reply::text("One."), asks(), Reply::text("Two."), runs, Reply::text("Three.")];
    let Some(world) = World::open(test, script).await else { return };
    let (mut stage, session) = world.started().await;
    for (n, said) in ["One.", "Two."].into_iter().enumerate() {
        if n > 0 {
            stage.sessions.call(session, SessionCall::message("Once more.".to_owned())).await.unwrap();
        }
        let request = stage.asked_one(session).await;
        assert_eq!(request.questions[0].text, "Which store \u{fffd}?");
        stage.answer(&request, "SQLite \u{fffd}").await;
        stage.until_delivered(request.id).await;
        stage.until_idle_after(session, said).await;
        let heard = world.mock.conversation().last().unwrap()["messages"].to_string();
        assert!(heard.contains("\\\"=\\\"SQLite \u{fffd}\\\""), "{heard}");
    }
    assert_eq!(stage.desk.mirror.requests.len(), 2);
    stage.sessions.call(session, SessionCall::message("Run it.".to_owned())).await.unwrap();
    let approval = stage.permission(session).await;
    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    stage.until_idle_after(session, "Three.").await;
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Done]);
    assert_eq!(stage.desk.mirror.notices(session), Vec::<&Notice>::new());
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
