//! Sessions in git worktrees in the real window, with a Claude Code that really edits there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::{App, Setup};
use crate::real_claude::sealed;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository as a user has it, in a folder of its own.
pub fn repository(root: &Path) -> PathBuf {
    let folder = root.join("shop-api");
    fs::create_dir(&folder).unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["config", "user.name", "Ada"]);
    git(&folder, &["config", "user.email", "ada@example.org"]);
    git(&folder, &["config", "commit.gpgsign", "false"]);
    fs::write(folder.join("limits.txt"), "none\n").unwrap();
    fs::write(folder.join(".gitignore"), ".env\n").unwrap();
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    folder
}

/// Opens the menu of the session in view, and chooses one of its items.
async fn choose(app: &App, item: &str) {
    app.click("button", "Session menu").await;
    app.click("menuitem", item).await;
}

/// Presses a button of the open dialog.
async fn press(app: &App, name: &str) {
    let button = app.by_role_in("dialog[data-worktree-dialog]", "button", name).await;
    app.press(&button).await;
}

#[tokio::test]
async fn case_84_claude_code_works_in_a_new_worktree_which_is_merged_and_removed_without_a_loss() {
    let test = "case_84_claude_code_works_in_a_new_worktree_which_is_merged_and_removed_without_a_loss";
    let Some(program) = clis::claude_or_skip(test) else { return };
    let (home, projects) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = repository(&fs::canonicalize(projects.path()).unwrap());
    let tree = folder.with_file_name("shop-api.worktrees").join("askdesk-add-rate-limits");
    let command =
        json!({ "command": "echo 60 > limits.txt && echo notes > notes.md", "description": "Adds limits" });
    let script =
        vec![Reply::new([Block::tool("toolu_b", "Bash", command)]), Reply::text("The limits are in place.")];
    let mock = MockApi::start(Script(script)).await.unwrap();
    let programs = TempDir::new().unwrap();
    symlink(program, programs.path().join("claude")).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    let app = sealed(Setup::default().pictured(), home.path(), &mock).env("PATH", path).open().await;

    // The start screen.
    app.find("form.start [data-agent=claude_code] .state .icon-check").await;
    let field = app.by_role("textbox", "Folder").await;
    field.clear().await.unwrap();
    field.send_keys(&folder.display().to_string()).await.unwrap();
    app.click("switch", "New worktree").await;
    app.write("First message", "Add rate limits").await;
    app.wait("the suggested branch", async || {
        let field = app.by_role("textbox", "New branch").await;
        (field.prop("value").await.ok()?? == "askdesk/add-rate-limits").then_some(())
    })
    .await;
    app.write("Setup command", "echo SECRET=1 > .env && echo set up").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("worktree-start").await;
    app.click("button", "Start session").await;

    app.shows_text("aside", "Adds limits").await;
    app.shows_text("header [data-branch]", "askdesk/add-rate-limits").await;
    app.shows_text("nav [data-branch]", "askdesk/add-rate-limits").await;
    app.click("button", "Allow once").await;
    let session =
        app.script("return document.querySelector('nav [data-session]').dataset.session", vec![]).await;
    let session = session.as_str().unwrap().to_owned();
    app.in_state(&session, "idle").await;
    assert_eq!(fs::read_to_string(tree.join("limits.txt")).unwrap(), "60\n");
    assert_eq!(fs::read_to_string(tree.join(".env")).unwrap(), "SECRET=1\n");
    assert_eq!(fs::read_to_string(folder.join("limits.txt")).unwrap(), "none\n");
    app.picture("worktree-session").await;

    // A removal while the agent runs is refused, and a dirty worktree asks.
    choose(&app, "Remove worktree…").await;
    app.shows_text("dialog[data-worktree-dialog]", "End the session first.").await;
    press(&app, "End session").await;
    app.shows_text("dialog[data-worktree-dialog]", "limits.txt").await;
    app.shows_text("dialog[data-worktree-dialog]", "notes.md").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("worktree-remove").await;
    let remove = app.by_role_in("dialog[data-worktree-dialog]", "button", "Remove worktree").await;
    assert!(remove.attr("disabled").await.unwrap().is_some(), "nothing is discarded by one click");
    press(&app, "Cancel").await;
    assert!(tree.join("notes.md").exists());

    // Merging commits first, with a message that the user sees.
    choose(&app, "Merge into main…").await;
    app.shows_text("dialog[data-worktree-dialog]", "notes.md").await;
    app.picture("worktree-merge").await;
    press(&app, "Commit and merge").await;
    app.gone("dialog[data-worktree-dialog]").await;
    assert_eq!(fs::read_to_string(folder.join("limits.txt")).unwrap(), "60\n");
    assert_eq!(git(&folder, &["log", "-1", "--format=%s"]).trim(), "Add rate limits");

    // Everything is merged: only the ignored file is left, and it is named.
    choose(&app, "Remove worktree…").await;
    app.shows_text("dialog[data-worktree-dialog]", "1 ignored file or folder").await;
    press(&app, "Remove worktree").await;
    app.gone("dialog[data-worktree-dialog]").await;
    assert!(!tree.exists());
    assert!(git(&folder, &["branch"]).contains("askdesk/add-rate-limits"), "the branch stays");
    app.shows_text("main", "The limits are in place.").await;
}
