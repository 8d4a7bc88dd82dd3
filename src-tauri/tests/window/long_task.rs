//! A long task with each real agent, as a user goes through it in the window, without a terminal: files named by `@`, a change
//! allowed and read, a question, messages queued, steered, and stopped, the context made smaller, a comment on a change, and
//! a new name.

use std::fs;

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::Reply;
use rstest::rstest;
use serde_json::json;

use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::{DELIVERED, OPEN_CARD, Setup};
use crate::keys::run_from_palette;
use crate::real_agent::{Real, ask, asking, shell};
use crate::typing::{composed, first_row, press, type_keys};

/// The steps with one agent.
struct Task(Real);

impl Task {
    async fn picture(&self, step: &str) {
        self.0.app.picture(&format!("task-{}-{step}", self.0.cli.id())).await;
    }

    async fn file(&self, name: &str) {
        let path = self.0.project.path().join(name);
        self.0.app.wait(name, async || path.exists().then_some(())).await;
    }

    /// Allows a command once it can be read.
    async fn allow(&self, command: &str) {
        let app = &self.0.app;
        app.shows_text("aside [data-approval]", command).await;
        app.armed().await;
        app.click("button", "Allow once").await;
        app.gone("aside [data-approval][data-state=open]").await;
    }

    /// Whether a tool call in the transcript has this output.
    async fn has_run(&self, output: &str) -> bool {
        let read = json!({ "session": self.0.session, "limit": 20 });
        let page = self.0.app.invoke("read_transcript", read).await.unwrap();
        page["entries"].as_array().unwrap().iter().any(|entry| {
            entry["body"]["kind"] == "tool" && entry["body"]["output"].to_string().contains(output)
        })
    }

    async fn run(&self) {
        let Real { cli, app, mock, project, .. } = &self.0;
        let (shell, project) = (|command: &str| Reply::new([shell(*cli, command)]), project.path());
        app.shows_text("main", "Ready.").await;
        self.0.until_idle().await;

        // A file is named, and a change is allowed.
        let change = "sed -i s/two/2/ notes.txt; echo new > added.txt";
        mock.push(shell(change));
        mock.push(Reply::text("Changed the second line."));
        type_keys(app, "change the second line of @not").await;
        first_row(app, "notes.txt").await;
        press("Tab");
        composed(app, "change the second line of @notes.txt ").await;
        press("Return");
        app.shows_text("aside", "sed -i s/two/2/ notes.txt").await;
        self.picture("permission").await;
        self.allow("sed -i s/two/2/ notes.txt").await;
        app.shows_text("main", "Changed the second line.").await;
        assert_eq!(fs::read_to_string(project.join("notes.txt")).unwrap(), "one\n2\nthree\n");
        self.0.until_idle().await;

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
        app.wait("the comment at the agent", async || {
            self.0.heard().contains("Write the word.").then_some(())
        })
        .await;
        app.key("Esc").await;
        app.shows_text("main", "Thank you for the comment.").await;
        self.0.until_idle().await;

        // A question is answered by keys.
        mock.push(Reply::new([ask(*cli)]));
        mock.push(Reply::text("SQLite it is."));
        type_keys(app, "choose a store").await;
        press("Return");
        app.find(OPEN_CARD).await;
        app.shows_text("aside", "Which store?").await;
        app.armed().await;
        self.picture("question").await;
        app.key("Ctrl+j").await;
        app.key("1").await;
        app.key("Enter").await;
        app.shows_text("main", "SQLite it is.").await;
        app.find(DELIVERED).await;
        self.0.until_idle().await;

        // While a command runs, one message steers and another one waits and is changed; then the turn is stopped.
        mock.push(shell("touch began; while [ ! -e go ]; do sleep 0.1; done"));
        mock.push(Reply::text("The blue one, then."));
        type_keys(app, "run the long command").await;
        press("Return");
        self.allow("touch began").await;
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
        mock.push(shell("touch second; sleep 600"));
        fs::write(project.join("go"), "").unwrap();
        app.shows_text("main", "The blue one, then.").await;
        self.allow("touch second").await;
        self.file("second").await;
        let heard = self.0.heard();
        assert!(heard.contains("take the blue one") && heard.contains("then the green one"), "{heard}");
        app.click("button", "Stop").await;
        self.0.until_idle().await;
        self.picture("stopped").await;

        // The context is made smaller by the agent's own command.
        mock.push(Reply::text("<summary>Notes were changed, SQLite was chosen.</summary>"));
        mock.push(Reply::text("Still with you."));
        type_keys(app, "/compact").await;
        first_row(app, "compact").await;
        press("Return");
        app.find("main [data-notice=compacted]").await;
        self.0.until_idle().await;
        self.picture("compacted").await;

        // A command of the user's own, which Claude Code has no way to run.
        if *cli != Cli::ClaudeCode {
            type_keys(app, "!printf %s shell-says-hi").await;
            app.find("[data-shell]").await;
            press("Return");
            app.wait("the output of the command", async || self.has_run("shell-says-hi").await.then_some(()))
                .await;
            self.0.until_idle().await;
        }

        // It gets another name, and is found by it.
        run_from_palette(app, "Rename").await;
        app.find("[data-rename]").await;
        activate(WINDOW);
        press("ctrl+a");
        xdotool(&["type", "--delay", "15", "Doors and notes"]);
        press("Return");
        app.shows_text("nav", "Doors and notes").await;
        self.picture("renamed").await;
        assert_eq!(app.axe().await, Vec::<String>::new());
    }
}

#[rstest]
#[case::claude_code(Cli::ClaudeCode)]
#[case::codex(Cli::Codex)]
#[case::opencode(Cli::OpenCode)]
#[tokio::test]
async fn a_long_task_needs_no_terminal(#[case] cli: Cli) {
    let test = "a_long_task_needs_no_terminal";
    let ready = vec![Reply::text("Ready.")];
    let Some(real) = Real::start(cli, Setup::default().pictured(), test, asking(cli), ready).await else {
        return;
    };
    Task(real).run().await;
}
