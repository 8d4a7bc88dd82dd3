//! Faults that pass while the real program asks, and kills.

use askdesk_testkit::faults::DISK;
use askdesk_testkit::mock_api::Reply;
use askdesk_testkit::small_disk::SmallDisk;

use super::{World, asks, runs};
use crate::support::faults::Seat;
use crate::support::kills::Mortal;

#[tokio::test(flavor = "multi_thread")]
async fn case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_opencode() {
    let test = "case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_opencode";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let Some(world) = World::open(test, vec![Reply::text("Ready.")]).await else { return };
    let mut stage = world.desk(disk.path()).await;
    let session = world.start(&stage).await;
    let seat = Seat {
        stage: &mut stage,
        disk: &disk,
        mock: &world.mock,
        session,
        project: world.project.path().to_owned(),
        asks: |id| Reply::new([asks(id)]),
        runs: |id, command| Reply::new([runs(id, command)]),
    };
    seat.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_27_a_session_of_opencode_survives_the_kill_of_its_agent_or_host_at_any_step() {
    let test = "case_27_a_session_of_opencode_survives_the_kill_of_its_agent_or_host_at_any_step";
    let Some(world) = World::open(test, vec![Reply::text("Ready.")]).await else { return };
    let (mut stage, session) = world.started().await;
    let mortal = Mortal {
        stage: &mut stage,
        mock: &world.mock,
        session,
        home: world.home.path(),
        project: world.project.path(),
        asks: |id| Reply::new([asks(id)]),
        runs: |id, command| Reply::new([runs(id, command)]),
        is_stored: &|_| true,
        stage_resume: &|_| (),
    };
    mortal.check().await;
}
