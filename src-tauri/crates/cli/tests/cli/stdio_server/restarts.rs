//! Askdesk restarts while a call waits.

use std::net::SocketAddr;

use askdesk_domain::{Delivery, Request};
use askdesk_engine::EngineHandle;
use askdesk_gateway::{Gateway, GatewayConfig};
use serde_json::json;
use tokio::task::block_in_place;

use super::calls::{asked, at, second_option};
use super::mcp_client::{connect, text, unanswered, which_store};
use crate::fake_app::{FakeApp, REQUEST, User, ended};
use crate::gateway_fixture::{Fixture, engine, quick};

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_call_is_sent_again_with_its_request_id() {
    let app = FakeApp::new();
    let first = block_in_place(|| app.start());
    let connected = connect(app.command(&["mcp"])).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let asked = block_in_place(|| app.wait_for("/v1/asks"));
    drop(first);
    connected.heard("waiting for it to come back").await;
    app.user(User::Sends(ended("answered", &json!({"answers": []}))));
    let _second = block_in_place(|| app.start());
    let result = tokio::time::timeout(super::mcp_client::PATIENCE, call.await_response()).await;
    let result = serde_json::to_value(result.expect("an end in time").unwrap()).unwrap();
    let expected = json!({"outcome": "answered", "requestId": REQUEST, "answers": []});
    assert_eq!(result["structuredContent"], expected);
    let again = app.calls().into_iter().rfind(|call| call.path == asked.path).unwrap();
    let mut expected = asked.body;
    expected["again"] = json!(REQUEST);
    assert_eq!(again.body, expected, "the same call, and which request it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn if_the_app_does_not_come_back_the_answer_can_be_collected_later() {
    let app = FakeApp::new();
    let desk = block_in_place(|| app.start());
    let connected = connect(app.command(&["mcp", "--patience", "1s"])).await;
    let calling = connected.call("ask_user_question", which_store());
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

async fn open(folder: &std::path::Path, engine: &EngineHandle, port: Option<u16>) -> Gateway {
    let spec =
        GatewayConfig { port, timeouts: quick(), ..GatewayConfig::new(folder, engine.clone(), "0.1.0") };
    Gateway::open(spec).await.unwrap()
}

/// Ends a gateway without telling waiting callers, and opens it again with the same folder and port.
async fn kill_and_reopen(fixture: &mut Fixture, address: SocketAddr) {
    drop(fixture.gateway.take().unwrap());
    fixture.engine.close().await.unwrap();
    fixture.engine = engine(fixture.folder.path());
    fixture.gateway = Some(open(fixture.folder.path(), &fixture.engine, Some(address.port())).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_54_a_question_over_stdio_survives_a_restart() {
    let mut fixture = Fixture::open().await;
    let address = fixture.address;
    let connected = connect(at(&fixture, &["mcp"])).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (before, _): (Request, _) = asked(&fixture).await;
    kill_and_reopen(&mut fixture, address).await;
    let (after, session) = asked(&fixture).await;
    assert_eq!((after.id, session.origin.client()), (before.id, Some("codex-mcp-client")));
    // And again, with another token.
    std::fs::write(fixture.folder.path().join("token"), format!("{}\n", "ab".repeat(32))).unwrap();
    kill_and_reopen(&mut fixture, address).await;
    let (after, _) = asked(&fixture).await;
    assert_eq!(after.id, before.id);
    fixture.engine.answer(after.id, second_option()).await.unwrap();
    let result = tokio::time::timeout(super::mcp_client::PATIENCE, call.await_response()).await;
    let result = serde_json::to_value(result.expect("an end in time").unwrap()).unwrap();
    assert_eq!(result["structuredContent"]["requestId"], json!(before.id));
    assert_eq!(result["structuredContent"]["answers"][0]["selectedOptions"], json!(["Postgres"]));
    let id = before.id;
    fixture
        .until("the answer is delivered, and was the only question", move |desk| {
            let delivered = matches!(desk.request(id)?.ended()?.delivery, Some(Delivery::Delivered { .. }));
            (delivered && desk.requests().count() == 1).then_some(())
        })
        .await;
}
