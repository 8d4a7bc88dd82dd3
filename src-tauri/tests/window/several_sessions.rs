//! Several requests in one session, several sessions at once, and a page that is loaded again.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use crate::demo::asked;
use crate::harness::{App, Setup};

#[tokio::test]
async fn case_22_two_requests_in_one_session_are_answered_in_any_order() {
    let app = asked("parallel").await;
    app.by_role("button", "2 Features").await.click().await.unwrap();
    app.click("checkbox", "Sync").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(
        responses[0]["updatedInput"]["answers"],
        json!({ "Which features should the first version have?": "Sync" })
    );
    // The other one is still there and still open.
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(2).await;
    assert_eq!(
        responses[1]["updatedInput"]["answers"],
        json!({ "Which store should the notes be kept in?": "PostgreSQL" })
    );
    app.shows_text("main", "Both are clear now:").await;
    app.close().await;
}

#[tokio::test]
async fn case_30_a_question_never_waits_for_another_session() {
    let app = App::open().await;
    let first = app.start_demo("technology", "First").await;
    let second = app.start_demo("features", "Second").await;
    app.find(&format!("nav [data-session='{first}'][data-state=needs_you]")).await;
    app.find(&format!("nav [data-session='{second}'][data-state=needs_you]")).await;
    app.select(&second).await;
    app.click("checkbox", "Export").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(
        responses[0]["updatedInput"]["answers"],
        json!({ "Which features should the first version have?": "Export" })
    );
    app.find(&format!("nav [data-session='{second}'][data-state=idle]")).await;
    app.find(&format!("nav [data-session='{first}'][data-state=needs_you]")).await;
    app.select(&first).await;
    app.click("radio", "Plain files").await;
    app.click("button", "Submit").await;
    app.wait_for_responses(2).await;
    app.close().await;
}

#[tokio::test]
async fn a_half_made_choice_is_still_there_after_looking_at_another_session() {
    let app = asked("technology").await;
    let first = app.find("nav [data-session]").await.attr("data-session").await.unwrap().unwrap();
    app.click("radio", "Other").await;
    app.by_role("textbox", "Your own words").await.send_keys("half a thou").await.unwrap();
    let second = app.start_demo("features", "Second").await;
    app.select(&second).await;
    app.by_role("checkbox", "Sync").await;
    app.select(&first).await;
    let words = app.by_role("textbox", "Your own words").await;
    assert_eq!(words.prop("value").await.unwrap().unwrap(), "half a thou");
    app.close().await;
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
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let asking = app.start_demo("technology", "Asks").await;
    app.select(&asking).await;
    app.by_role("radio", "PostgreSQL").await;
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "demo", "options": { "config": { "example": scenario } },
        "name": "Writes", "prompt": "Go." });
    let session = app.invoke("start_session", input).await.unwrap();
    let writing = session["id"].as_str().unwrap();
    app.find(&format!("nav [data-session='{writing}'][data-state=working]")).await;
    sleep(Duration::from_secs(2)).await;
    for look in 0..3 {
        app.select(writing).await;
        app.shows_text("main [data-state=live]", "alpha").await;
        let live = app.find("main [data-state=live]").await.text().await.unwrap();
        assert_eq!(live.matches("alpha").count(), 1, "look {look}: {live}");
        app.select(&asking).await;
        app.by_role("radio", "PostgreSQL").await;
    }
    app.close().await;
}

#[tokio::test]
async fn a_page_loaded_again_shows_what_the_desk_holds() {
    let app = asked("technology").await;
    app.client.refresh().await.unwrap();
    let session = app.find("nav [data-session][data-state=needs_you]").await;
    session.click().await.unwrap();
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    app.client.refresh().await.unwrap();
    app.find("nav [data-session]").await.click().await.unwrap();
    app.find("main [data-request][data-state=answered]").await;
    assert!(!app.shows("aside [data-request]").await);
    assert_eq!(app.responses().len(), 1, "loading the page sends nothing again");
    app.close().await;
}

#[tokio::test]
async fn case_23_a_second_way_to_the_same_request_makes_no_second_card() {
    let app = asked("technology").await;
    let request = app.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap();
    app.client.refresh().await.unwrap();
    app.find("nav [data-session]").await.click().await.unwrap();
    let again = app.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap();
    assert_eq!(request, again);
    assert_eq!(
        app.script("return document.querySelectorAll('aside [data-request]').length", vec![]).await,
        1
    );
    app.close().await;
}

#[tokio::test]
async fn case_20_the_answer_goes_to_the_asker_and_the_request_is_no_longer_open() {
    let app = asked("technology").await;
    let request = app.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap();
    app.click("radio", "SQLite").await;
    app.click("button", "Submit").await;
    app.wait_for_responses(1).await;
    app.gone("aside [data-request][data-state=open]").await;
    let late = json!({ "requestId": uuid::Uuid::new_v4(), "id": request,
        "answers": [{ "question": "q1", "chosen": ["q1o2"] }] });
    assert_eq!(app.invoke("answer_question", late).await.unwrap_err()["code"], "already_ended");
    assert_eq!(app.responses().len(), 1);
    app.close().await;
}
