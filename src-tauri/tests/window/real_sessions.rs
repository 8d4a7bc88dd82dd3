//! Whole sessions of a real Claude Code process, with a model of our own on loopback, handled in the real window.

use std::path::Path;
use std::time::Duration;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, Setup};

/// A session of the real program in folders of its own.
struct Real {
    app: App,
    mock: MockApi,
    session: String,
    project: TempDir,
    home: TempDir,
}

impl Real {
    /// Starts a session with a first message, or says that the test did not run.
    async fn start(test: &str, options: Value, script: Vec<Reply>) -> Option<Self> {
        Self::start_in(test, options, script, Setup::default()).await
    }

    async fn start_in(test: &str, mut options: Value, script: Vec<Reply>, setup: Setup) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        std::fs::write(project.path().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
        let app = sealed(setup, home.path(), &mock).open().await;
        options["program"] = json!(program);
        let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": project.path(),
            "options": options, "prompt": "Please go on.", "name": "Real" });
        let session = app.invoke("start_session", input).await.unwrap()["id"].as_str().unwrap().to_owned();
        app.select(&session).await;
        Some(Self { app, mock, session, project, home })
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project.path().join(name)).ok()
    }

    /// What the model was told last of a call.
    fn told(&self, tool_use: &str) -> String {
        let conversation = self.mock.conversation();
        let messages = conversation.last().unwrap()["messages"].as_array().unwrap().clone();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        let mut results = blocks.filter(|block| block["tool_use_id"] == tool_use);
        results.next_back().map(|block| block["content"].to_string()).unwrap_or_default()
    }

    /// Waits until the model was told something of a call.
    async fn until_told(&self, tool_use: &str, words: &str) {
        let what = format!("{words:?} told of {tool_use}");
        self.app.wait(&what, async || self.told(tool_use).contains(words).then_some(())).await;
    }

    /// Waits until the model was asked so often and the turn is over.
    async fn until_turn(&self, asked: usize) {
        let what = format!("{asked} requests to the model");
        self.app.wait(&what, async || (self.mock.conversation().len() >= asked).then_some(())).await;
        self.until_idle().await;
    }

    async fn until_idle(&self) {
        self.app.find(&format!("nav [data-session='{}'][data-state=idle]", self.session)).await;
    }

    async fn say(&self, text: &str) {
        let field = self.app.by_role_in("main", "textbox", "Message to the agent").await;
        field.send_keys(text).await.unwrap();
        self.app.click("button", "Send").await;
    }
}

fn sealed(mut setup: Setup, home: &Path, mock: &MockApi) -> Setup {
    for (name, value) in clis::sealed_env(home, &mock.base_url) {
        setup = setup.env(&name, value);
    }
    setup
}

fn bash(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({ "command": command, "description": "Runs it" }))])
}

#[tokio::test]
async fn commands_are_allowed_once_as_a_rule_and_denied_in_words() {
    let script = vec![
        bash("toolu_1", "mkdir once"),
        bash("toolu_2", "mkdir ruled"),
        bash("toolu_3", "mkdir ruled -p"),
        bash("toolu_4", "mkdir denied"),
        Reply::text("Done with these."),
    ];
    let test = "commands_are_allowed_once_as_a_rule_and_denied_in_words";
    let Some(real) = Real::start(test, json!({}), script).await else { return };
    let app = &real.app;
    app.shows_text("aside", "mkdir once").await;
    app.click("button", "Allow once").await;
    app.shows_text("aside", "mkdir ruled").await;
    app.click("button", "Allow with …").await;
    let tick = app
        .by_role("checkbox", "Use Bash without asking for everything that begins with “mkdir ruled”")
        .await;
    if !tick.is_selected().await.unwrap() {
        app.press(&tick).await;
    }
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Allow and keep the ticked rules").await;
    app.shows_text("aside", "mkdir denied").await;
    app.click("button", "Deny with message").await;
    let field = app.by_role("textbox", "What to tell the agent").await;
    field.send_keys("Not this one, please.").await.unwrap();
    app.click("button", "Deny and send").await;
    app.shows_text("main", "Done with these.").await;

    let made = ["once", "ruled", "denied"].map(|name| real.project.path().join(name).is_dir());
    assert_eq!(made, [true, true, false]);
    let kept: Value = serde_json::from_str(&real.file(".claude/settings.local.json").unwrap()).unwrap();
    assert_eq!(kept, json!({ "permissions": { "allow": ["Bash(mkdir ruled *)"] } }));
    real.until_told("toolu_4", "Not this one, please.").await;
    real.app.close().await;
}

#[tokio::test]
async fn a_change_to_a_file_is_a_difference_before_it_is_made_and_in_the_transcript() {
    let test = "a_change_to_a_file_is_a_difference_before_it_is_made_and_in_the_transcript";
    let setup = Setup::default().pictured();
    let Some(real) = Real::start_in(test, json!({}), vec![], setup).await else { return };
    real.until_turn(1).await;
    let path = real.project.path().join("notes.txt").display().to_string();
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "zwei\nund mehr" });
    real.mock.push(Reply::new([Block::tool("toolu_r", "Read", json!({ "file_path": path }))]));
    real.mock.push(Reply::new([Block::tool("toolu_e", "Edit", edit)]));
    real.mock.push(Reply::text("It is **changed**."));
    real.say("Change it.").await;
    let app = &real.app;
    app.shows_text("aside", "The agent wants to change a file").await;
    for line in ["two", "zwei", "und mehr"] {
        app.shows_text("aside", line).await;
    }
    app.picture("edit-approval").await;
    app.click("button", "Allow once").await;
    app.shows_text("main", "It is changed.").await;
    assert_eq!(real.file("notes.txt").unwrap(), "one\nzwei\nund mehr\nthree\n");
    app.find("main strong").await;
    real.app.close().await;
}

#[tokio::test]
async fn plans_are_sent_back_approved_as_edited_and_approved_as_they_are() {
    let test = "plans_are_sent_back_approved_as_edited_and_approved_as_they_are";
    let Some(real) = Real::start(test, json!({ "config": { "mode": "plan" } }), vec![]).await else { return };
    real.until_turn(1).await;
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
    real.say("Hand in the plan.").await;
    let app = &real.app;
    app.shows_text("aside", "All at once").await;
    app.click("button", "Send back").await;
    let field = app.by_role("textbox", "What should change").await;
    field.send_keys("Smaller steps, please.").await.unwrap();
    app.click("button", "Send back with this").await;
    real.until_told("toolu_p1", "Smaller steps, please.").await;

    app.click("button", "Edit the plan").await;
    let field = app.by_role("textbox", "The plan, as Markdown").await;
    field.clear().await.unwrap();
    field.send_keys("# Plan\n\n1. Step by step\n").await.unwrap();
    let mode = app.by_role_in("aside", "combobox", "Then go on in the mode").await;
    mode.select_by_value("allow:accept_edits").await.unwrap();
    app.click("button", "Approve as edited").await;
    real.until_told("toolu_p2", "Step by step").await;

    app.click("button", "Approve").await;
    app.shows_text("main", "All planned.").await;
    assert!(!real.told("toolu_p3").contains("doesn't want"), "{}", real.told("toolu_p3"));
    real.until_idle().await;
    real.app.close().await;
}

#[tokio::test]
async fn mode_and_model_are_changed_in_the_head_and_hold_for_what_follows() {
    let test = "mode_and_model_are_changed_in_the_head_and_hold_for_what_follows";
    let Some(real) = Real::start(test, json!({}), vec![]).await else { return };
    real.until_turn(1).await;
    let app = &real.app;
    app.press(&app.find("main [data-mode]").await).await;
    app.click("menuitem", "Accept edits").await;
    app.find("main [data-mode=accept_edits]").await;
    app.press(&app.find("main [data-model]").await).await;
    app.click("menuitem", "haiku").await;
    let path = real.project.path().join("made.txt").display().to_string();
    let write = json!({ "file_path": path, "content": "made\n" });
    real.mock.push(Reply::new([Block::tool("toolu_w", "Write", write)]));
    real.mock.push(Reply::text("Written without asking."));
    real.say("Write it.").await;
    app.shows_text("main", "Written without asking.").await;
    assert_eq!(real.file("made.txt").as_deref(), Some("made\n"));
    let models: Vec<Value> = real.mock.conversation().iter().map(|asked| asked["model"].clone()).collect();
    let last = models.last().unwrap().as_str().unwrap();
    assert!(models[0] != last && last.contains("haiku"), "{models:?}");
    real.app.close().await;
}

#[tokio::test]
async fn stop_interrupts_a_command_and_a_text_and_the_session_goes_on() {
    let script = vec![
        bash("toolu_s", "echo $$ > begun; until [ -e never ]; do sleep 1; done; touch late"),
        Reply::text(&"A long story. ".repeat(400)).paced(100),
        Reply::text("Here again."),
    ];
    let test = "stop_interrupts_a_command_and_a_text_and_the_session_goes_on";
    let Some(real) = Real::start(test, json!({}), script).await else { return };
    let app = &real.app;
    app.click("button", "Allow once").await;
    let begun = async || real.file("begun").filter(|text| text.ends_with('\n'));
    let shell = app.wait("the command to begin", begun).await;
    app.click("button", "Stop").await;
    real.until_idle().await;
    let process = Path::new("/proc").join(shell.trim());
    app.wait("the command to end", async || (!process.exists()).then_some(())).await;

    real.say("Tell me a story.").await;
    app.shows_text("main", "A long story.").await;
    app.click("button", "Stop").await;
    real.until_idle().await;
    real.say("Are you there?").await;
    app.shows_text("main", "Here again.").await;
    assert_eq!(real.file("late"), None);
    real.app.close().await;
}

#[tokio::test]
async fn an_answer_kept_after_the_app_was_killed_reaches_the_resumed_agent_once() {
    let questions = json!([{ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    let script = vec![Reply::question("toolu_q", &questions)];
    let test = "an_answer_kept_after_the_app_was_killed_reaches_the_resumed_agent_once";
    let data = TempDir::new().unwrap();
    let setup = Setup::default().data(data.path());
    let Some(real) = Real::start_in(test, json!({}), script, setup).await else { return };
    let Real { app, mock, session, home, .. } = real;
    app.by_role("radio", "PostgreSQL").await;
    // The agent writes its own transcript a moment after it has asked.
    tokio::time::sleep(Duration::from_secs(3)).await;
    // Not closed: killed, with everything that hangs on it.
    drop(app);

    let app = sealed(Setup::default().data(data.path()), home.path(), &mock).open().await;
    app.select(&session).await;
    let missed = app.find("aside details[data-missed] summary").await;
    app.press(&missed).await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Send when resumed").await;
    app.shows_text("aside", "Kept, will be delivered when the session is resumed").await;
    mock.push(Reply::text("PostgreSQL it is."));
    app.press(&app.by_role_in("aside", "button", "Resume").await).await;
    app.shows_text("main", "PostgreSQL it is.").await;
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    let told = mock.conversation().last().unwrap()["messages"].to_string();
    assert_eq!(told.matches("This is a late answer.").count(), 1, "{told}");
    assert!(told.contains(r#"Answer: \"PostgreSQL\""#), "{told}");
    app.close().await;
}

/// The file the model was told to write its plan into.
fn plan_file(mock: &MockApi) -> String {
    let asked = mock.conversation().last().unwrap().to_string();
    let middle = asked.find("/.claude/plans/").unwrap_or_else(|| panic!("no plan file is named in {asked}"));
    let start = asked[..middle].rfind(|c: char| c.is_whitespace() || "\"'`(".contains(c)).unwrap() + 1;
    let end = middle + asked[middle..].find(".md").unwrap() + ".md".len();
    asked[start..end].to_owned()
}
