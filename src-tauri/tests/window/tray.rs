//! The icon in the tray: who waits, a pause, and the count, as a desktop that shows it reads them.

use serde_json::json;

use crate::attention::{displayed, dunst};
use crate::taken_there::{WINDOW, nothing_is_answered, taken_to, told, xdotool};
use crate::to_the_tray::{freed, press_close};
use crate::tray_host::Tray;

const ASKS: &str = "Asks: Which store should the notes be kept in?";

#[tokio::test]
async fn the_tray_counts_and_lists_who_waits_pauses_and_leads_there() {
    let (desk, _, asker) = told().await;
    let before = desk.responses().len();
    let tray = Tray::start().await;
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(1) Askdesk");
    // Only somebody who closes the window needs it.
    press_close();
    freed(&desk).await;
    let expected =
        [ASKS, "Open Askdesk", "Pause notifications", "For 1 hour", "Until tomorrow, 8:00", "Quit Askdesk"];
    tray.shows(&expected).await;
    assert_eq!(tray.property::<String>("XAyatanaLabel").await.as_deref(), Some("1"));

    tray.press("Open Askdesk").await;
    desk.go_on_in_the_new_window().await;
    tray.press("For 1 hour").await;
    desk.wait("the pause", async || {
        tray.labels().await.iter().any(|label| label.starts_with("Notify again (paused until ")).then_some(())
    })
    .await;
    dunst(&["close-all"]);
    desk.start_demo("features", "Asks later").await;
    desk.wait("the second in the menu", async || {
        tray.labels().await.iter().any(|label| label.starts_with("Asks later: ")).then_some(())
    })
    .await;
    assert_eq!(tray.property::<String>("XAyatanaLabel").await.as_deref(), Some("2"));
    let tellings = desk.invoke("read_tellings", json!({})).await.unwrap();
    assert_eq!(tellings["tellings"][0]["telling"], json!({ "telling": "badge_only", "why": "paused" }));
    assert_eq!(displayed(), 0);
    tray.press("Notify again").await;

    press_close();
    freed(&desk).await;
    tray.press(ASKS).await;
    desk.go_on_in_the_new_window().await;
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(2) Askdesk", "the new one knows at once");
    taken_to(&desk, &asker).await;
    nothing_is_answered(&desk, before).await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    desk.wait("the first to leave the menu", async || {
        (!tray.labels().await.iter().any(|label| label == ASKS)).then_some(())
    })
    .await;
    desk.wait("the title", async || (xdotool(&["getwindowname", &window]) == "(1) Askdesk").then_some(()))
        .await;
    desk.close().await;
}
