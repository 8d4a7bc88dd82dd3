//! Sessions of a real Codex, with a model of the tests' own on loopback, in the real window.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use askdesk_testkit::clis::{self, Cli};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};
use crate::real_claude::sealed;

fn ask(call: &str) -> Block {
    let questions = json!([{"id": "store", "header": "Store", "question": "Which store?", "options": [
        {"label": "SQLite", "description": "One file"}, {"label": "PostgreSQL", "description": "A server"}]}]);
    Block::tool(call, "request_user_input", json!({ "questions": questions }))
}

fn shell(call: &str, command: &str) -> Reply {
    Reply::new([Block::tool(call, "exec_command", json!({ "cmd": command }))])
}

/// The window with Codex as the only agent that is installed.
pub struct RealCodex {
    pub app: App,
    pub mock: MockApi,
    pub project: TempDir,
    pub home: TempDir,
    /// The first folder of the app's `PATH`.
    pub programs: TempDir,
}

impl RealCodex {
    /// Opens the window, or reports that the test did not run because Codex is not installed.
    pub async fn open(test: &str, script: Vec<Reply>) -> Option<Self> {
        Self::open_in(Setup::default().pictured(), test, script).await
    }

    pub async fn open_in(setup: Setup, test: &str, script: Vec<Reply>) -> Option<Self> {
        Self::open_at(setup, test, script, |_, _| ()).await
    }

    /// Opens the window once the home folder, and the first folder of the app's `PATH`, are as a test wants them.
    pub async fn open_at(
        setup: Setup,
        test: &str,
        script: Vec<Reply>,
        prepare: impl FnOnce(&Path, &Path),
    ) -> Option<Self> {
        let program = clis::native_or_skip(Cli::Codex, test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let folder = || TempDir::new().unwrap();
        let (home, programs, project) = (folder(), folder(), folder());
        Cli::Codex.write_settings(home.path(), &mock.base_url).unwrap();
        symlink(program, programs.path().join("codex")).unwrap();
        prepare(home.path(), programs.path());
        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        let app = sealed(setup, home.path(), &mock).env("PATH", path).open().await;
        Some(Self { app, mock, project, home, programs })
    }

    /// Starts a selected session.
    pub async fn start(&self, config: Value) -> String {
        let input = json!({ "agent": "codex", "folder": self.project.path(), "options": { "config": config },
            "prompt": "Please go on.", "name": "Real" });
        let session = self.app.start_session(input).await;
        self.app.select(&session).await;
        session
    }

    pub fn program(&self) -> PathBuf {
        self.programs.path().join("codex")
    }

    fn has(&self, file: &str) -> bool {
        self.project.path().join(file).exists()
    }

    /// Everything that the model has been sent last.
    pub fn heard(&self) -> String {
        self.mock.conversation().last().map(|request| request["input"].to_string()).unwrap_or_default()
    }
}

#[tokio::test]
async fn case_65_a_session_from_the_start_form_asks_and_two_keys_answer_it() {
    let test = "case_65_a_session_from_the_start_form_asks_and_two_keys_answer_it";
    let script =
        vec![Reply::new([Block::text("One question."), ask("call_1")]), Reply::text("PostgreSQL it is.")];
    let Some(real) = RealCodex::open(test, script).await else { return };
    let app = &real.app;
    app.find("form.start [data-agent=codex] .state .icon-check").await;
    let ready = "return document.activeElement?.matches('form.start textarea') ?? false";
    app.wait("the first message's focus", async || app.script(ready, vec![]).await.as_bool()?.then_some(()))
        .await;
    app.write("First message", "Keep my notes somewhere.").await;
    app.key("Ctrl+Enter").await;
    app.find(OPEN_CARD).await;
    app.shows_text("main", "One question.").await;
    app.choose_second_by_keys().await;

    app.shows_text("main", "PostgreSQL it is.").await;
    app.find(DELIVERED).await;
    let results = real.mock.call_results();
    let expected = json!({"answers": {"store": {"answers": ["PostgreSQL"]}}});
    assert_eq!(results.len(), 1, "{results:?}");
    assert_eq!(serde_json::from_str::<Value>(&results[0].text).unwrap(), expected);
    assert_eq!(app.axe().await, Vec::<String>::new());
}

#[tokio::test]
async fn case_66_commands_are_allowed_denied_with_a_message_and_stopped() {
    let test = "case_66_commands_are_allowed_denied_with_a_message_and_stopped";
    let script =
        vec![shell("c1", "touch once"), shell("c2", "touch denied"), Reply::text("Done with these.")];
    let Some(real) = RealCodex::open(test, script).await else { return };
    let session =
        real.start(json!({ "approval_policy": "untrusted", "sandbox": "danger-full-access" })).await;
    let app = &real.app;
    app.shows_text("aside", "touch once").await;
    app.click("button", "Allow once").await;
    app.shows_text("aside", "touch denied").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "More ways to deny").await;
    app.click("menuitem", "Deny with message…").await;
    let field = app.by_role_in("aside", "textbox", "Message to the agent").await;
    field.send_keys("Not this one, please.").await.unwrap();
    app.click("button", "Deny and send").await;
    app.shows_text("main", "Done with these.").await;
    assert_eq!([real.has("once"), real.has("denied")], [true, false]);
    assert!(real.heard().contains("Not this one, please."), "{}", real.heard());

    app.in_state(&session, "idle").await;
    real.mock.push(Reply::new([ask("call_2")]));
    let field = app.by_role_in("main", "textbox", "Message to the agent").await;
    field.send_keys("Go on.").await.unwrap();
    app.click("button", "Send").await;
    app.find(OPEN_CARD).await;
    app.click("button", "Stop").await;
    app.in_state(&session, "idle").await;
    app.gone(OPEN_CARD).await;
}

/// Newer models ask in the middle of their work and go on.
#[tokio::test]
async fn case_135_and_136_a_question_that_does_not_block_is_a_card_and_its_answer_begins_a_turn() {
    let test = "case_135_and_136_a_question_that_does_not_block_is_a_card";
    let questions = json!([{"title": "Which trigger?", "options": ["Click", "Keyboard"]}]);
    let asks = Reply::new([Block::tool("c1", "request_user_input_async", json!({ "questions": questions }))]);
    let script = vec![asks, Reply::text("I go on meanwhile."), Reply::text("Keyboard it is.")];
    let newer = |home: &Path, _: &Path| {
        let config = home.join(".codex/config.toml");
        let settings = std::fs::read_to_string(&config).unwrap();
        std::fs::write(config, settings.replacen("model = \"mock\"", "model = \"gpt-6-astra\"", 1)).unwrap();
    };
    let Some(real) = RealCodex::open_at(Setup::default().pictured(), test, script, newer).await else {
        return;
    };
    let session = real.start(json!({})).await;
    let app = &real.app;
    app.find(OPEN_CARD).await;
    app.in_state(&session, "needs_you").await;
    app.shows_text("aside.panel", "Codex didn’t wait for this answer. Your answer begins a new turn.").await;
    app.shows_text("main", "Went on without your answer I go on meanwhile.").await;
    app.picture("goes-on").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.choose_second_by_keys().await;
    app.shows_text("main", "Keyboard it is.").await;
    app.find(DELIVERED).await;
    app.in_state(&session, "idle").await;
    let heard = real.heard();
    assert_eq!(heard.matches("<send_user_message_question_reply>").count(), 1, "{heard}");
    assert!(heard.contains(r#"[{\"answer\":\"Keyboard\",\"question\":\"Which trigger?\""#), "{heard}");
}
