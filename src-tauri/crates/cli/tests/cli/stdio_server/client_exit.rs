//! Calls that are cancelled, and clients that go.

use std::time::{Duration, Instant};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::task::block_in_place;

use super::mcp_client::{Folder, Speaks, connect, connect_as, ended, text};
use crate::fake_app::{Call, FakeApp, LEFT, Running, User};

/// A fake app whose user never answers.
fn app() -> (FakeApp, Running) {
    let app = FakeApp::new();
    let desk = block_in_place(|| app.start());
    (app, desk)
}

fn until(app: &FakeApp, path: &str) -> Call {
    block_in_place(|| app.wait_for(path))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_leaves_its_question_at_once() {
    let (app, _desk) = app();
    let connected = connect(app.command(&["mcp"])).await;
    let call = connected.begin().await;
    until(&app, "/v1/asks");
    call.cancel(Some("the person pressed Esc".to_owned())).await.unwrap();
    until(&app, LEFT);
    // The same client can ask again.
    app.user(User::Sends(crate::fake_app::ended("declined", &json!({}))));
    let next = connected.ask().await;
    assert_eq!(text(&next), "…");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_leaves_its_question_and_no_process(
    #[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks,
) {
    let (app, _desk) = app();
    let mut took = Vec::new();
    for _ in 0..3 {
        app.forget_calls();
        let connected = connect_as(app.command(&["mcp"]), "codex", speaks, Folder::Never, "").await;
        let _call = connected.begin().await;
        until(&app, "/v1/asks");
        let went = Instant::now();
        connected.close().await;
        took.push(went.elapsed());
        until(&app, LEFT);
        until(&app, "/v1/leave");
    }
    // The library alone would wait five seconds for the call to end. The shortest of the runs counts, because other
    // processes slow the machine down.
    assert!(took.iter().min().unwrap() < &Duration::from_secs(4), "{took:?}");
}

#[rstest]
#[case(Signal::TERM)]
#[case(Signal::INT)]
#[case(Signal::HUP)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_closes_the_connection_before_the_program_ends(#[case] signal: Signal) {
    let (app, _desk) = app();
    let mut connected = connect(app.command(&["mcp"])).await;
    let _call = connected.begin().await;
    until(&app, "/v1/asks");
    let pid = Pid::from_raw(connected.child.id().unwrap().cast_signed()).unwrap();
    kill_process(pid, signal).unwrap();
    ended(&mut connected.child).await;
    until(&app, LEFT);
    until(&app, "/v1/leave");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_program_leaves_its_question() {
    let (app, _desk) = app();
    let mut connected = connect(app.command(&["mcp"])).await;
    let _call = connected.begin().await;
    until(&app, "/v1/asks");
    connected.child.kill().await.unwrap();
    until(&app, LEFT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_while_the_app_is_stopped_leaves_no_process() {
    let (app, desk) = app();
    let connected = connect(app.command(&["mcp"])).await;
    let _call = connected.begin().await;
    until(&app, "/v1/asks");
    drop(desk);
    connected.heard("waiting for it to come back").await;
    connected.close().await;
}
