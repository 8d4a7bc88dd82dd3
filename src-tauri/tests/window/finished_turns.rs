//! That a session has finished its turn is told where that is wanted, and never while something waits in it.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::attention::{displayed, dunst, taken_back};
use crate::harness::{App, Setup};

/// Leaves the time to look elsewhere.
const SAYS_LATER: &str = r#"{ "name": "later", "title": "Later", "description": "Says something after a while",
    "turns": [[{ "sleep_ms": 1500 }, { "say": { "text": "Done." } }], [{ "sleep_ms": 1500 }, { "say": { "text": "Again." } }]] }"#;

async fn app() -> (TempDir, App, String, String) {
    let folder = TempDir::new().unwrap();
    let scenario = folder.path().join("later.json");
    fs::write(&scenario, SAYS_LATER).unwrap();
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    dunst(&["close-all"]);
    let raise = [
        "search",
        "--sync",
        "--onlyvisible",
        "--name",
        crate::deep_links::WINDOW,
        "windowactivate",
        "--sync",
    ];
    crate::deep_links::xdotool(&raise);
    let shown = app.start_demo("prefilled", "In view").await;
    app.select(&shown).await;
    app.wait_for_responses(1).await;
    state(&app, &shown, "idle").await;
    let wanted = json!({ "change": { "setting": "notify_finished", "value": "on" } });
    app.invoke("change_setting", wanted).await.unwrap();
    (folder, app, shown, scenario.display().to_string())
}

async fn state(app: &App, session: &str, state: &str) {
    app.find(&format!("nav [data-session='{session}'][data-state={state}]")).await;
}

#[tokio::test]
async fn a_session_that_has_finished_is_told_of_until_it_is_looked_at_or_works_again() {
    let (_folder, app, shown, scenario) = app().await;
    let name = format!("Finishes {}", std::process::id());
    let other = app.start_demo(&scenario, &name).await;
    app.select(&shown).await;
    app.wait("a notification", async || (displayed() == 1).then_some(())).await;
    // It works again.
    let message = json!({ "requestId": uuid::Uuid::new_v4(), "session": other, "text": "Go on." });
    app.invoke("send_message", message).await.unwrap();
    app.wait("it to be taken back", async || (displayed() == 0).then_some(())).await;
    app.wait("another one", async || (displayed() == 1).then_some(())).await;
    // A press leads there, and looking takes it back.
    dunst(&["action", "0"]);
    app.find(&format!("[data-session-view='{other}']")).await;
    app.wait("it to go", async || (displayed() == 0).then_some(())).await;
    let told: Vec<_> = taken_back().into_iter().filter(|(title, _)| *title == name).collect();
    assert!(!told.is_empty() && told.iter().all(|(_, body)| body == "Has finished its turn."), "{told:?}");
    app.close().await;
}
