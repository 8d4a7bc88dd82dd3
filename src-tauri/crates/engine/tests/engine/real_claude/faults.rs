//! Faults that pass while the real program asks, and kills.

use std::path::Path;

use askdesk_domain::SessionOptions;
use askdesk_testkit::faults::DISK;
use askdesk_testkit::mock_api::{Block, Reply};
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::json;

use super::{World, questions};
use crate::support::agents::Stage;
use crate::support::faults::Seat;
use crate::support::kills::Mortal;

fn asks(id: &str) -> Reply {
    Reply::new([Block::ask(id, &questions())])
}

fn runs(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({"command": command, "description": "Runs it"}))])
}

/// Whether a file below a folder has some words.
fn is_in_files(folder: &Path, words: &str) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path());
    files.into_iter().any(|path| match path.is_dir() {
        true => is_in_files(&path, words),
        false => std::fs::read_to_string(&path).is_ok_and(|text| text.contains(words)),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_claude_code() {
    let test = "case_132_and_134_faults_that_pass_leave_no_trace_in_a_session_of_claude_code";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let Some(world) = World::open(test, vec![Reply::text("Ready.")]).await else { return };
    let mut stage = Stage::open_at(disk.path()).await;
    let session = world.start(&stage, SessionOptions::default()).await;
    let project = world.project.path().to_owned();
    let seat = Seat { stage: &mut stage, disk: &disk, mock: &world.mock, session, project, asks, runs };
    seat.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_27_a_session_of_claude_code_survives_the_kill_of_its_agent_or_host_at_any_step() {
    let test = "case_27_a_session_of_claude_code_survives_the_kill_of_its_agent_or_host_at_any_step";
    let Some(world) = World::open(test, vec![Reply::text("Ready.")]).await else { return };
    let (mut stage, session) = world.started().await;
    let mortal = Mortal {
        stage: &mut stage,
        mock: &world.mock,
        session,
        home: world.home.path(),
        project: world.project.path(),
        asks,
        runs,
        is_stored: &|call| is_in_files(&world.home.path().join(".claude/projects"), call),
        stage_resume: &|stage| stage.desk.agent.stage(world.staging()),
    };
    mortal.check().await;
}
