//! The tray icon: the open questions, the pause and the count, as the desktop reads them.

use serde_json::json;

use crate::desktop::{WINDOW, clear_notifications, displayed, xdotool};
use crate::fake_tray::Tray;
use crate::harness::App;

const ASKS: &str = "Asks: Which store should the notes be kept in?";

#[tokio::test]
async fn the_tray_counts_and_lists_open_questions_pauses_notifications_and_opens_a_question() {
    let (app, _, asker) = App::open_notified().await;
    let tray = Tray::start().await;
    titled(&app, "(1) Askdesk").await;
    // The icon appears when the window is closed.
    app.close_to_tray().await;
    let expected =
        [ASKS, "Open Askdesk", "Pause notifications", "For 1 hour", "Until tomorrow at 8:00", "Quit Askdesk"];
    tray.shows(&expected).await;
    shows_count(&app, &tray, "1").await;

    tray.press("Open Askdesk").await;
    app.switch_to_new_window().await;
    tray.press("For 1 hour").await;
    tray.lists(&["Resume notifications (paused until "]).await;
    clear_notifications();
    app.start_demo("features", "Asks later").await;
    tray.lists(&["Asks later: "]).await;
    shows_count(&app, &tray, "2").await;
    app.wait("the entry in the log", async || {
        let log = app.invoke("read_notification_log", json!({})).await.ok()?;
        let paused = json!({ "decision": "badge_only", "why": "paused" });
        (log["entries"][0]["decision"] == paused).then_some(())
    })
    .await;
    assert_eq!(displayed(), 0);
    tray.press("Resume notifications").await;

    app.close_to_tray().await;
    tray.press(ASKS).await;
    app.switch_to_new_window().await;
    titled(&app, "(2) Askdesk").await;
    app.shows_question(&asker).await;
    assert!(!app.shows("aside [data-held]").await, "the entry answers nothing");
    assert_eq!(app.responses().len(), 1);
    app.answer("PostgreSQL").await;
    let responses = app.wait_for_responses(2).await;
    assert_eq!(
        responses[1]["updatedInput"]["answers"],
        json!({ "Which store should the notes be kept in?": "PostgreSQL" })
    );
    app.wait("the first to leave the menu", async || {
        (!tray.labels().await.iter().any(|label| label == ASKS)).then_some(())
    })
    .await;
    titled(&app, "(1) Askdesk").await;
}

async fn titled(app: &App, title: &str) {
    let shown = || xdotool(&["getwindowname", &xdotool(&["search", "--name", WINDOW])]);
    app.wait(title, async || (shown() == title).then_some(())).await;
}

/// Waits for the count beside the icon, which follows the menu.
async fn shows_count(app: &App, tray: &Tray, count: &str) {
    let label = async || tray.property::<String>("XAyatanaLabel").await;
    app.wait("the count", async || (label().await.as_deref() == Some(count)).then_some(())).await;
}
