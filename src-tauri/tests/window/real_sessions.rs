//! Permissions, plans, questions and interrupts of a real Claude Code.

use std::path::Path;

use askdesk_testkit::mock_api::{Block, MockApi, Reply};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{DELIVERED, Setup};
use crate::real_claude::{RealClaude, sealed};

fn bash(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({ "command": command, "description": "Runs it" }))])
}

#[tokio::test]
async fn commands_are_allowed_once_allowed_by_a_rule_and_denied_with_a_message() {
    let script = vec![
        bash("toolu_1", "mkdir once"),
        bash("toolu_2", "mkdir ruled"),
        bash("toolu_3", "mkdir ruled -p"),
        bash("toolu_4", "mkdir denied"),
        Reply::text("Done with these."),
    ];
    let test = "commands_are_allowed_once_allowed_by_a_rule_and_denied_with_a_message";
    let Some(real) = RealClaude::start(test, json!({}), script).await else { return };
    let app = &real.app;
    app.shows_text("aside", "mkdir once").await;
    app.click("button", "Allow once").await;
    app.shows_text("aside", "mkdir ruled").await;
    app.click("button", "More ways to allow").await;
    app.click("menuitem", "Always allow…").await;
    let tick =
        app.by_role("checkbox", "Allow Bash without asking: anything that starts with “mkdir ruled”").await;
    if !tick.is_selected().await.unwrap() {
        app.press(&tick).await;
    }
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Allow with rules").await;
    app.shows_text("aside", "mkdir denied").await;
    app.click("button", "More ways to deny").await;
    app.click("menuitem", "Deny with message…").await;
    let field = app.by_role_in("aside", "textbox", "Message to the agent").await;
    field.send_keys("Not this one, please.").await.unwrap();
    app.click("button", "Deny and send").await;
    app.shows_text("main", "Done with these.").await;

    let made = ["once", "ruled", "denied"].map(|name| real.project.path().join(name).is_dir());
    assert_eq!(made, [true, true, false]);
    let kept: Value = serde_json::from_str(&real.file(".claude/settings.local.json").unwrap()).unwrap();
    assert_eq!(kept, json!({ "permissions": { "allow": ["Bash(mkdir ruled *)"] } }));
    real.until_result("toolu_4", "Not this one, please.").await;
}

/// The home folder is the test's own, and the command never runs.
#[tokio::test]
async fn case_138_the_agents_warning_is_on_the_card_and_enter_denies() {
    let script = vec![bash("toolu_1", "rm -rf ~/"), Reply::text("Left alone.")];
    let test = "case_138_the_agents_warning_is_on_the_card_and_enter_denies";
    let setup = Setup::default().pictured();
    let Some(real) = RealClaude::start_in(setup, test, json!({}), script).await else { return };
    let kept = real.home.path().join("kept.txt");
    std::fs::write(&kept, "mine").unwrap();
    let app = &real.app;
    app.shows_text("aside [data-warning]", "Claude Code warns").await;
    app.shows_text("aside [data-warning]", "Dangerous rm operation").await;
    app.shows_text("aside [data-approval]", "No key allows this").await;
    app.wait("the focus on Deny", async || {
        app.key("F6").await;
        (app.count("aside [data-refusal] button:focus").await == 1).then_some(())
    })
    .await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("warning").await;
    app.key("Enter").await;
    app.shows_text("main", "Left alone.").await;
    app.shows_text("main [data-approval]", "Warned: Dangerous rm operation").await;
    assert!(kept.exists());
    app.picture("warning-denied").await;
}

#[tokio::test]
async fn an_edit_is_shown_as_a_diff_before_it_is_made() {
    let test = "an_edit_is_shown_as_a_diff_before_it_is_made";
    let setup = Setup::default().pictured();
    let Some(real) = RealClaude::start_in(setup, test, json!({}), vec![]).await else { return };
    real.until_first_turn().await;
    let path = real.project.path().join("notes.txt").display().to_string();
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "zwei\nund mehr" });
    real.mock.push(Reply::new([Block::tool("toolu_r", "Read", json!({ "file_path": path }))]));
    real.mock.push(Reply::new([Block::tool("toolu_e", "Edit", edit)]));
    real.mock.push(Reply::text("It is **changed**."));
    real.send("Change it.").await;
    let app = &real.app;
    app.shows_text("aside", "Change this file?").await;
    for line in ["two", "zwei", "und mehr"] {
        app.shows_text("aside", line).await;
    }
    app.picture("edit-approval").await;
    app.click("button", "Allow once").await;
    app.shows_text("main", "It is changed.").await;
    assert_eq!(real.file("notes.txt").unwrap(), "one\nzwei\nund mehr\nthree\n");
    app.find("main strong").await;
}

#[tokio::test]
async fn plans_are_sent_back_approved_as_edited_and_approved_unchanged() {
    let test = "plans_are_sent_back_approved_as_edited_and_approved_unchanged";
    let Some(real) = RealClaude::start(test, json!({ "config": { "mode": "plan" } }), vec![]).await else {
        return;
    };
    real.until_first_turn().await;
    let plan = plan_file(&real.mock);
    let write = |id: &str, text: &str| {
        Reply::new([Block::tool(id, "Write", json!({ "file_path": plan, "content": text }))])
    };
    let exit = |id: &str| Reply::new([Block::tool(id, "ExitPlanMode", json!({}))]);
    for reply in [
        write("toolu_w1", "# Plan\n\n1. All at once\n"),
        exit("toolu_p1"),
        exit("toolu_p2"),
        Reply::new([Block::tool("toolu_in", "EnterPlanMode", json!({}))]),
        exit("toolu_p3"),
        Reply::text("All planned."),
    ] {
        real.mock.push(reply);
    }
    real.send("Hand in the plan.").await;
    let app = &real.app;
    app.shows_text("aside", "All at once").await;
    app.click("button", "Send back…").await;
    let field = app.by_role("textbox", "What should change?").await;
    field.send_keys("Smaller steps, please.").await.unwrap();
    app.click("button", "Send back").await;
    real.until_result("toolu_p1", "Smaller steps, please.").await;

    app.click("button", "Edit plan").await;
    let field = app.by_role("textbox", "Plan (Markdown)").await;
    field.clear().await.unwrap();
    field.send_keys("# Plan\n\n1. Step by step\n").await.unwrap();
    let mode = app.by_role_in("aside", "combobox", "Then continue in").await;
    mode.select_by_value("allow:accept_edits").await.unwrap();
    app.click("button", "Approve edited plan").await;
    real.until_result("toolu_p2", "Step by step").await;

    app.click("button", "Approve").await;
    app.shows_text("main", "All planned.").await;
    assert!(!real.result("toolu_p3").contains("doesn't want"), "{}", real.result("toolu_p3"));
    real.until_idle().await;
}

#[tokio::test]
async fn a_changed_mode_and_model_apply_to_the_next_message() {
    let test = "a_changed_mode_and_model_apply_to_the_next_message";
    let Some(real) = RealClaude::start(test, json!({}), vec![]).await else { return };
    real.until_first_turn().await;
    let app = &real.app;
    app.press(&app.find("main [data-mode]").await).await;
    app.click("menuitem", "Accept edits").await;
    app.find("main [data-mode=accept_edits]").await;
    app.press(&app.find("main [data-model]").await).await;
    app.click("menuitem", "Haiku").await;
    let path = real.project.path().join("made.txt").display().to_string();
    let write = json!({ "file_path": path, "content": "made\n" });
    real.mock.push(Reply::new([Block::tool("toolu_w", "Write", write)]));
    real.mock.push(Reply::text("Written without asking."));
    real.send("Write it.").await;
    app.shows_text("main", "Written without asking.").await;
    assert_eq!(real.file("made.txt").as_deref(), Some("made\n"));
    let models: Vec<Value> = real.mock.conversation().iter().map(|asked| asked["model"].clone()).collect();
    let last = models.last().unwrap().as_str().unwrap();
    assert!(models[0] != last && last.contains("haiku"), "{models:?}");
}

#[tokio::test]
async fn stop_interrupts_a_command_and_a_reply_and_the_session_continues() {
    let script = vec![
        bash("toolu_s", "echo $$ > begun; until [ -e never ]; do sleep 1; done; touch late"),
        Reply::text(&"A long story. ".repeat(400)).paced(100),
        Reply::text("Here again."),
    ];
    let test = "stop_interrupts_a_command_and_a_reply_and_the_session_continues";
    let Some(real) = RealClaude::start(test, json!({}), script).await else { return };
    let app = &real.app;
    app.click("button", "Allow once").await;
    let begun = async || real.file("begun").filter(|text| text.ends_with('\n'));
    let shell = app.wait("the command to begin", begun).await;
    app.click("button", "Stop").await;
    real.until_idle().await;
    let process = Path::new("/proc").join(shell.trim());
    app.wait("the command to end", async || (!process.exists()).then_some(())).await;

    real.send("Tell me a story.").await;
    app.shows_text("main", "A long story.").await;
    app.click("button", "Stop").await;
    real.until_idle().await;
    real.send("Are you there?").await;
    app.shows_text("main", "Here again.").await;
    assert_eq!(real.file("late"), None);
}

#[tokio::test]
async fn an_answer_after_a_crash_reaches_the_resumed_agent_once() {
    let questions = json!([{ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    let script = vec![Reply::question("toolu_q", &questions)];
    let test = "an_answer_after_a_crash_reaches_the_resumed_agent_once";
    let data = TempDir::new().unwrap();
    let setup = Setup::default().data(data.path());
    let Some(real) = RealClaude::start_in(setup, test, json!({}), script).await else { return };
    let RealClaude { app, mock, session, home, .. } = real;
    app.by_role("radio", "PostgreSQL").await;
    // To be resumed, the agent must have written the question to its own transcript.
    let written = || contains(&home.path().join(".claude/projects"), "toolu_q");
    app.wait("the agent's transcript", async || written().then_some(())).await;
    // Kills it.
    drop(app);

    let app = sealed(Setup::default().data(data.path()), home.path(), &mock).open().await;
    app.select(&session).await;
    let missed = app.find("aside details[data-missed] summary").await;
    app.press(&missed).await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Send on resume").await;
    app.shows_text("aside", "Saved. Sent when you resume the session.").await;
    mock.push(Reply::text("PostgreSQL it is."));
    app.press(&app.by_role_in("aside", "button", "Resume").await).await;
    app.shows_text("main", "PostgreSQL it is.").await;
    app.find(DELIVERED).await;
    let told = mock.conversation().last().unwrap()["messages"].to_string();
    assert_eq!(told.matches("This is a late answer.").count(), 1, "{told}");
    assert!(told.contains(r#"Answer: \"PostgreSQL\""#), "{told}");
}

#[tokio::test]
async fn case_126_an_image_that_the_agent_reads_is_shown_as_a_picture() {
    let test = "case_126_an_image_that_the_agent_reads_is_shown_as_a_picture";
    let setup = Setup::default().pictured();
    let Some(real) = RealClaude::start_in(setup, test, json!({}), vec![]).await else { return };
    real.until_first_turn().await;
    let path = real.project.path().join("colors.png");
    write_colors(&path);
    real.mock.push(Reply::new([Block::tool("toolu_r", "Read", json!({ "file_path": path }))]));
    real.mock.push(Reply::text("It is colorful."));
    real.send("Look at it.").await;
    let app = &real.app;
    app.shows_text("main", "It is colorful.").await;
    app.find("[data-transcript] img[data-result-image]").await;
    let loaded = "const image = document.querySelector('img[data-result-image]');
        return image.complete && image.naturalWidth === 320 && image.alt === 'Image 1 of the output';";
    app.wait("the picture", async || app.script(loaded, vec![]).await.as_bool()?.then_some(())).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("result-image").await;
}

/// Writes an image that shows every mix of red and green.
fn write_colors(path: &Path) {
    let (width, height) = (320, 200);
    let pixel = |n: u32| [(n % width * 255 / width) as u8, (n / width * 255 / height) as u8, 128];
    let pixels: Vec<u8> = (0..width * height).flat_map(pixel).collect();
    let mut encoder = png::Encoder::new(std::fs::File::create(path).unwrap(), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
}

#[tokio::test]
async fn two_questions_get_exactly_their_answers() {
    let questions = json!([
        { "question": "Which auth method should we use?", "header": "Auth method", "multiSelect": false,
          "options": [{ "label": "OAuth 2.0", "description": "By a provider" }, { "label": "JWT", "description": "Stateless" }] },
        { "question": "Which features do you want?", "header": "Features", "multiSelect": true,
          "options": [{ "label": "Dark mode", "description": "Theme" }, { "label": "Export", "description": "PDF" },
                      { "label": "Sync", "description": "Devices" }] },
    ]);
    let asks = Reply::new(vec![Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions)]);
    let script = vec![asks, Reply::text("Thank you, I go on.")];
    let setup = Setup::default().pictured();
    let test = "two_questions_get_exactly_their_answers";
    let Some(real) = RealClaude::start_in(setup, test, json!({}), script).await else { return };
    let app = &real.app;
    app.click("radio", "JWT").await;
    app.click("checkbox", "Sync").await;
    app.click("checkbox", "Dark mode").await;
    app.picture("real-claude").await;
    app.click("button", "Next").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;

    app.shows_text("main", "Thank you, I go on.").await;
    app.find(DELIVERED).await;
    let results = real.mock.tool_results();
    assert_eq!(results.len(), 1, "{results:?}");
    let text = results[0].to_string();
    assert!(text.contains(r#"\"Which auth method should we use?\"=\"JWT\""#), "{text}");
    assert!(text.contains(r#"\"Which features do you want?\"=\"Dark mode, Sync\""#), "{text}");
    assert_eq!(results[0]["tool_use_id"], "toolu_ask_1");
    assert_ne!(results[0]["is_error"], json!(true));
}

/// Returns whether a file below a folder contains a text.
fn contains(folder: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        let in_file = || std::fs::read_to_string(&path).is_ok_and(|content| content.contains(text));
        if path.is_dir() { contains(&path, text) } else { in_file() }
    })
}

/// Returns the file that the model was told to write its plan to.
fn plan_file(mock: &MockApi) -> String {
    let asked = mock.conversation().last().unwrap().to_string();
    let middle = asked.find("/.claude/plans/").unwrap_or_else(|| panic!("no plan file is named in {asked}"));
    let start = asked[..middle].rfind(|c: char| c.is_whitespace() || "\"'`(".contains(c)).unwrap() + 1;
    let end = middle + asked[middle..].find(".md").unwrap() + ".md".len();
    asked[start..end].to_owned()
}
