//! How much waits is one number wherever it is said.

use serde_json::{Value, json};

use crate::accessibility_tree::Bus;
use crate::desktop::{QUIT_DIALOG, WINDOW, activate, visible_windows, xdotool};
use crate::fake_tray::Tray;
use crate::harness::App;

#[tokio::test]
async fn case_129_title_tray_inbox_sidebar_and_quit_dialog_have_one_number() {
    let bus = Bus::open().await;
    let app = App::open().await;
    let tray = Tray::start().await;
    let input = json!({ "command": "mkdir notes" });
    let call = json!({ "name": "Bash", "input": input, "result": "(no output)", "ask_permission": true });
    let turns: Value = json!([[{ "tool": call }]]);
    let parts = app.start_demo("four", "Several parts").await;
    let permission = app.start_demo(&app.scenario("permission", turns), "Permission").await;
    let died = app.start_demo("dies-pending", "Missed").await;
    for session in [&parts, &permission] {
        app.in_state(session, "needs_you").await;
    }
    app.in_state(&died, "failed").await;

    app.find("[data-inbox] [data-count='2']").await;
    app.shows_text(&format!("nav [data-session='{parts}'] .unseen"), "1 question").await;
    let window = xdotool(&["search", "--name", WINDOW]);
    assert_eq!(xdotool(&["getwindowname", &window]), "(2) Askdesk");
    app.click("button", "Inbox").await;
    for part in ["All 2", "Questions 1", "Permissions 1", "Missed 1"] {
        app.shows_text("[data-inbox-view] header", part).await;
    }
    app.picture("counts").await;

    app.close_to_tray().await;
    app.wait("the count beside the icon", async || {
        (tray.property::<String>("XAyatanaLabel").await.as_deref() == Some("2")).then_some(())
    })
    .await;
    tray.press("Quit Askdesk").await;
    app.wait("the dialog", async || (visible_windows(QUIT_DIALOG) == 1).then_some(())).await;
    bus.shows("1 question is waiting for you").await;
    bus.shows("1 permission request is waiting for you").await;
    activate(QUIT_DIALOG);
    xdotool(&["key", "Escape"]);
}
