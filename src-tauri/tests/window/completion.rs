//! What the composer offers while a command or a file is typed, with the real agents and real keys.

use std::fs;

use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::App;
use crate::real_claude::RealClaude;
use crate::real_codex::RealCodex;
use crate::real_opencode::RealOpenCode;

const COMPOSER: &str = "[data-composer]";
const ROWS: &str = "[data-completion] [role=option]";

/// Types into the composer with the keys of the keyboard.
pub async fn type_keys(app: &App, text: &str) {
    app.press(&app.find(COMPOSER).await).await;
    activate(WINDOW);
    xdotool(&["type", "--delay", "15", text]);
    composed(app, text).await;
}

/// Waits until the list begins with this row.
pub async fn first_row(app: &App, text: &str) {
    let first = "return document.querySelector(arguments[0])?.textContent ?? ''";
    let what = format!("{text:?} as the first row");
    app.wait(&what, async || {
        app.script(first, vec![json!(ROWS)]).await.as_str()?.contains(text).then_some(())
    })
    .await;
}

pub async fn composed(app: &App, text: &str) {
    let value = "return document.querySelector(arguments[0]).value";
    app.wait(text, async || (app.script(value, vec![json!(COMPOSER)]).await == text).then_some(())).await;
}

/// Waits until a tool call in the transcript has this output.
async fn ran(app: &App, session: &str, output: &str) {
    app.wait(&format!("{output:?} as an output"), async || {
        let page = app.invoke("read_transcript", json!({ "session": session, "limit": 20 })).await.ok()?;
        let ran = page["entries"].as_array()?.iter().any(|entry| {
            entry["body"]["kind"] == "tool" && entry["body"]["output"].to_string().contains(output)
        });
        ran.then_some(())
    })
    .await;
}

pub fn press(key: &str) {
    xdotool(&["key", key]);
}

#[tokio::test]
async fn case_121_commands_and_files_of_claude_code_are_offered_and_used() {
    let test = "case_121_commands_and_files_of_claude_code_are_offered_and_used";
    let script = vec![Reply::text("Ready."), Reply::text("Hello, Ada!"), Reply::text("Three lines.")];
    let Some(real) = RealClaude::start(test, json!({}), script).await else { return };
    let app = &real.app;
    fs::write(real.project.path().join(".gitignore"), "*.log\n").unwrap();
    fs::write(real.project.path().join("notes.log"), "no\n").unwrap();
    real.until_first_turn().await;

    type_keys(app, "/gre").await;
    first_row(app, "/greet <name>").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("completion-commands").await;
    press("Return");
    composed(app, "/greet ").await;
    xdotool(&["type", "Ada"]);
    press("Return");
    app.shows_text("main", "Hello, Ada!").await;
    let heard = real.mock.conversation().last().unwrap()["messages"].to_string();
    assert!(heard.contains("Please greet Ada warmly."), "{heard}");
    real.until_idle().await;

    let asked = real.mock.conversation().len();
    type_keys(app, "/context").await;
    first_row(app, "/context").await;
    press("Return");
    app.shows_text("main", "Context Usage").await;
    assert_eq!(real.mock.conversation().len(), asked, "the agent itself carries it out");
    real.until_idle().await;

    type_keys(app, "see @notes").await;
    first_row(app, "notes.txt").await;
    let only = async || (app.count(ROWS).await == 1).then_some(());
    app.wait("no row but the one, because the other file is ignored", only).await;
    app.picture("completion-files").await;
    press("Tab");
    composed(app, "see @notes.txt ").await;
    press("Return");
    app.shows_text("main", "Three lines.").await;
    let heard = real.mock.conversation().last().unwrap()["messages"].to_string();
    assert!(heard.contains("three"), "the agent reads the file: {heard}");
}

#[tokio::test]
async fn case_121_commands_skills_and_a_shell_of_codex_are_offered_and_used() {
    let test = "case_121_commands_skills_and_a_shell_of_codex_are_offered_and_used";
    let script = vec![Reply::text("Ready."), Reply::text("Hello, Ada!")];
    let Some(real) = RealCodex::open(test, script).await else { return };
    let app = &real.app;
    let skill = real.project.path().join(".agents/skills/greet");
    fs::create_dir_all(&skill).unwrap();
    let words = "---\nname: greet\ndescription: Greet somebody\n---\nGreet whoever is named, warmly.\n";
    fs::write(skill.join("SKILL.md"), words).unwrap();
    let session = real.start(json!({})).await;
    app.shows_text("main", "Ready.").await;
    app.in_state(&session, "idle").await;

    real.mock.push_for_subagents(Reply::text("Nothing to complain about."));
    type_keys(app, "/rev").await;
    first_row(app, "/review").await;
    press("Return");
    composed(app, "/review ").await;
    press("Return");
    // The review is a conversation of its own.
    app.shows_text("main", "Nothing to complain about.").await;
    let asked = real.mock.requests().iter().map(|request| request.body.to_string()).collect::<String>();
    assert_eq!(asked.matches("Review the current code changes").count(), 1, "{asked}");
    assert_eq!(app.count("main [data-kind=agent]").await, 2, "the findings are there once");
    app.in_state(&session, "idle").await;

    type_keys(app, "/greet").await;
    first_row(app, "/greet").await;
    xdotool(&["type", " Ada"]);
    press("Return");
    app.shows_text("main", "Hello, Ada!").await;
    assert!(real.heard().contains("Greet whoever is named, warmly."), "{}", real.heard());
    app.in_state(&session, "idle").await;

    let asked = real.mock.conversation().len();
    type_keys(app, "!printf %s shell-says-hi").await;
    app.find("[data-shell]").await;
    press("Return");
    ran(app, &session, "shell-says-hi").await;
    app.in_state(&session, "idle").await;
    assert_eq!(real.mock.conversation().len(), asked, "no model takes part");
}

#[tokio::test]
async fn one_key_sends_a_message_into_the_turn_that_runs() {
    let test = "one_key_sends_a_message_into_the_turn_that_runs";
    let wait = json!({ "cmd": "touch began; while [ ! -e go ]; do sleep 0.1; done" });
    let script =
        vec![Reply::new([Block::tool("c1", "exec_command", wait)]), Reply::text("The blue one it is.")];
    let Some(real) = RealCodex::open(test, script).await else { return };
    let config = json!({ "approval_policy": "never", "sandbox": "danger-full-access" });
    let session = real.start(config).await;
    let app = &real.app;
    app.wait("the command", async || real.project.path().join("began").exists().then_some(())).await;
    type_keys(app, "take the blue one").await;
    app.find("[data-steer]").await;
    app.picture("completion-steer").await;
    press("alt+Return");
    composed(app, "").await;
    app.shows_text("main", "take the blue one").await;
    app.in_state(&session, "working").await;
    fs::write(real.project.path().join("go"), "").unwrap();
    app.shows_text("main", "The blue one it is.").await;
    assert!(real.heard().contains("take the blue one"), "{}", real.heard());
    assert_eq!(real.mock.conversation().len(), 2, "it went into the turn that ran");
}

#[tokio::test]
async fn case_121_commands_and_a_shell_of_opencode_are_offered_and_used() {
    let test = "case_121_commands_and_a_shell_of_opencode_are_offered_and_used";
    let script = vec![Reply::text("Ready."), Reply::text("Hello, Ada!")];
    let Some(real) = RealOpenCode::open(test, script).await else { return };
    let app = &real.app;
    let commands = real.project.path().join(".opencode/command");
    fs::create_dir_all(&commands).unwrap();
    let words = "---\ndescription: Greet somebody\n---\nPlease greet $ARGUMENTS warmly.\n";
    fs::write(commands.join("greet.md"), words).unwrap();
    let session = real.start_asking().await;
    app.shows_text("main", "Ready.").await;
    app.in_state(&session, "idle").await;

    type_keys(app, "/gre").await;
    first_row(app, "/greet").await;
    press("Return");
    composed(app, "/greet ").await;
    xdotool(&["type", "Ada"]);
    press("Return");
    app.shows_text("main", "Hello, Ada!").await;
    assert!(real.newest()["messages"].to_string().contains("Please greet Ada warmly."), "{}", real.newest());
    app.in_state(&session, "idle").await;

    type_keys(app, "!printf %s shell-says-hi").await;
    app.find("[data-shell]").await;
    press("Return");
    ran(app, &session, "shell-says-hi").await;
    app.in_state(&session, "idle").await;
}
