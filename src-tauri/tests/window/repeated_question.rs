//! The same question by two calls of one agent.

use crate::attention::{displayed, dunst, taken_back};
use crate::harness::App;

const CARD: &str = "aside [data-request][data-state=open]";

#[tokio::test]
async fn case_34_a_question_asked_again_is_one_card_one_notification_and_one_answer_for_both_calls() {
    let app = App::open().await;
    dunst(&["close-all"]);
    let name = format!("Asked twice {}", std::process::id());
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    // The one in view brought its answer along, so it has had a response of its own.
    let before = app.wait_for_responses(1).await.len();
    let session = app.start_demo("again", &name).await;
    app.find(&format!("nav [data-session='{session}'][data-state=needs_you]")).await;
    app.shows_text(&format!("nav [data-session='{session}']"), "1").await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    app.select(&session).await;
    // By now both calls wait.
    app.shows_text("main", "Two calls wait for one answer.").await;
    app.find(CARD).await;
    assert_eq!(count(&app, CARD).await, 1);
    assert_eq!(count(&app, "main [data-request]").await, 1);
    assert_eq!(displayed(), 1);

    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(before + 2).await;
    for response in &responses[before..] {
        let answers = &response["updatedInput"]["answers"];
        assert_eq!(answers["Which store should the notes be kept in?"], "PostgreSQL", "{response}");
    }
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    app.shows_text("main", "Both calls have their end:").await;
    app.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    assert_eq!(app.responses().len(), before + 2, "each call was told once");
    assert_eq!(count(&app, "main [data-request]").await, 1);
    app.wait("the notification to be taken back", async || (displayed() == 0).then_some(())).await;
    let posted = taken_back().into_iter().filter(|(title, _)| *title == name).count();
    assert_eq!(posted, 1, "one notification for both calls");
    app.close().await;
}

async fn count(app: &App, css: &str) -> u64 {
    let script = "return document.querySelectorAll(arguments[0]).length";
    app.script(script, vec![css.into()]).await.as_u64().unwrap_or_default()
}
