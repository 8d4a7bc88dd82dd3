//! What works in the background of the real `claude`: listed, looked at, and stopped, while its agent goes on.

use std::path::Path;

use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::{Value, json};

use crate::real_claude::RealClaude;

const LISTED: &str = "[data-helpers] li";
const ASKED: &str = "aside [data-approval]";
const OUTPUT: &str = "[data-helpers] [data-output]";

/// A command that prints a line a second, as long as it runs.
fn counting(folder: &Path, title: &str) -> Value {
    let alive = folder.join("alive");
    let command = format!("while :; do echo line >> {0}; wc -l < {0}; sleep 1; done", alive.display());
    json!({"command": command, "description": title, "run_in_background": true})
}

/// The largest number that the shown output has.
async fn counted(real: &RealClaude) -> Option<u64> {
    let text = "return document.querySelector(arguments[0])?.textContent ?? \"\"";
    let shown = real.app.script(text, vec![json!(OUTPUT)]).await;
    shown.as_str()?.split_whitespace().filter_map(|word| word.parse().ok()).max()
}

#[tokio::test]
async fn case_125_work_in_the_background_is_listed_with_its_output_and_stopped_alone() {
    let test = "case_125_work_in_the_background_is_listed_with_its_output_and_stopped_alone";
    let folder = tempfile::tempdir().unwrap();
    let begin = json!({"description": "Look around", "prompt": "Look around slowly.",
        "subagent_type": "general-purpose", "run_in_background": true});
    let script = vec![
        Reply::new([
            Block::tool("toolu_shell", "Bash", counting(folder.path(), "Counts lines")),
            Block::tool("toolu_agent", "Agent", begin),
        ]),
        Reply::text("Started both."),
        Reply::text("Still at your service."),
        Reply::text("One was stopped."),
    ];
    let Some(real) = RealClaude::start(test, json!({}), script).await else { return };
    let app = &real.app;
    let waits =
        json!({"command": "touch began; while [ ! -e go ]; do sleep 0.2; done", "description": "Waits"});
    let says = [Block::text("I will wait for a sign."), Block::tool("toolu_wait", "Bash", waits)];
    real.mock.push_for_subagents(Reply::new(says));
    app.shows_text(ASKED, "Counts lines").await;
    app.click("button", "Allow once").await;
    app.shows_text("main", "Started both.").await;
    app.shows_text(ASKED, "Asked by Look around").await;
    app.picture("background-asks").await;
    app.click("button", "Allow once").await;
    real.until_idle().await;
    let both = async || (app.count(LISTED).await == 2).then_some(());
    app.wait("both tasks in the list", both).await;
    app.shows_text("[data-helpers]", "Counts lines").await;
    assert_eq!(app.count("[data-helpers] li[data-state=working]").await, 2);

    app.click("button", "Output of Counts lines").await;
    let first = app.wait("the output of the shell", async || counted(&real).await).await;
    real.send("Are you there?").await;
    app.shows_text("main", "Still at your service.").await;
    app.wait("more output", async || counted(&real).await.filter(|count| *count > first + 1)).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("background-output").await;

    app.click("button", "Output of Look around").await;
    app.shows_text(OUTPUT, "I will wait for a sign.").await;
    app.shows_text(OUTPUT, "Bash: touch began").await;
    app.picture("background-subagent").await;

    app.shows_text("main", "Subagent “Look around”: 1 step").await;
    app.click("button", "Stop Look around").await;
    app.wait("one task in the list", async || (app.count(LISTED).await == 1).then_some(())).await;
    app.shows_text("main", "Subagent stopped by you: Look around").await;
    app.click("button", "Output of Counts lines").await;
    let now = app.wait("the output of the shell", async || counted(&real).await).await;
    app.wait("the shell works on", async || counted(&real).await.filter(|count| *count > now)).await;
}
