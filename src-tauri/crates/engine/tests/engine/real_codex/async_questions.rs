//! Questions that newer models ask in Default mode without waiting for the answer.

use askdesk_domain::{Asker, LaunchOverrides, Request, SessionId};
use askdesk_engine::SessionCall;
use askdesk_testkit::clis::Release;
use askdesk_testkit::mock_api::{Block, Reply};
use rstest::rstest;
use serde_json::{Value, json};

use super::world::{REQUEST_WITHIN, World};
use crate::support::agents::choose;

const OPENING: &str = "<send_user_message_question_reply>";

fn ask_async(call: &str) -> Reply {
    let questions = json!([{"title": "Which trigger?", "options": ["Click", "Keyboard"]},
        {"title": "Which file?", "options": null}]);
    Reply::new([Block::tool(call, "request_user_input_async", json!({"questions": questions}))])
}

async fn world(release: Release, test: &str, script: Vec<Reply>) -> Option<World> {
    let world = World::open_release(release, test, script).await?;
    world.choose_model_that_goes_on();
    Some(world)
}

async fn asked(world: &mut World, session: SessionId) -> Request {
    let request = world.stage.asked_one(session).await;
    assert_eq!(request.asker, Asker::GoesOn);
    request
}

async fn answer(world: &World, request: &Request) {
    let mut file = choose(request, 1, &[]);
    file.other = Some("src/a \"b\".rs".to_owned());
    let answers = vec![choose(request, 0, &["Keyboard"]), file];
    world.stage.desk.engine.answer(request.id, answers).await.unwrap();
}

/// The replies in a request to the model, as they were written.
fn replies(request: &Value) -> Vec<Value> {
    let texts =
        request["input"].as_array().unwrap().iter().filter_map(|item| item["content"][0]["text"].as_str());
    let replies = texts.filter_map(|text| text.strip_prefix(OPENING)?.split("</").next());
    replies.flat_map(|text| serde_json::from_str::<Vec<Value>>(text).unwrap()).collect()
}

fn expected() -> Vec<Value> {
    let reply = |question: &str, answer: &str, place: u32| {
        let id = format!("[\"request_user_input_async\",\"c1\",{place}]");
        json!({"question": question, "answer": answer, "questionItemId": id})
    };
    vec![reply("Which trigger?", "Keyboard", 0), reply("Which file?", "src/a \"b\".rs", 1)]
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn case_136_a_question_outlives_its_turn_a_second_one_and_a_restart_and_its_answer_arrives_once(
    #[values(Release::Newest, Release::Oldest)] release: Release,
) {
    let script = vec![ask_async("c1"), Reply::text("I go on meanwhile."), Reply::text("Keyboard it is.")];
    let test = "case_136_a_question_outlives_its_turn";
    let Some(mut world) = world(release, test, script).await else { return };
    let session = world.start("Fix it.").await;
    let request = asked(&mut world, session).await;
    world.stage.until_idle_after(session, "I go on meanwhile.").await;
    world.stage.stop(session).await;
    assert!(world.stage.desk.request(request.id).await.is_open());
    answer(&world, &request).await;
    world.stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    world.stage.until_said(session, "Keyboard it is.").await;
    world.stage.until_delivered_late(request.id).await;
    world.stage.until_idle(session).await;
    assert_eq!(replies(&world.mock.wait_for_request(3, REQUEST_WITHIN).await.unwrap()), expected());

    // A later turn asks under the same id, and the first answer is not sent again.
    world.mock.push(ask_async("c1"));
    world.mock.push(Reply::text("Again I go on."));
    world.stage.sessions.call(session, SessionCall::message("And now?".to_owned())).await.unwrap();
    let again = asked(&mut world, session).await;
    assert_ne!(again.id, request.id);
    world.stage.until_idle_after(session, "Again I go on.").await;
    assert_eq!(replies(&world.mock.conversation().last().unwrap().clone()), expected());
    world.stage.desk.check_mirror().await;
}
