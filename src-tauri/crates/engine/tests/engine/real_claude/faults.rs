//! Faults that pass while the real program asks.

use askdesk_domain::SessionOptions;
use askdesk_engine::clock::Clock;
use askdesk_testkit::mock_api::{Block, Reply};
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::json;

use super::{World, questions};
use crate::support::agents::Stage;
use crate::support::faults::{DISK, Seat};

#[tokio::test(flavor = "multi_thread")]
async fn case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_claude_code() {
    let test = "case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_claude_code";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let Some(world) = World::open(test, vec![Reply::text("Ready.")]).await else { return };
    let mut stage = Stage::open_at(disk.path()).await;
    let session = stage.desk.clock.session_id();
    let project = world.project.path().to_owned();
    let staging = world.staging();
    stage.start_staged_in(project.clone(), session, staging, Some("Go."), SessionOptions::default()).await;
    let seat = Seat {
        stage: &mut stage,
        disk: &disk,
        mock: &world.mock,
        session,
        project,
        asks: |id| Reply::new([Block::ask(id, &questions())]),
        runs: |id, command| {
            Reply::new([Block::tool(id, "Bash", json!({"command": command, "description": "Runs it"}))])
        },
    };
    seat.check().await;
}
