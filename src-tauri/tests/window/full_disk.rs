//! A disk that is full while a real agent works, in the real window.

use std::path::Path;

use askdesk_testkit::mock_api::{Block, Reply};
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::json;

use crate::harness::{App, Setup, wait_until};
use crate::real_claude::RealClaude;
use crate::real_codex::RealCodex;
use crate::real_opencode::RealOpenCode;

/// The size of the data folder's disk, in MiB.
const DISK: u32 = 12;

const WAIT: &str = "touch began; until [ -e go ]; do sleep 0.05; done";
const SAID: &str = "It is done, whatever the disk says.";

/// Fills the disk while a command of the agent runs, lets the agent end its turn, and makes room again.
async fn fill_while_it_works(app: &App, session: &str, project: &Path, disk: &SmallDisk) {
    app.shows_text("aside", "touch began").await;
    app.click("button", "Allow once").await;
    wait_until("the command", async || project.join("began").exists().then_some(())).await;
    app.in_state(session, "working").await;
    disk.fill().unwrap();
    std::fs::write(project.join("go"), "").unwrap();
    app.shows_text("body", "Nothing is being stored: the disk is full; free up space").await;
    // One or several entries wait, so the verb differs.
    app.shows_text("body", "shown once").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.in_state(session, "working").await;
    assert!(
        !app.script("return document.querySelector('main').innerText", vec![])
            .await
            .as_str()
            .unwrap()
            .contains(SAID)
    );

    disk.clear().unwrap();
    app.shows_text("main", SAID).await;
    app.in_state(session, "idle").await;
    app.wait("the banner to go", async || {
        let text = app.script("return document.body.innerText", vec![]).await;
        (!text.as_str()?.contains("Nothing is being stored")).then_some(())
    })
    .await;
}

/// Opens the app again, which has everything.
async fn check_after_a_restart(app: App, session: &str, disk: &SmallDisk) {
    app.close().await;
    let app = Setup::default().data(disk.path()).open().await;
    app.select(session).await;
    app.shows_text("main", SAID).await;
    app.close().await;
}

#[tokio::test]
async fn case_132_a_full_disk_leaves_no_trace_in_a_session_of_claude_code() {
    let test = "case_132_a_full_disk_leaves_no_trace_in_a_session_of_claude_code";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let setup = Setup::default().pictured().data(disk.path());
    let call = Block::tool("toolu_1", "Bash", json!({ "command": WAIT, "description": "Waits" }));
    let script = vec![Reply::new([call]), Reply::text(SAID)];
    let Some(real) = RealClaude::start_in(setup, test, json!({}), script).await else { return };
    let (app, session) = (&real.app, real.session.clone());
    fill_while_it_works(app, &session, real.project.path(), &disk).await;

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
    check_after_a_restart(real.app, &session, &disk).await;
}

#[tokio::test]
async fn case_132_a_full_disk_leaves_no_trace_in_a_session_of_codex() {
    let test = "case_132_a_full_disk_leaves_no_trace_in_a_session_of_codex";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let call = Block::tool("c1", "exec_command", json!({ "cmd": WAIT, "yield_time_ms": 60_000 }));
    let script = vec![Reply::new([call]), Reply::text(SAID)];
    let setup = Setup::default().data(disk.path());
    let Some(real) = RealCodex::open_in(setup, test, script).await else { return };
    let session =
        real.start(json!({ "approval_policy": "untrusted", "sandbox": "danger-full-access" })).await;
    fill_while_it_works(&real.app, &session, real.project.path(), &disk).await;
    check_after_a_restart(real.app, &session, &disk).await;
}

#[tokio::test]
async fn case_132_a_full_disk_leaves_no_trace_in_a_session_of_opencode() {
    let test = "case_132_a_full_disk_leaves_no_trace_in_a_session_of_opencode";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let call = Block::tool("call_1", "bash", json!({ "command": WAIT, "description": "Waits" }));
    let script = vec![Reply::new([call]), Reply::text(SAID)];
    let setup = Setup::default().data(disk.path());
    let Some(real) = RealOpenCode::open_in(setup, test, script).await else { return };
    let session = real.start_asking().await;
    fill_while_it_works(&real.app, &session, real.project.path(), &disk).await;
    check_after_a_restart(real.app, &session, &disk).await;
}
