//! Askdesk restarts while a call waits.

use serde_json::json;
use tokio::task::block_in_place;

use super::calls::at;
use super::mcp_client::{PATIENCE, connect, text, unanswered};
use crate::fake_app::{FakeApp, REQUEST};
use crate::gateway::fixture::Fixture;

#[tokio::test(flavor = "multi_thread")]
async fn if_the_app_does_not_come_back_the_answer_can_be_collected_later() {
    let (app, desk) = block_in_place(FakeApp::started);
    let connected = connect(app.command(&["mcp", "--patience", "1s"])).await;
    let calling = connected.ask();
    let going = async {
        block_in_place(|| app.wait_for("/v1/asks"));
        drop(desk);
    };
    let (result, ()) = tokio::join!(calling, going);
    assert_eq!(unanswered(&result), json!({"outcome": "missed", "requestId": REQUEST}));
    assert!(
        text(&result).contains(&format!("collect_answer with requestId \"{REQUEST}\"")),
        "{}",
        text(&result)
    );
}

/// Ends a gateway without telling waiting callers, and opens it again with the same folder and port.
async fn kill_and_reopen(fixture: &mut Fixture) {
    drop(fixture.gateway.take().unwrap());
    fixture.reopen(Some(fixture.address.port())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_54_a_question_over_stdio_survives_a_restart() {
    let mut fixture = Fixture::open().await;
    let connected = connect(at(&fixture, &["mcp"])).await;
    let call = connected.begin().await;
    let (before, _) = fixture.asked().await;
    kill_and_reopen(&mut fixture).await;
    let (after, session) = fixture.asked().await;
    assert_eq!((after.id, session.origin.client()), (before.id, Some("codex-mcp-client")));
    // And again, with another token.
    std::fs::write(fixture.folder.path().join("token"), format!("{}\n", "ab".repeat(32))).unwrap();
    kill_and_reopen(&mut fixture).await;
    let (after, _) = fixture.asked().await;
    assert_eq!(after.id, before.id);
    fixture.answer(after.id).await;
    let result = tokio::time::timeout(PATIENCE, call.await_response()).await;
    let result = serde_json::to_value(result.expect("an end in time").unwrap()).unwrap();
    assert_eq!(result["structuredContent"]["requestId"], json!(before.id));
    assert_eq!(result["structuredContent"]["answers"][0]["selectedOptions"], json!(["Postgres"]));
    fixture.delivered(before.id).await;
    assert_eq!(fixture.engine.inspect(|desk| desk.requests().count()).await.unwrap(), 1);
}
