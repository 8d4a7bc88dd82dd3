//! Contexts, tokens, cost and the daily budget.

use std::path::Path;

use crate::desktop::{clear_notifications, click_notification, displayed, notification_history};
use crate::harness::{App, Setup};

const METER: &str = "header [data-usage]";
const TODAY: &str = "nav [data-today]";
const PLOT: &str = "main figure:last-of-type";
const HINT: &str = "main [data-context-hint]";

async fn send(app: &App, text: &str) {
    let field = app.by_role_in("main", "textbox", "Message to the agent").await;
    field.send_keys(text).await.unwrap();
    app.click("button", "Send").await;
}

/// How many notifications about a passed budget the daemon got since it was cleared.
fn told(title: &str) -> usize {
    notification_history().iter().filter(|(of, _)| of == title).count() + displayed()
}

/// Sets a budget before the app starts, so that its window knows it from the beginning.
fn set_budget(data: &Path, dollars: u16) {
    std::fs::write(data.join("settings.toml"), format!("[notifications]\ndaily_budget = {dollars}\n"))
        .unwrap();
}

async fn opened(data: &Path) -> App {
    Setup::default().data(data).open().await
}

#[tokio::test]
async fn case_99_use_survives_a_restart_and_a_passed_budget_is_told_once_while_the_agent_goes_on() {
    let data = tempfile::tempdir().unwrap();
    set_budget(data.path(), 7);
    let app = opened(data.path()).await;
    clear_notifications();
    // No other test has this budget, so the daemon's history holds only this test's notifications of it.
    let title = "Daily budget of $7 passed";
    let before = notification_history().iter().filter(|(of, _)| of == title).count();
    let session = app.show_demo("spend", "Orders").await;
    app.shows_text(METER, "42%").await;
    app.shows_text(METER, "$1.84").await;
    app.shows_text(TODAY, "Today $1.84 · 84K tokens").await;
    assert!(!app.shows(HINT).await);
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert_eq!(displayed(), 0);

    send(&app, "Go on.").await;
    app.notifications(1).await;
    app.in_state(&session, "idle").await;
    app.shows_text(METER, "90%").await;
    app.shows_text(TODAY, "Today $11.20 · 264K tokens").await;
    app.shows_text(HINT, "Context 90% full").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    click_notification();
    app.shows_text(PLOT, "Cost a day").await;
    app.shows_text(PLOT, "Budget $7").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    // Nothing was stopped, and nobody is told twice.
    app.select(&session).await;
    app.find("main textarea").await.send_keys("half a message").await.unwrap();
    app.click("button", "Compact").await;
    app.shows_text("main", "The agent summarized the conversation").await;
    app.gone(HINT).await;
    app.in_state(&session, "idle").await;
    let draft = app.find("main textarea").await.prop("value").await.unwrap();
    assert_eq!(draft.as_deref(), Some("half a message"));
    app.shows_text(METER, "$11.20").await;
    app.click("button", "Send").await;
    app.shows_text(METER, "10%").await;
    app.shows_text(TODAY, "Today $11.70 · 284K tokens").await;
    assert_eq!(told(title) - before, 1);
    app.close().await;

    let app = opened(data.path()).await;
    app.select(&session).await;
    app.shows_text(METER, "10%").await;
    app.shows_text(METER, "$11.70").await;
    app.shows_text(TODAY, "Today $11.70 · 284K tokens").await;
    app.catch_up(&session).await;
    assert_eq!(told(title) - before, 1, "{:?}", notification_history());
}
