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
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(1) Askdesk");
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
    let entries = app.invoke("read_notification_log", json!({})).await.unwrap();
    assert_eq!(entries["entries"][0]["decision"], json!({ "decision": "badge_only", "why": "paused" }));
    assert_eq!(displayed(), 0);
    tray.press("Resume notifications").await;

    app.close_to_tray().await;
    tray.press(ASKS).await;
    app.switch_to_new_window().await;
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(2) Askdesk", "the new one knows at once");
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
    app.wait("the title", async || (xdotool(&["getwindowname", &window]) == "(1) Askdesk").then_some(()))
        .await;
}

/// Waits for the count beside the icon, which follows the menu.
async fn shows_count(app: &App, tray: &Tray, count: &str) {
    let label = async || tray.property::<String>("XAyatanaLabel").await;
    app.wait("the count", async || (label().await.as_deref() == Some(count)).then_some(())).await;
}
