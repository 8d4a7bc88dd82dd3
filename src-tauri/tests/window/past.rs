//! The past in the real window: found, looked at, deleted.

use serde_json::json;

use crate::examples::{asked, check_answers};

#[tokio::test]
async fn case_46_a_finished_question_is_found_shown_with_its_end_and_deleted_for_good() {
    let desk = asked("technology").await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    let question = "Which store should the notes be kept in?";
    check_answers(&desk, json!({ question: "PostgreSQL" })).await;
    let tab = desk.find("nav [data-session]").await.attr("data-session").await.unwrap().unwrap();
    let stop = json!({ "requestId": uuid::Uuid::new_v4(), "session": tab });
    desk.invoke("stop_session", stop).await.unwrap();

    desk.click("button", "History").await;
    let field = desk.find("#history-search").await;
    field.send_keys("\"notes be kept\" postgres").await.unwrap();
    desk.shows_text("main [role=status]", "match").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    let hit = desk.find("main .hit").await;
    desk.press(&hit).await;
    desk.shows_text("main .found", "PostgreSQL").await;
    desk.shows_text("main .found", "Ended by you").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());

    desk.click("button", "Delete").await;
    desk.shows_text("dialog", "Delete “Notes” for good?").await;
    desk.click("button", "Delete for good").await;
    desk.gone("nav [data-session]").await;
    desk.gone("main .hit").await;
    for file in ["desk.db", "desk.db-wal"] {
        let bytes = std::fs::read(desk.home().join("data").join(file)).unwrap_or_default();
        assert!(!bytes.windows(10).any(|part| part == b"PostgreSQL"), "{file} still speaks of it");
    }
    desk.close().await;
}
