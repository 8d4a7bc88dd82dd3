//! The past in the real window: found, looked at, deleted.

use serde_json::json;

use crate::examples::{asked, check_answers};
use crate::harness::{Desk, Setup};

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
    // It is swept out of the file right after the window has heard of it.
    let data = desk.home().join("data");
    desk.wait("the files to speak of it no more", async || {
        let speaks = |file: &str| {
            let bytes = std::fs::read(data.join(file)).unwrap_or_default();
            bytes.windows(10).any(|part| part == b"PostgreSQL")
        };
        (!["desk.db", "desk.db-wal"].into_iter().any(speaks)).then_some(())
    })
    .await;
    desk.close().await;
}

#[tokio::test]
async fn case_46_the_history_of_questions_tells_all_of_an_answered_one_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let question = "Which store should the notes be kept in?";
    let desk = Setup::default().data(folder.path()).open().await;
    let session = desk.start_demo("technology", "Notes").await;
    desk.select(&session).await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Add a note").await;
    desk.by_role("textbox", "Note").await.send_keys("for now").await.unwrap();
    desk.click("button", "Submit").await;
    desk.wait_for_responses(1).await;
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    desk.shows_text("main [data-request]", "Store: PostgreSQL").await;
    desk.close().await;

    let desk = Setup::default().data(folder.path()).open().await;
    questions(&desk).await;
    desk.shows_text("main [role=status]", "1 request · median time to answer").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    let row = desk.find("main [data-past][data-outcome=answered] summary").await;
    desk.press(&row).await;
    for part in [question, "Plain files", "(chosen)", "Note: for now", "Ended by you", "waited 0:"] {
        desk.shows_text("main [data-past]", part).await;
    }
    assert_eq!(desk.axe().await, Vec::<String>::new());
    let field = desk.by_role("searchbox", "Search questions and answers").await;
    field.send_keys("elephant").await.unwrap();
    desk.gone("main [data-past]").await;
    desk.shows_text("main [role=status]", "No question fits this.").await;
    desk.close().await;
}

/// Opens the history of questions from the sidebar.
async fn questions(desk: &Desk) {
    desk.click("button", "History").await;
    let part = desk.by_role_in("main nav", "button", "Questions").await;
    desk.press(&part).await;
}
