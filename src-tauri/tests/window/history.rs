//! The past in the real window: found, looked at, deleted.

use serde_json::json;

use crate::demo::{asked, check_answers};
use crate::harness::{App, Setup};

#[tokio::test]
async fn case_46_a_finished_question_is_found_shown_with_its_end_and_deleted_for_good() {
    let app = asked("technology").await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    let question = "Which store should the notes be kept in?";
    check_answers(&app, json!({ question: "PostgreSQL" })).await;
    let tab = app.find("nav [data-session]").await.attr("data-session").await.unwrap().unwrap();
    let stop = json!({ "requestId": uuid::Uuid::new_v4(), "session": tab });
    app.invoke("stop_session", stop).await.unwrap();

    app.click("button", "History").await;
    let field = app.find("#history-search").await;
    field.send_keys("\"notes be kept\" postgres").await.unwrap();
    app.shows_text("main [role=status]", "match").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    let hit = app.find("main .hit").await;
    app.press(&hit).await;
    app.shows_text("main .found", "PostgreSQL").await;
    app.shows_text("main .found", "Ended by you").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    app.click("button", "Delete").await;
    app.shows_text("dialog", "Delete “Notes” for good?").await;
    app.click("button", "Delete for good").await;
    app.gone("nav [data-session]").await;
    app.gone("main .hit").await;
    // It is swept out of the file right after the window has heard of it.
    let data = app.home().join("data");
    app.wait("the files to speak of it no more", async || {
        let speaks = |file: &str| {
            let bytes = std::fs::read(data.join(file)).unwrap_or_default();
            bytes.windows(10).any(|part| part == b"PostgreSQL")
        };
        (!["desk.db", "desk.db-wal"].into_iter().any(speaks)).then_some(())
    })
    .await;
    app.close().await;
}

#[tokio::test]
async fn case_46_the_history_of_questions_tells_all_of_an_answered_one_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let question = "Which store should the notes be kept in?";
    let app = Setup::default().data(folder.path()).open().await;
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Add a note").await;
    app.by_role("textbox", "Note").await.send_keys("for now").await.unwrap();
    app.click("button", "Submit").await;
    app.wait_for_responses(1).await;
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    app.shows_text("main [data-request]", "Store: PostgreSQL").await;
    app.close().await;

    let app = Setup::default().data(folder.path()).open().await;
    questions(&app).await;
    app.shows_text("main [role=status]", "1 request · median time to answer").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    let row = app.find("main [data-past][data-outcome=answered] summary").await;
    app.press(&row).await;
    for part in [question, "Plain files", "(chosen)", "Note: for now", "Ended by you", "waited 0:"] {
        app.shows_text("main [data-past]", part).await;
    }
    assert_eq!(app.axe().await, Vec::<String>::new());
    let field = app.by_role("searchbox", "Search questions and answers").await;
    field.send_keys("elephant").await.unwrap();
    app.gone("main [data-past]").await;
    app.shows_text("main [role=status]", "No question fits this.").await;
    app.close().await;
}

/// Opens the history of questions from the sidebar.
async fn questions(app: &App) {
    app.click("button", "History").await;
    let part = app.by_role_in("main nav", "button", "Questions").await;
    app.press(&part).await;
}
