//! The icon in the tray: who waits, a pause, and the count, as a desktop that shows it reads them.

use serde_json::json;

use crate::attention::{displayed, dunst};
use crate::close_to_tray::{press_close, window_destroyed};
use crate::deep_links::{WINDOW, nothing_was_answered, notified_question, shows_question, xdotool};
use crate::fake_tray::Tray;

const ASKS: &str = "Asks: Which store should the notes be kept in?";

#[tokio::test]
async fn the_tray_counts_and_lists_who_waits_pauses_and_leads_there() {
    let (app, _, asker) = notified_question().await;
    let before = app.responses().len();
    let tray = Tray::start().await;
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(1) Askdesk");
    // Only somebody who closes the window needs it.
    press_close();
    window_destroyed(&app).await;
    let expected =
        [ASKS, "Open Askdesk", "Pause notifications", "For 1 hour", "Until tomorrow, 8:00", "Quit Askdesk"];
    tray.shows(&expected).await;
    assert_eq!(tray.property::<String>("XAyatanaLabel").await.as_deref(), Some("1"));

    tray.press("Open Askdesk").await;
    app.go_on_in_the_new_window().await;
    tray.press("For 1 hour").await;
    app.wait("the pause", async || {
        tray.labels().await.iter().any(|label| label.starts_with("Notify again (paused until ")).then_some(())
    })
    .await;
    dunst(&["close-all"]);
    app.start_demo("features", "Asks later").await;
    app.wait("the second in the menu", async || {
        tray.labels().await.iter().any(|label| label.starts_with("Asks later: ")).then_some(())
    })
    .await;
    assert_eq!(tray.property::<String>("XAyatanaLabel").await.as_deref(), Some("2"));
    let tellings = app.invoke("read_tellings", json!({})).await.unwrap();
    assert_eq!(tellings["tellings"][0]["telling"], json!({ "telling": "badge_only", "why": "paused" }));
    assert_eq!(displayed(), 0);
    tray.press("Notify again").await;

    press_close();
    window_destroyed(&app).await;
    tray.press(ASKS).await;
    app.go_on_in_the_new_window().await;
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(2) Askdesk", "the new one knows at once");
    shows_question(&app, &asker).await;
    nothing_was_answered(&app, before).await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    app.wait("the first to leave the menu", async || {
        (!tray.labels().await.iter().any(|label| label == ASKS)).then_some(())
    })
    .await;
    app.wait("the title", async || (xdotool(&["getwindowname", &window]) == "(1) Askdesk").then_some(()))
        .await;
    app.close().await;
}
