//! Calls that are canceled, and clients that go.

use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::service::RequestHandle;
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::task::block_in_place;

use super::mcp_client::{Connected, Folder, Speaks, connect, connect_as, ended, text};
use crate::fake_app::{Call, FakeApp, LEFT, Running, User};

/// Lets a client ask a fake app whose user never answers.
async fn asks() -> (FakeApp, Running, Connected, RequestHandle<RoleClient>) {
    let (app, desk) = block_in_place(FakeApp::started);
    let connected = connect(app.command(&["mcp"])).await;
    let call = connected.begin().await;
    until(&app, "/v1/asks");
    (app, desk, connected, call)
}

fn until(app: &FakeApp, path: &str) -> Call {
    block_in_place(|| app.wait_for(path))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_call_leaves_its_question_at_once() {
    let (app, _desk, connected, call) = asks().await;
    call.cancel(Some("the user pressed Esc".to_owned())).await.unwrap();
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
    let (app, _desk) = block_in_place(FakeApp::started);
    let mut took = Vec::new();
    for _ in 0..3 {
        app.forget_calls();
        let connected = connect_as(app.command(&["mcp"]), "codex", speaks, Folder::Never, "").await;
        let _call = connected.begin().await;
        until(&app, "/v1/asks");
        let went = Instant::now();
        took.push(connected.close().await - went);
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
    let (app, _desk, mut connected, _call) = asks().await;
    let pid = Pid::from_raw(connected.child.id().unwrap().cast_signed()).unwrap();
    kill_process(pid, signal).unwrap();
    ended(&mut connected.child).await;
    until(&app, LEFT);
    until(&app, "/v1/leave");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_program_leaves_its_question() {
    let (app, _desk, mut connected, _call) = asks().await;
    connected.child.kill().await.unwrap();
    until(&app, LEFT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_while_the_app_is_stopped_leaves_no_process() {
    let (_app, desk, connected, _call) = asks().await;
    drop(desk);
    connected.until_printed("waiting for it to come back").await;
    connected.close().await;
}
