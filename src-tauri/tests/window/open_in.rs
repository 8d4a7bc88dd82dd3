//! A session that continues in a real terminal, with the real Claude Code.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::Setup;
use crate::real_agent::sealed;

/// It would mean something else to a shell, an option parser or a terminal.
const FOLDER: &str = "-rf it's a \"folder\" $(touch opened)\n`touch opened`";

/// A terminal in memory, which ends with the test.
struct Tmux(PathBuf);

impl Tmux {
    fn run(&self, arguments: &[&str]) -> String {
        let output =
            Command::new("tmux").env_remove("TMUX").arg("-S").arg(&self.0).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[tokio::test]
async fn case_98_a_running_session_ends_and_continues_with_the_agents_own_program_in_a_terminal() {
    let test = "case_98_a_running_session_ends_and_continues_with_the_agents_own_program_in_a_terminal";
    let Some(program) = clis::claude_or_skip(test) else { return };
    let (home, root) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = dunce::canonicalize(root.path()).unwrap().join(FOLDER);
    fs::create_dir(&folder).unwrap();
    // Skips the questions of the program's first start in a terminal.
    let mut known = json!({ "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": { "approved": ["dummy-key-for-tests"], "rejected": [] } });
    known["projects"][folder.to_str().unwrap()] =
        json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
    fs::write(home.path().join(".claude.json"), known.to_string()).unwrap();
    let mock = MockApi::start(Script(vec![Reply::text("It says two.")])).await.unwrap();
    let app = sealed(Setup::default(), home.path(), &mock).env("PATH", std::env::var("PATH").unwrap()).open();
    let app = app.await;
    let tmux = Tmux(home.path().join("terminal"));
    let command =
        format!("tmux -S {} -f /dev/null new-session -d -x 120 -y 50 {{command}}", tmux.0.display());
    app.change_setting("terminal_command", command).await;
    app.change_setting("terminal", "terminal_command").await;
    let session = app
        .start_session(json!({ "agent": "claude_code", "folder": folder, "options": { "program": program },
            "prompt": "Please read it.", "name": "Real" }))
        .await;
    app.select(&session).await;
    app.shows_text("main", "It says two.").await;
    app.in_state(&session, "idle").await;

    app.click("button", "Session menu").await;
    app.click("menuitem", "Continue in terminal").await;
    app.shows_text("dialog.ending", "The session ends here first").await;
    app.in_state(&session, "idle").await;
    app.click("button", "Continue in terminal").await;
    app.in_state(&session, "ended").await;
    let shown = async || {
        let shown = tmux.run(&["capture-pane", "-p"]);
        (shown.contains("Please read it.") && shown.contains("It says two.")).then_some(())
    };
    app.wait("the conversation in the terminal", shown).await;
    let command = tmux.run(&["display-message", "-p", "#{pane_start_command}"]);
    assert!(command.contains("--resume"), "{command}");
    // Nothing in the name was carried out.
    for folder in [&folder, root.path(), home.path()] {
        assert!(!folder.join("opened").exists());
    }
}
