//! Several requests in one session, several sessions at once, and a page that is loaded again.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use crate::examples::asked;
use crate::harness::{Desk, Setup};

#[tokio::test]
async fn case_22_two_requests_in_one_session_are_answered_in_any_order() {
    let desk = asked("parallel").await;
    desk.by_role("button", "2 Features").await.click().await.unwrap();
    desk.click("checkbox", "Sync").await;
    desk.click("button", "Submit").await;
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(
        responses[0]["updatedInput"]["answers"],
        json!({ "Which features should the first version have?": "Sync" })
    );
    // The other one is still there and still open.
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    let responses = desk.wait_for_responses(2).await;
    assert_eq!(
        responses[1]["updatedInput"]["answers"],
        json!({ "Which store should the notes be kept in?": "PostgreSQL" })
    );
    desk.shows_text("main", "Both are clear now:").await;
    desk.close().await;
}

#[tokio::test]
async fn case_30_a_question_never_waits_for_another_session() {
    let desk = Desk::open().await;
    let first = desk.start_demo("technology", "First").await;
    let second = desk.start_demo("features", "Second").await;
    desk.find(&format!("nav [data-session='{first}'][data-state=needs_you]")).await;
    desk.find(&format!("nav [data-session='{second}'][data-state=needs_you]")).await;
    desk.select(&second).await;
    desk.click("checkbox", "Export").await;
    desk.click("button", "Submit").await;
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(
        responses[0]["updatedInput"]["answers"],
        json!({ "Which features should the first version have?": "Export" })
    );
    desk.find(&format!("nav [data-session='{second}'][data-state=idle]")).await;
    desk.find(&format!("nav [data-session='{first}'][data-state=needs_you]")).await;
    desk.select(&first).await;
    desk.click("radio", "Plain files").await;
    desk.click("button", "Submit").await;
    desk.wait_for_responses(2).await;
    desk.close().await;
}

#[tokio::test]
async fn a_half_made_choice_is_still_there_after_looking_at_another_session() {
    let desk = asked("technology").await;
    let first = desk.find("nav [data-session]").await.attr("data-session").await.unwrap().unwrap();
    desk.click("radio", "Other").await;
    desk.by_role("textbox", "Your own words").await.send_keys("half a thou").await.unwrap();
    let second = desk.start_demo("features", "Second").await;
    desk.select(&second).await;
    desk.by_role("checkbox", "Sync").await;
    desk.select(&first).await;
    let words = desk.by_role("textbox", "Your own words").await;
    assert_eq!(words.prop("value").await.unwrap().unwrap(), "half a thou");
    desk.close().await;
}

#[tokio::test]
async fn what_is_written_out_of_view_stands_there_once_when_it_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("slow.json");
    // The second word comes long after the test.
    let say = json!({ "text": "alpha beta", "chunk": 6, "pace_ms": 120_000 });
    let slow = json!({ "name": "slow", "title": "Slow", "description": "Waits in the middle of a sentence.",
        "turns": [[{ "say": say }]] });
    std::fs::write(&scenario, slow.to_string()).unwrap();
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let asking = desk.start_demo("technology", "Asks").await;
    desk.select(&asking).await;
    desk.by_role("radio", "PostgreSQL").await;
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "demo", "options": { "config": { "example": scenario } },
        "name": "Writes", "prompt": "Go." });
    let session = desk.invoke("start_session", input).await.unwrap();
    let writing = session["id"].as_str().unwrap();
    desk.find(&format!("nav [data-session='{writing}'][data-state=working]")).await;
    sleep(Duration::from_secs(2)).await;
    for look in 0..3 {
        desk.select(writing).await;
        desk.shows_text("main [data-state=live]", "alpha").await;
        let live = desk.find("main [data-state=live]").await.text().await.unwrap();
        assert_eq!(live.matches("alpha").count(), 1, "look {look}: {live}");
        desk.select(&asking).await;
        desk.by_role("radio", "PostgreSQL").await;
    }
    desk.close().await;
}

#[tokio::test]
async fn a_page_loaded_again_shows_what_the_desk_holds() {
    let desk = asked("technology").await;
    desk.client.refresh().await.unwrap();
    let session = desk.find("nav [data-session][data-state=needs_you]").await;
    session.click().await.unwrap();
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    desk.client.refresh().await.unwrap();
    desk.find("nav [data-session]").await.click().await.unwrap();
    desk.find("main [data-request][data-state=answered]").await;
    assert!(!desk.shows("aside [data-request]").await);
    assert_eq!(desk.responses().len(), 1, "loading the page sends nothing again");
    desk.close().await;
}

#[tokio::test]
async fn case_23_a_second_way_to_the_same_request_makes_no_second_card() {
    let desk = asked("technology").await;
    let request = desk.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap();
    desk.client.refresh().await.unwrap();
    desk.find("nav [data-session]").await.click().await.unwrap();
    let again = desk.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap();
    assert_eq!(request, again);
    assert_eq!(
        desk.script("return document.querySelectorAll('aside [data-request]').length", vec![]).await,
        1
    );
    desk.close().await;
}

#[tokio::test]
async fn case_20_the_answer_goes_to_the_asker_and_the_request_is_no_longer_open() {
    let desk = asked("technology").await;
    let request = desk.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap();
    desk.click("radio", "SQLite").await;
    desk.click("button", "Submit").await;
    desk.wait_for_responses(1).await;
    desk.gone("aside [data-request][data-state=open]").await;
    let late = json!({ "requestId": uuid::Uuid::new_v4(), "id": request,
        "answers": [{ "question": "q1", "chosen": ["q1o2"] }] });
    assert_eq!(desk.invoke("answer_question", late).await.unwrap_err()["code"], "already_ended");
    assert_eq!(desk.responses().len(), 1);
    desk.close().await;
}
