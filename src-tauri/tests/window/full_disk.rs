//! A disk that is full while a real agent works, in the real window.

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::{Block, Reply};
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::json;

use crate::harness::{App, Setup, wait_until};
use crate::real_agent::Real;

/// The size of the data folder's disk, in MiB.
const DISK: u32 = 12;

const SAID: &str = "It is done, whatever the disk says.";

async fn text_of(app: &App, css: &str) -> String {
    let script = "return document.querySelector(arguments[0]).innerText";
    app.script(script, vec![json!(css)]).await.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn case_132_a_full_disk_leaves_no_trace_in_a_session_of_claude_code() {
    let test = "case_132_a_full_disk_leaves_no_trace_in_a_session_of_claude_code";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let setup = Setup::default().pictured().data(disk.path());
    let waits = "touch began; until [ -e go ]; do sleep 0.05; done";
    let call = Block::tool("toolu_1", "Bash", json!({ "command": waits, "description": "Waits" }));
    let script = vec![Reply::new([call]), Reply::text(SAID)];
    let Some(real) = Real::start(Cli::ClaudeCode, setup, test, json!({}), script).await else { return };
    let (app, session, project) = (&real.app, real.session.clone(), real.project.path());
    app.shows_text("aside", "touch began").await;
    app.click("button", "Allow once").await;
    wait_until("the command", async || project.join("began").exists().then_some(())).await;
    app.in_state(&session, "working").await;
    disk.fill().unwrap();
    std::fs::write(project.join("go"), "").unwrap();
    app.shows_text("body", "Nothing is being stored: the disk is full; free up space").await;
    // One or several entries wait, so the verb differs.
    app.shows_text("body", "shown once").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.in_state(&session, "working").await;
    assert!(!text_of(app, "main").await.contains(SAID));
    disk.clear().unwrap();
    app.shows_text("main", SAID).await;
    app.in_state(&session, "idle").await;
    let stored = async || !text_of(app, "body").await.contains("Nothing is being stored");
    app.wait("the banner to go", async || stored().await.then_some(())).await;

    // What the user writes is refused, stays in the field, and can be sent once there is room.
    disk.fill().unwrap();
    real.mock.push(Reply::text("Heard."));
    let field = app.by_role_in("main", "textbox", "Message to the agent").await;
    field.send_keys("Not lost.").await.unwrap();
    app.click("button", "Send").await;
    app.shows_text("body", "The disk is full, so nothing was saved or sent").await;
    assert_eq!(field.prop("value").await.unwrap().as_deref(), Some("Not lost."));
    app.shows_text("body", "Nothing is being stored").await;
    app.picture("full-disk").await;
    disk.clear().unwrap();
    app.click("button", "Send").await;
    app.shows_text("main", "Heard.").await;
    let heard = real.mock.conversation().last().unwrap()["messages"].to_string();
    assert_eq!(heard.matches("Not lost.").count(), 1, "{heard}");
    real.app.close().await;

    let app = Setup::default().data(disk.path()).open().await;
    app.select(&session).await;
    app.shows_text("main", SAID).await;
    app.close().await;
}
