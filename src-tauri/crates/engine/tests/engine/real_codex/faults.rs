//! Faults that pass while the real program asks, and kills.

use askdesk_testkit::faults::DISK;
use askdesk_testkit::mock_api::Reply;
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::json;

use super::world::{World, ask, asking_first, shell};
use crate::support::faults::Seat;
use crate::support::kills::Mortal;

fn asks(id: &str) -> Reply {
    let questions = json!([{"id": "store", "header": "Store", "question": "Which store?", "options": [
        {"label": "SQLite", "description": "One file"},
        {"label": "PostgreSQL", "description": "A server"}]}]);
    Reply::new([ask(id, &questions)])
}

#[tokio::test(flavor = "multi_thread")]
async fn case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_codex() {
    let test = "case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_codex";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let script = vec![Reply::text("Ready.")];
    let Some(mut world) = World::open_on(Some(disk.path()), test, script).await else { return };
    let session = world.start_with("Go.", asking_first()).await;
    let seat = Seat {
        stage: &mut world.stage,
        disk: &disk,
        mock: &world.mock,
        session,
        project: world.project.path().to_owned(),
        asks,
        runs: shell,
    };
    seat.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_27_a_session_of_codex_survives_the_kill_of_its_agent_or_host_at_any_step() {
    let test = "case_27_a_session_of_codex_survives_the_kill_of_its_agent_or_host_at_any_step";
    let Some(mut world) = World::open(test, vec![Reply::text("Ready.")]).await else { return };
    let session = world.start_with("Go.", asking_first()).await;
    let mortal = Mortal {
        stage: &mut world.stage,
        mock: &world.mock,
        session,
        home: world.home.path(),
        project: world.project.path(),
        asks,
        runs: shell,
        is_stored: &|_| true,
        stage_resume: &|_| (),
    };
    mortal.check().await;
}
