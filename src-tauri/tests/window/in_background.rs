//! A conversation that the real Claude Code has taken into a process of its own in the background.

use std::path::Path;
use std::process::{Command, Output};

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::Reply;
use serde_json::{Value, json};

use crate::harness::Setup;
use crate::real_agent::Real;

/// Runs the real program as a user does in a terminal.
fn by_hand(real: &Real, program: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(real.project.path()).env_clear();
    command.envs(clis::sealed_env(real.home.path(), &real.mock.base_url)).output().unwrap()
}

#[tokio::test]
async fn a_conversation_that_is_held_in_the_background_is_taken_back_by_one_click() {
    let test = "a_conversation_that_is_held_in_the_background_is_taken_back_by_one_click";
    // In the background, the program uses no key of the environment and so asks no model.
    let replies = ["Hi.", "Here again."].map(Reply::text).to_vec();
    let Some(real) =
        Real::start(Cli::ClaudeCode, Setup::default().pictured(), test, json!({}), replies).await
    else {
        return;
    };
    let (app, program) = (&real.app, clis::claude_or_skip(test).unwrap());
    real.until_first_turn().await;
    let stop = json!({ "session": real.session, "requestId": uuid::Uuid::new_v4() });
    app.invoke("stop_session", stop).await.unwrap();
    app.in_state(&real.session, "ended").await;

    // The user has trusted the folder, and has taken the conversation along.
    let settings = real.home.path().join(".claude.json");
    let mut known: Value = serde_json::from_str(&std::fs::read_to_string(&settings).unwrap()).unwrap();
    known["hasCompletedOnboarding"] = json!(true);
    known["projects"][real.project.path().to_str().unwrap()]["hasTrustDialogAccepted"] = json!(true);
    std::fs::write(&settings, known.to_string()).unwrap();
    let conversation = conversation(&real);
    let begun = by_hand(&real, &program, &["--bg", "--resume", &conversation, "Go on there."]);
    let said = String::from_utf8_lossy(&begun.stdout);
    assert!(said.contains("backgrounded"), "{begun:?}");
    // The program returns before the process in the background has taken it.
    app.wait("a conversation in the background", async || {
        let held: Value =
            serde_json::from_slice(&by_hand(&real, &program, &["agents", "--json"]).stdout).ok()?;
        held.as_array()?.iter().any(|one| one["kind"] == "background").then_some(())
    })
    .await;

    app.click("button", "Resume").await;
    app.shows_text("main .failed", "goes on in the background").await;
    app.by_role_in("main .failed", "button", "Continue in terminal").await;
    app.by_role_in("main .failed", "button", "Fork").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("held-in-the-background").await;
    app.click("button", "Stop it there and resume here").await;
    app.in_state(&real.session, "idle").await;
    real.send("And now?").await;
    app.shows_text("main", "Here again.").await;
    let held = by_hand(&real, &program, &["agents", "--json"]);
    let held: Value = serde_json::from_slice(&held.stdout).unwrap();
    assert!(held.as_array().unwrap().iter().all(|one| one["kind"] != "background"), "{held}");
}

/// The program's own ID of the conversation: the name of its only file.
fn conversation(real: &Real) -> String {
    let folders = std::fs::read_dir(real.home.path().join(".claude/projects")).unwrap();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
    let mut names = files.filter_map(|file| file.unwrap().file_name().into_string().ok());
    let name = names.find(|name| name.ends_with(".jsonl")).unwrap();
    name.trim_end_matches(".jsonl").to_owned()
}
