//! The changes of a session in the real window, with files that an agent really writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::App;

/// A repository as a user has it: a commit, and a change that is not committed.
fn repository(folder: &Path) {
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/orders.ts"), orders("query")).unwrap();
    fs::write(folder.join("notes.md"), "one\n").unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "first"],
    ] {
        assert!(Command::new("git").args(arguments).current_dir(folder).status().unwrap().success());
    }
    fs::write(folder.join("notes.md"), "one\nmine\n").unwrap();
}

fn orders(source: &str) -> String {
    let rest = (1..=40).map(|n| format!("// line {n}\n")).collect::<String>();
    format!("import {{ Router }} from \"express\";\n\nconst id = req.{source}.customer;\n{rest}")
}

/// Makes a program that plays a scenario in place of Claude Code.
pub fn fake_claude(app: &App, turns: Value) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let scenario = app.scenario("changes", turns);
    let fake = askdesk_testkit::fake_agent::program_or_build().unwrap();
    let program = app.home().join("claude");
    let script =
        format!("#!/bin/sh\nexport ASKDESK_SCENARIO='{scenario}'\nexec '{}' \"$@\"\n", fake.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Starts the fake agent in a folder, with a scenario.
pub async fn start(app: &App, folder: &Path, turns: Value) -> String {
    let program = fake_claude(app, turns);
    let input = json!({ "agent": "claude_code", "folder": folder, "options": { "program": program },
        "prompt": "Please begin.", "name": "shop-api" });
    let session = app.start_session(input).await;
    app.select(&session).await;
    session
}

fn writes() -> Value {
    json!([[
        { "write_file": { "path": "src/orders.ts", "text": orders("session") } },
        { "write_file": { "path": "src/auth/guard.ts", "text": "export const guard = 1;\nexport const two = 2;\n" } },
        { "tool": { "name": "Bash", "input": { "command": "true" }, "result": "" } },
        { "say": { "text": "The guard is in place." } },
    ], [{ "say": { "text": "Got it." } }]])
}

#[tokio::test]
async fn case_83_the_changes_are_shown_and_a_comment_reaches_the_agent_with_its_file_and_line() {
    let app = App::open().await;
    let project = tempfile::tempdir().unwrap();
    repository(project.path());
    let session = start(&app, project.path(), writes()).await;
    app.in_state(&session, "idle").await;

    // The user's own change from before is none of the session's.
    app.find("nav .counts").await;
    app.click("button", "Changes: 3 lines added, 1 line removed").await;
    app.by_role_in("[data-changes]", "treeitem", "guard.ts").await;
    assert_eq!(app.count("[data-changes] [role=treeitem]").await, 4, "two folders and two files");
    app.click("treeitem", "orders.ts").await;
    app.find("[data-diff] del").await;
    app.shows_text("[data-diff] ins mark", "session").await;
    app.shows_text("[data-diff] .fold", "unchanged lines").await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    app.key("j").await;
    app.find("[data-diff] [role=row]:focus").await;
    app.key("c").await;
    app.write("Comment: Line 3", "Check that it exists.").await;
    app.click("button", "Add").await;
    app.client.refresh().await.unwrap();
    app.select(&session).await;
    app.click("button", "Changes: 3 lines added, 1 line removed").await;
    app.click("treeitem", "orders.ts").await;
    app.shows_text("[data-diff] [role=note]", "Check that it exists.").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Send 1 comment").await;
    let expected = "A comment on your changes.\n\nsrc/orders.ts, line 3:\n> const id = req.session.customer;\n\
                    Check that it exists.";
    app.wait("the comment at the agent", async || {
        let received = app.received();
        let mut texts = received.iter().filter(|line| line["type"] == "user").map(message);
        (texts.next_back()? == expected).then_some(())
    })
    .await;
    app.gone("[data-diff] [role=note]").await;
}

#[tokio::test]
async fn a_diff_of_a_hundred_thousand_lines_opens_and_only_what_is_in_view_is_drawn() {
    let app = App::open().await;
    let project = tempfile::tempdir().unwrap();
    let line = |n: usize, word: &str| format!("const value{n} = {word}({n});\n");
    let before = (0..100_000).map(|n| line(n, "before")).collect::<String>();
    let now = (0..100_000).map(|n| line(n, if n % 10 == 5 { "after" } else { "before" })).collect::<String>();
    fs::write(project.path().join("long.ts"), before).unwrap();
    let session = start(&app, project.path(), json!([[{ "say": { "text": "Ready." } }]])).await;
    app.in_state(&session, "idle").await;
    fs::write(project.path().join("long.ts"), now).unwrap();
    let input = json!({ "session": session });
    app.invoke("list_changes", input).await.unwrap();
    app.by_role("button", "Changes: 10,000 lines added, 10,000 lines removed").await;
    let began = Instant::now();
    app.click("button", "Changes: 10,000 lines added, 10,000 lines removed").await;
    app.shows_text("[data-diff] ins", "after").await;
    println!("the diff was shown after {:?}", began.elapsed());
    assert!(app.count("[data-diff] [role=row]").await < 300);
    app.script("document.querySelector('[data-diff]').scrollTop = 1e9", vec![]).await;
    app.shows_text("[data-diff]", "const value99999").await;
    // The current line is still the first change, far out of view.
    app.key("c").await;
    let field = app.find("[data-diff] textarea").await;
    field.send_keys("Why?").await.unwrap();
    app.wait("the words", async || (field.prop("value").await.ok()?? == "Why?").then_some(())).await;
}

/// Clicks the button of the open dialog that reverts.
async fn confirm(app: &App) {
    let button = app.by_role_in("dialog[data-revert]", "button", "Revert").await;
    app.press(&button).await;
}

/// The text of a user message.
fn message(line: &Value) -> String {
    let content = &line["message"]["content"];
    content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn case_83_a_revert_asks_first_and_refuses_a_file_that_has_changed_again() {
    let app = App::open().await;
    let project = tempfile::tempdir().unwrap();
    repository(project.path());
    let session = start(&app, project.path(), writes()).await;
    app.in_state(&session, "idle").await;
    app.click("button", "Changes: 3 lines added, 1 line removed").await;
    app.click("treeitem", "orders.ts").await;
    app.find("[data-diff] del").await;

    fs::write(project.path().join("src/orders.ts"), "mine now\n").unwrap();
    app.click("button", "Revert file…").await;
    app.shows_text("dialog[data-revert]", "its state when the session began").await;
    confirm(&app).await;
    app.shows_text("[role=alert]", "the file has changed since it was shown").await;
    assert_eq!(fs::read_to_string(project.path().join("src/orders.ts")).unwrap(), "mine now\n");

    app.shows_text("[data-diff] ins", "mine now").await;
    app.click("button", "Revert file…").await;
    confirm(&app).await;
    app.wait("the old content", async || {
        let text = fs::read_to_string(project.path().join("src/orders.ts")).ok()?;
        (text == orders("query")).then_some(())
    })
    .await;
    app.by_role("button", "Changes: 2 lines added, 0 lines removed").await;
    assert_eq!(fs::read_to_string(project.path().join("notes.md")).unwrap(), "one\nmine\n");
}
