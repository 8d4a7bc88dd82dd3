//! A run of the app owns its processes, its questions, and its secrets, and nothing of another run.

use std::fs;
use std::path::Path;
use std::time::Duration;

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::{Block, Reply};
use askdesk_testkit::small_disk::SmallDisk;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::desktop::windows;
use crate::harness::{App, OPEN_CARD, Setup, wait_until};
use crate::hurried::{PACES, repository};
use crate::real_agent::Real;

/// The size of the data folder's disk, in MiB.
const DISK: u32 = 12;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        // What the app removes meanwhile isn't part of a copy.
        let Ok(kind) = entry.file_type() else { continue };
        match kind.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name()))),
        }
    }
}

async fn answer_second(app: &App, answered: usize) -> Value {
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    app.wait_for_responses(answered).await[answered - 1]["updatedInput"]["answers"].clone()
}

#[tokio::test]
async fn case_149_started_from_a_terminal_a_setup_command_of_bash_and_an_agent_run() {
    let projects = TempDir::new().unwrap();
    let folder = repository(&dunce::canonicalize(projects.path()).unwrap());
    let setup = Setup::default().started_from_terminal().env("SHELL", "/bin/bash");
    let app = setup.env("ASKDESK_SHELL_ENVIRONMENT", "on").open().await;
    for (answered, pace) in PACES.into_iter().enumerate() {
        let name = format!("after-{pace}");
        let path = folder.with_file_name(&name);
        let set_up = "bash -ic 'echo ran > set-up'";
        let worktree =
            json!({ "branch": name, "base": "main", "path": path, "setup": set_up, "made": false });
        let options = json!({ "config": { "example": "technology" } });
        let input = json!({ "agent": "demo", "folder": folder, "options": options, "name": name,
            "prompt": "Please begin.", "worktree": worktree });
        let session = app.start_session(input).await;
        sleep(Duration::from_millis(pace)).await;
        app.select(&session).await;
        app.find(OPEN_CARD).await;
        assert_eq!(fs::read_to_string(path.join("set-up")).unwrap(), "ran\n");
        let answers = answer_second(&app, answered + 1).await;
        assert_eq!(answers.as_object().unwrap().values().next().unwrap(), "PostgreSQL");
    }
    app.close().await;
}

#[tokio::test]
async fn case_167_a_copy_of_the_data_folder_ends_nothing_of_the_original() {
    let (original, copied) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (app, session) = Setup::default().data(original.path()).open_asked("technology").await;
    for (round, pace) in PACES.into_iter().enumerate() {
        let data = copied.path().join(round.to_string());
        copy(original.path(), &data);
        let mut beside = app.start_beside(&data);
        wait_until("the copy's window", async || (windows() > 1).then_some(())).await;
        sleep(Duration::from_millis(pace)).await;
        assert!(beside.runs());
        app.check_unanswered(&session, 0).await;
        app.in_state(&session, "needs_you").await;
        drop(beside);
        wait_until("the end of the copy", async || (windows() == 1).then_some(())).await;
    }
    answer_second(&app, 1).await;
    app.in_state(&session, "idle").await;
    app.close().await;
}

#[tokio::test]
async fn case_168_what_is_asked_while_the_disk_is_full_is_a_card_once_there_is_room() {
    let test = "case_168_what_is_asked_while_the_disk_is_full_is_a_card_once_there_is_room";
    let Some(disk) = SmallDisk::mount_or_skip(DISK, test) else { return };
    let app = Setup::default().data(disk.path()).open().await;
    let store = json!({ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] });
    for (answered, pace) in PACES.into_iter().enumerate() {
        let full = format!("full-{pace}");
        let turn = json!([app.until_released(&full), { "ask": { "questions": [&store] } }]);
        let session = app.show_demo(&app.scenario(&full, json!([turn])), &format!("{pace} ms")).await;
        app.in_state(&session, "working").await;
        disk.fill().unwrap();
        app.release(&full);
        app.shows_text("body", "Nothing is being stored: the disk is full").await;
        sleep(Duration::from_millis(pace)).await;
        assert!(!app.shows(OPEN_CARD).await);
        assert_eq!(app.responses().len(), answered, "the agent still waits");
        disk.clear().unwrap();
        app.find(OPEN_CARD).await;
        answer_second(&app, answered + 1).await;
        app.in_state(&session, "idle").await;
    }
    app.close().await;
}

#[tokio::test]
async fn case_169_a_key_that_a_real_claude_prints_is_shown_and_stored_nowhere() {
    const KEY: &str = "dummy-key-for-tests";
    let test = "case_169_a_key_that_a_real_claude_prints_is_shown_and_stored_nowhere";
    let data = TempDir::new().unwrap();
    let command = json!({ "command": "echo refused: $ANTHROPIC_API_KEY; echo also $ANTHROPIC_API_KEY >&2", "description": "Prints" });
    let script = vec![Reply::new([Block::tool("toolu_1", "Bash", command)]), Reply::text("Printed.")];
    let setup = Setup::default().data(data.path());
    let Some(claude) = Real::start(Cli::ClaudeCode, setup, test, json!({}), script).await else { return };
    claude.app.shows_text("aside", "Prints").await;
    claude.app.click("button", "Allow once").await;
    claude.app.shows_text("main", "Printed.").await;
    claude.until_idle().await;
    let printed = claude.mock.tool_results().last().unwrap().to_string();
    assert!(printed.contains(KEY), "the agent printed it: {printed}");
    claude.app.press(&claude.app.find("[data-transcript] summary").await).await;
    claude.app.shows_text("[data-transcript]", "refused: [ANTHROPIC_API_KEY]").await;
    let page = claude.app.script("return document.documentElement.outerHTML", vec![]).await;
    assert!(!page.as_str().unwrap().contains(KEY));
    claude.app.close().await;
    let holders = crate::desktop::holders(data.path(), KEY);
    assert_eq!(holders, Vec::<String>::new());
}
