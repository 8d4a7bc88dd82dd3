//! Faults that pass while the real program asks.

use askdesk_domain::SessionOptions;
use askdesk_testkit::mock_api::Reply;
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::json;

use super::world::{World, ask, shell};
use crate::support::agents::choices;
use crate::support::faults::{DISK, Seat};

#[tokio::test(flavor = "multi_thread")]
async fn case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_codex() {
    let test = "case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_codex";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let script = vec![Reply::text("Ready.")];
    let Some(mut world) = World::open_on(Some(disk.path()), test, script).await else { return };
    let options = SessionOptions {
        config: choices(&[("approval_policy", "untrusted"), ("sandbox", "danger-full-access")]),
        ..SessionOptions::default()
    };
    let session = world.start_with("Go.", options).await;
    let seat = Seat {
        stage: &mut world.stage,
        disk: &disk,
        mock: &world.mock,
        session,
        project: world.project.path().to_owned(),
        asks: |id| {
            let questions = json!([{"id": "store", "header": "Store", "question": "Which store?", "options": [
                {"label": "SQLite", "description": "One file"},
                {"label": "PostgreSQL", "description": "A server"}]}]);
            Reply::new([ask(id, &questions)])
        },
        runs: shell,
    };
    seat.check().await;
}
