//! Sessions of a real Claude Code, with a model of the tests' own on loopback, in the real window.

use std::path::Path;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, Setup};

/// A selected session of the real program, with folders of its own.
pub struct RealClaude {
    pub app: App,
    pub mock: MockApi,
    pub session: String,
    pub project: TempDir,
    pub home: TempDir,
}

impl RealClaude {
    /// Starts a session, or reports that the test did not run because Claude Code is not installed.
    pub async fn start(test: &str, options: Value, script: Vec<Reply>) -> Option<Self> {
        Self::start_in(Setup::default().pictured(), test, options, script).await
    }

    pub async fn start_in(setup: Setup, test: &str, mut options: Value, script: Vec<Reply>) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        std::fs::write(project.path().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
        // A command of the project's own.
        std::fs::create_dir_all(project.path().join(".claude/commands")).unwrap();
        let command =
            "---\ndescription: Greet somebody\nargument-hint: <name>\n---\nPlease greet $ARGUMENTS warmly.\n";
        std::fs::write(project.path().join(".claude/commands/greet.md"), command).unwrap();
        let app = sealed(setup, home.path(), &mock).open().await;
        options["program"] = json!(program);
        let input = json!({ "agent": "claude_code", "folder": project.path(), "options": options,
            "prompt": "Please go on.", "name": "Real" });
        let session = app.start_session(input).await;
        app.select(&session).await;
        Some(Self { app, mock, session, project, home })
    }

    pub fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project.path().join(name)).ok()
    }

    /// Returns the last result of a tool call that the model received.
    pub fn result(&self, tool_use: &str) -> String {
        let conversation = self.mock.conversation();
        let messages = conversation.last().unwrap()["messages"].as_array().unwrap().clone();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        let mut results = blocks.filter(|block| block["tool_use_id"] == tool_use);
        results.next_back().map(|block| block["content"].to_string()).unwrap_or_default()
    }

    /// Waits until the result of a tool call that the model received contains a text.
    pub async fn until_result(&self, tool_use: &str, text: &str) {
        let what = format!("{text:?} in the result of {tool_use}");
        self.app.wait(&what, async || self.result(tool_use).contains(text).then_some(())).await;
    }

    /// Waits for the first turn to end.
    pub async fn until_first_turn(&self) {
        self.app.wait("a request to the model", async || self.mock.conversation().pop()).await;
        self.until_idle().await;
    }

    pub async fn until_idle(&self) {
        self.app.in_state(&self.session, "idle").await;
    }

    /// Sends a message in the window.
    pub async fn send(&self, text: &str) {
        let field = self.app.by_role_in("main", "textbox", "Message to the agent").await;
        field.send_keys(text).await.unwrap();
        self.app.click("button", "Send").await;
    }
}

/// Gives the agent a home folder of its own and the mock as its model.
pub fn sealed(setup: Setup, home: &Path, mock: &MockApi) -> Setup {
    let env = clis::sealed_env(home, &mock.base_url).into_iter();
    env.fold(setup, |setup, (name, value)| setup.env(&name, value))
}
