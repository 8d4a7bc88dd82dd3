//! A long task with each real agent, as a user goes through it in the window, without a terminal: files named by `@`, a change
//! allowed and read, a question, messages queued, steered, and stopped, the context made smaller, a comment on a change, and
//! a new name.

use std::fs;
use std::path::Path;

use askdesk_testkit::mock_api::{Block, MockApi, Reply};
use serde_json::{Value, json};

use crate::completion::{composed, first_row, press, type_keys};
use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};
use crate::real_claude::RealClaude;
use crate::real_codex::RealCodex;
use crate::real_opencode::RealOpenCode;

const NOTES: &str = "one\ntwo\nthree\n";
const QUESTION: &str = "Which store?";

/// The calls of one agent.
struct Calls {
    shell: fn(&str) -> Block,
    ask: fn() -> Block,
    compacted: &'static str,
}

struct Task<'a> {
    app: &'a App,
    mock: &'a MockApi,
    project: &'a Path,
    session: &'a str,
    name: &'a str,
}

impl Task<'_> {
    async fn picture(&self, step: &str) {
        self.app.picture(&format!("task-{}-{step}", self.name)).await;
    }

    async fn idle(&self) {
        self.app.in_state(self.session, "idle").await;
    }

    fn heard(&self) -> String {
        self.mock.conversation().last().unwrap().to_string()
    }

    async fn file(&self, name: &str) {
        let path = self.project.join(name);
        self.app.wait(name, async || path.exists().then_some(())).await;
    }

    async fn run(&self, calls: Calls) {
        let Self { app, mock, project, .. } = self;
        app.shows_text("main", "Ready.").await;
        self.idle().await;

        // A file is named, and a change is allowed.
        let change = "sed -i s/two/2/ notes.txt; echo new > added.txt";
        mock.push(Reply::new([(calls.shell)(change)]));
        mock.push(Reply::text("Changed the second line."));
        type_keys(app, "change the second line of @not").await;
        first_row(app, "notes.txt").await;
        press("Tab");
        composed(app, "change the second line of @notes.txt ").await;
        press("Return");
        app.shows_text("aside", "sed -i s/two/2/ notes.txt").await;
        self.picture("permission").await;
        app.click("button", "Allow once").await;
        app.shows_text("main", "Changed the second line.").await;
        assert_eq!(fs::read_to_string(project.join("notes.txt")).unwrap(), "one\n2\nthree\n");
        self.idle().await;

        // The change is read, and a comment goes back.
        mock.push(Reply::text("Thank you for the comment."));
        app.click("button", "Changes: 2 lines added, 1 line removed").await;
        app.click("treeitem", "notes.txt").await;
        app.find("[data-diff] del").await;
        self.picture("changes").await;
        app.key("j").await;
        app.find("[data-diff] [role=row]:focus").await;
        app.key("c").await;
        app.find("[data-diff] textarea").await.send_keys("Write the word.").await.unwrap();
        app.click("button", "Add").await;
        app.click("button", "Send 1 comment").await;
        app.wait("the comment at the agent", async || self.heard().contains("Write the word.").then_some(()))
            .await;
        app.key("Esc").await;
        app.shows_text("main", "Thank you for the comment.").await;
        self.idle().await;

        // A question is answered by keys.
        mock.push(Reply::new([(calls.ask)()]));
        mock.push(Reply::text("SQLite it is."));
        type_keys(app, "choose a store").await;
        press("Return");
        app.find(OPEN_CARD).await;
        app.shows_text("aside", QUESTION).await;
        app.armed().await;
        self.picture("question").await;
        app.key("Ctrl+j").await;
        app.key("1").await;
        app.key("Enter").await;
        app.shows_text("main", "SQLite it is.").await;
        app.find(DELIVERED).await;
        self.idle().await;

        // While a command runs, one message steers and another one waits and is changed; then the turn is stopped.
        mock.push(Reply::new([(calls.shell)("touch began; while [ ! -e go ]; do sleep 0.1; done")]));
        mock.push(Reply::text("The blue one, then."));
        type_keys(app, "run the long command").await;
        press("Return");
        app.click("button", "Allow once").await;
        self.file("began").await;
        type_keys(app, "take the blue one").await;
        press("alt+Return");
        composed(app, "").await;
        type_keys(app, "then the gren one").await;
        press("Return");
        app.find("[data-queue] [data-queued]").await;
        self.picture("queued").await;
        app.click("button", "Edit message 1").await;
        let field = app.find("[data-queue] textarea").await;
        field.clear().await.unwrap();
        field.send_keys("then the green one").await.unwrap();
        app.click("button", "Save").await;
        app.shows_text("[data-queue]", "then the green one").await;
        mock.push(Reply::new([(calls.shell)("touch second; sleep 600")]));
        fs::write(project.join("go"), "").unwrap();
        app.shows_text("main", "The blue one, then.").await;
        app.click("button", "Allow once").await;
        self.file("second").await;
        let heard = self.heard();
        assert!(heard.contains("take the blue one") && heard.contains("then the green one"), "{heard}");
        app.click("button", "Stop").await;
        self.idle().await;
        self.picture("stopped").await;

        // The context is made smaller by the agent's own command.
        mock.push(Reply::text("<summary>Notes were changed, SQLite was chosen.</summary>"));
        mock.push(Reply::text("Still with you."));
        type_keys(app, "/compact").await;
        first_row(app, "compact").await;
        press("Return");
        if calls.compacted == "typed" {
            composed(app, "/compact ").await;
            press("Return");
        }
        app.find("main [data-notice=compacted]").await;
        self.idle().await;
        self.picture("compacted").await;

        // It gets another name, and is found by it.
        app.key("F2").await;
        app.find("nav [data-rename]").await;
        activate(WINDOW);
        press("ctrl+a");
        xdotool(&["type", "--delay", "15", "Doors and notes"]);
        press("Return");
        app.shows_text("nav", "Doors and notes").await;
        self.picture("renamed").await;
        assert_eq!(app.axe().await, Vec::<String>::new());
    }
}

fn store() -> Value {
    json!([{ "id": "store", "question": QUESTION, "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }])
}

fn ready() -> Vec<Reply> {
    vec![Reply::text("Ready.")]
}

#[tokio::test]
async fn a_long_task_with_claude_code_needs_no_terminal() {
    let test = "a_long_task_with_claude_code_needs_no_terminal";
    let setup = Setup::default().pictured();
    let Some(real) = RealClaude::start_in(setup, test, json!({}), ready()).await else { return };
    let calls = Calls {
        shell: |command| Block::tool(&call(), "Bash", json!({ "command": command, "description": "Works" })),
        ask: || Block::tool(&call(), "AskUserQuestion", json!({ "questions": store() })),
        compacted: "typed",
    };
    let (project, session) = (real.project.path(), real.session.as_str());
    Task { app: &real.app, mock: &real.mock, project, session, name: "claude" }.run(calls).await;
}

#[tokio::test]
async fn a_long_task_with_codex_needs_no_terminal() {
    let test = "a_long_task_with_codex_needs_no_terminal";
    let Some(real) = RealCodex::open_in(Setup::default().pictured(), test, ready()).await else { return };
    fs::write(real.project.path().join("notes.txt"), NOTES).unwrap();
    let config = json!({ "approval_policy": "untrusted", "sandbox": "danger-full-access" });
    let session = real.start(config).await;
    let calls = Calls {
        shell: |command| Block::tool(&call(), "exec_command", json!({ "cmd": command })),
        ask: || Block::tool(&call(), "request_user_input", json!({ "questions": store() })),
        compacted: "typed",
    };
    let project = real.project.path();
    Task { app: &real.app, mock: &real.mock, project, session: &session, name: "codex" }.run(calls).await;
}

#[tokio::test]
async fn a_long_task_with_opencode_needs_no_terminal() {
    let test = "a_long_task_with_opencode_needs_no_terminal";
    let Some(real) = RealOpenCode::open(test, ready()).await else { return };
    fs::write(real.project.path().join("notes.txt"), NOTES).unwrap();
    let session = real.start_asking().await;
    let calls = Calls {
        shell: |command| Block::tool(&call(), "bash", json!({ "command": command, "description": "Works" })),
        ask: || Block::tool(&call(), "question", json!({ "questions": store() })),
        compacted: "typed",
    };
    let project = real.project.path();
    Task { app: &real.app, mock: &real.mock, project, session: &session, name: "opencode" }.run(calls).await;
}

/// The id of a call, which no other one has.
fn call() -> String {
    format!("call_{}", uuid::Uuid::new_v4().simple())
}
