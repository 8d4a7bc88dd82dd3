//! Sessions of a real OpenCode, with a model of the tests' own on loopback, in the real window.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};
use crate::real_claude::sealed;

pub struct RealOpenCode {
    pub app: App,
    pub mock: MockApi,
    pub project: TempDir,
    _home: TempDir,
    _programs: TempDir,
}

impl RealOpenCode {
    /// Opens the app beside an installed OpenCode, or reports that the test did not run.
    pub async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        Self::open_in(Setup::default().pictured(), test, script).await
    }

    pub async fn open_in(setup: Setup, test: &str, script: Vec<Reply>) -> Option<Self> {
        let program = clis::native_or_skip(Cli::OpenCode, test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let [home, project, programs] = [(); 3].map(|()| TempDir::new().unwrap());
        Cli::OpenCode.write_settings(home.path(), &mock.base_url).unwrap();
        symlink(program, programs.path().join("opencode")).unwrap();
        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        let app = sealed(setup, home.path(), &mock).env("PATH", path).open().await;
        Some(Self { app, mock, project, _home: home, _programs: programs })
    }

    /// Starts a session in the start form, and returns its id.
    async fn start(&self, message: &str) -> String {
        let app = &self.app;
        app.find("form.start [data-agent=opencode] .state .icon-check").await;
        app.press(&app.find("form.start [data-agent=opencode]").await).await;
        let field = app.by_role("textbox", "Folder").await;
        field.clear().await.unwrap();
        field.send_keys(&self.project.path().display().to_string()).await.unwrap();
        app.write("First message", message).await;
        assert_eq!(app.axe().await, Vec::<String>::new());
        app.picture("opencode-start").await;
        app.click("button", "Start session").await;
        let newest = "return document.querySelector('nav [data-session]')?.dataset.session ?? null";
        let id =
            app.wait("the session", async || app.script(newest, vec![]).await.as_str().map(str::to_owned));
        id.await
    }

    /// Starts a session that asks before changes.
    pub async fn start_asking(&self) -> String {
        let options = json!({ "config": { "permissions": "ask" } });
        let input = json!({ "agent": "opencode", "folder": self.project.path(), "options": options,
            "prompt": "Please go on.", "name": "Real" });
        let session = self.app.start_session(input).await;
        self.app.select(&session).await;
        session
    }

    pub fn newest(&self) -> Value {
        self.mock.conversation().pop().unwrap_or_default()
    }
}

fn question(id: &str) -> Block {
    let questions = json!([{ "question": "Which store should we use?", "header": "Store", "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    Block::tool(id, "question", json!({ "questions": questions }))
}

#[tokio::test]
async fn case_65_a_question_of_opencode_is_answered_by_keys_and_the_agent_goes_on() {
    let test = "case_65_a_question_of_opencode_is_answered_by_keys_and_the_agent_goes_on";
    let script = vec![
        Reply::new([Block::text("I need to ask."), question("call_1")]),
        Reply::text("PostgreSQL it is."),
    ];
    let Some(real) = RealOpenCode::open(test, script).await else { return };
    let session = real.start("Set up a store").await;
    let app = &real.app;
    app.find(OPEN_CARD).await;
    app.shows_text("aside", "Which store should we use?").await;
    app.armed().await;
    app.picture("opencode-question").await;
    app.key("Ctrl+j").await;
    app.key("2").await;
    app.key("Enter").await;
    app.shows_text("main", "PostgreSQL it is.").await;
    app.find(DELIVERED).await;
    app.in_state(&session, "idle").await;
    let heard = real.newest()["messages"].to_string();
    assert_eq!(heard.matches(r#"\"Which store should we use?\"=\"PostgreSQL\""#).count(), 1, "{heard}");
    app.picture("opencode-session").await;
}

#[tokio::test]
async fn case_66_and_75_a_command_of_opencode_waits_for_its_permission() {
    let test = "case_66_and_75_a_command_of_opencode_waits_for_its_permission";
    let run = |id: &str, command: &str| {
        Block::tool(id, "bash", json!({ "command": command, "description": "Runs it" }))
    };
    let script = vec![
        Reply::new([run("call_1", "mkdir once")]),
        Reply::new([run("call_2", "mkdir denied")]),
        Reply::text("Done with these."),
    ];
    let Some(real) = RealOpenCode::open(test, script).await else { return };
    real.start_asking().await;
    let app = &real.app;
    app.shows_text("aside", "mkdir once").await;
    app.find("main .awaiting_permission").await;
    assert!(!real.project.path().join("once").exists());
    app.picture("opencode-permission").await;
    app.click("button", "Allow once").await;
    app.shows_text("aside", "mkdir denied").await;
    app.click("button", "More ways to deny").await;
    app.click("menuitem", "Deny with message…").await;
    let field = app.by_role_in("aside", "textbox", "Message to the agent").await;
    field.send_keys("Not this one, please.").await.unwrap();
    app.click("button", "Deny and send").await;
    app.shows_text("main", "Done with these.").await;
    let made = ["once", "denied"].map(|name| real.project.path().join(name).is_dir());
    assert_eq!(made, [true, false]);
    assert!(real.newest()["messages"].to_string().contains("Not this one, please."));
}

#[tokio::test]
async fn case_68_and_69_two_sessions_of_opencode_outlive_their_server() {
    let test = "case_68_and_69_two_sessions_of_opencode_outlive_their_server";
    let script =
        vec![Reply::new([question("call_1")]), Reply::text("Idle here."), Reply::text("SQLite it is.")];
    let Some(real) = RealOpenCode::open(test, script).await else { return };
    let app = &real.app;
    let asking = real.start_asking().await;
    app.find(OPEN_CARD).await;
    let idle = real.start_asking().await;
    app.shows_text("main", "Idle here.").await;
    let servers = servers_below(app.root());
    assert_eq!(servers.len(), 1, "one server for both: {servers:?}");
    assert!(Command::new("kill").args(["-9", &servers[0]]).status().unwrap().success());
    for session in [&asking, &idle] {
        app.in_state(session, "failed").await;
    }
    app.select(&asking).await;
    app.shows_text("main", "Resume the session to continue.").await;
    app.press(&app.find("aside details[data-missed] summary").await).await;
    app.click("radio", "SQLite").await;
    app.click("button", "Send on resume").await;
    app.shows_text("aside", "Saved. Sent when you resume the session.").await;
    app.press(&app.by_role_in("aside", "button", "Resume").await).await;
    app.shows_text("main", "SQLite it is.").await;
    app.find(DELIVERED).await;
    let heard = real.newest()["messages"].to_string();
    assert_eq!(heard.matches("This is a late answer.").count(), 1, "{heard}");
}

/// The ids of the processes below another one that run OpenCode's server.
fn servers_below(root: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|it| it.file_name().to_string_lossy().parse::<u32>().ok());
    let parent = |id: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let is_below = |id: &u32| std::iter::successors(Some(*id), |id| parent(*id)).any(|id| id == root);
    let serves = |id: &u32| {
        let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
        words.first().is_some_and(|program| program.ends_with(b"/opencode"))
            && words.get(1) == Some(&&b"serve"[..])
    };
    ids.filter(is_below).filter(serves).map(|id| id.to_string()).collect()
}
