//! The history: past questions and sessions are found, shown and deleted.

use crate::harness::{DELIVERED, Setup};

#[tokio::test]
async fn case_46_an_answered_question_is_found_after_a_restart_and_deleted_for_good() {
    let data = tempfile::tempdir().unwrap();
    let (app, _) = Setup::default().data(data.path()).open_asked("technology").await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Add note").await;
    app.write("Note", "for now").await;
    app.click("button", "Submit").await;
    app.find(DELIVERED).await;
    app.shows_text("main [data-request]", "Store: PostgreSQL").await;
    app.close().await;

    let app = Setup::default().data(data.path()).open().await;
    app.click("button", "History").await;
    app.by_role_in("main nav", "button", "Questions").await;
    app.shows_text("main [role=status]", "Asked 1 time · median time to answer").await;
    app.shows_text("main figure", "median of 1").await;
    app.shows_text("main ol h2", "Today").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    let row = app.find("main [data-past][data-outcome=answered] summary").await;
    app.press(&row).await;
    let question = "Which store should the notes be kept in?";
    for part in [question, "Plain files", "(chosen)", "Note: for now", "Closed by you", "waited 0:"] {
        app.shows_text("main [data-past]", part).await;
    }
    assert_eq!(app.axe().await, Vec::<String>::new());
    let field = app.by_role("searchbox", "Search questions and answers").await;
    field.send_keys("elephant").await.unwrap();
    app.gone("main [data-past]").await;
    app.shows_text("main [role=status]", "No matching questions").await;

    let sessions = app.by_role_in("main nav", "button", "Transcripts").await;
    app.press(&sessions).await;
    app.find("#history-search").await.send_keys("\"notes be kept\" postgres").await.unwrap();
    app.shows_text("main [role=status]", "match").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    let hit = app.find("main .hit").await;
    app.press(&hit).await;
    app.shows_text("main .found", "PostgreSQL").await;
    app.shows_text("main .found", "Closed by you").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    app.click("button", "Delete…").await;
    app.shows_text("dialog", "Delete “Notes” permanently?").await;
    app.click("button", "Delete permanently").await;
    app.gone("nav [data-session]").await;
    app.gone("main .hit").await;
    // The page is told before the file is cleaned.
    let contains = |file: &str| {
        let bytes = std::fs::read(data.path().join(file)).unwrap_or_default();
        bytes.windows(10).any(|part| part == b"PostgreSQL")
    };
    app.wait("files without the text", async || {
        (!["desk.db", "desk.db-wal"].into_iter().any(contains)).then_some(())
    })
    .await;
}
