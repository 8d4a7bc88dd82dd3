//! Desks that go and come back while a call waits.

use std::net::SocketAddr;

use askdesk_domain::{Delivery, Request};
use askdesk_engine::EngineHandle;
use askdesk_gateway::{DoorSpec, Doors};
use serde_json::json;
use tokio::task::block_in_place;

use crate::at_the_desk::{asked, at, second_option};
use crate::client::{connect, text, unanswered, which_store};
use crate::desk::{Person, REQUEST, Scene, ended};
use crate::house::{House, engine, quick};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_is_registered_again_as_the_request_it_was() {
    let scene = Scene::new();
    let first = block_in_place(|| scene.start());
    let connected = connect(scene.command(&["mcp"])).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let asked = block_in_place(|| scene.wait_for("/v1/asks"));
    drop(first);
    connected.heard("waiting for it to come back").await;
    scene.person(Person::Says(ended("answered", &json!({"answers": []}))));
    let _second = block_in_place(|| scene.start());
    let result = tokio::time::timeout(crate::client::PATIENCE, call.await_response()).await;
    let result = serde_json::to_value(result.expect("an end in time").unwrap()).unwrap();
    let expected = json!({"outcome": "answered", "requestId": REQUEST, "answers": []});
    assert_eq!(result["structuredContent"], expected);
    let again = scene.calls().into_iter().rfind(|call| call.path == asked.path).unwrap();
    let mut expected = asked.body;
    expected["again"] = json!(REQUEST);
    assert_eq!(again.body, expected, "the same call, and which request it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_that_does_not_come_back_leaves_a_question_that_can_be_collected() {
    let scene = Scene::new();
    let desk = block_in_place(|| scene.start());
    let connected = connect(scene.command(&["mcp", "--patience", "1s"])).await;
    let calling = connected.call("ask_user_question", which_store());
    let going = async {
        block_in_place(|| scene.wait_for("/v1/asks"));
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

async fn open(folder: &std::path::Path, engine: &EngineHandle, port: Option<u16>) -> Doors {
    let spec = DoorSpec { port, times: quick(), ..DoorSpec::new(folder, engine.clone(), "0.1.0") };
    Doors::open(spec).await.unwrap()
}

/// Ends a desk with no word to those who wait, and opens it again on the same folder and port.
async fn killed_and_opened(house: &mut House, address: SocketAddr) {
    drop(house.doors.take().unwrap());
    house.engine.close().await.unwrap();
    house.engine = engine(house.folder.path());
    house.doors = Some(open(house.folder.path(), &house.engine, Some(address.port())).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_54_a_question_over_the_twin_survives_the_restart_of_the_desk() {
    let mut house = House::open().await;
    let address = house.address;
    let connected = connect(at(&house, &["mcp"])).await;
    let call = connected.begin("ask_user_question", which_store()).await;
    let (before, _): (Request, _) = asked(&house).await;
    killed_and_opened(&mut house, address).await;
    let (after, session) = asked(&house).await;
    assert_eq!((after.id, session.origin.client()), (before.id, Some("codex-mcp-client")));
    // Once more, with another token.
    std::fs::write(house.folder.path().join("token"), format!("{}\n", "ab".repeat(32))).unwrap();
    killed_and_opened(&mut house, address).await;
    let (after, _) = asked(&house).await;
    assert_eq!(after.id, before.id);
    house.engine.answer(after.id, second_option()).await.unwrap();
    let result = tokio::time::timeout(crate::client::PATIENCE, call.await_response()).await;
    let result = serde_json::to_value(result.expect("an end in time").unwrap()).unwrap();
    assert_eq!(result["structuredContent"]["requestId"], json!(before.id));
    assert_eq!(result["structuredContent"]["answers"][0]["selectedOptions"], json!(["Postgres"]));
    let id = before.id;
    house
        .until("the answer is delivered, and was the only question", move |desk| {
            let delivered = matches!(desk.request(id)?.ended()?.delivery, Some(Delivery::Delivered { .. }));
            (delivered && desk.requests().count() == 1).then_some(())
        })
        .await;
}
