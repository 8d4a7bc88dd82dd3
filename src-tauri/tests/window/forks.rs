//! Forks of sessions with the real agents: of the whole conversation, and of its part before a message.

use std::fs;

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::Reply;
use rstest::rstest;
use serde_json::json;

use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::{App, Setup};
use crate::real_agent::{Real, asking, shell};
use crate::typing::{composed, first_row, press, type_keys};

const DOORS: &str = "doors.txt";
/// No tool for edits has a part in it.
const CHANGE: &str = "echo red: open > doors.txt; echo new > new.txt";
const AT_FIRST: &str = "red: closed\n";

const SECOND: &str = "Open the red door";

/// Sends what is typed, and waits for the reply.
async fn send(app: &App, text: &str, reply: &str) {
    type_keys(app, text).await;
    press("Return");
    app.shows_text("main", reply).await;
}

async fn current(app: &App) -> String {
    let selected =
        "return document.querySelector('nav [data-session][aria-current]')?.dataset.session ?? null";
    app.wait("a session in view", async || app.script(selected, Vec::new()).await.as_str().map(str::to_owned))
        .await
}

/// Goes back to before the second message in a fork, then goes on in both sessions, and forks the first one as a whole.
async fn forks(real: &Real) {
    let Real { cli, app, mock, session: source, project, .. } = real;
    let project = project.path();
    app.shows_text("main", "Ready.").await;
    app.in_state(source, "idle").await;
    let doors = project.join(DOORS);
    // The user's own change, which comes before the message.
    fs::write(&doors, AT_FIRST).unwrap();
    mock.push(Reply::new([shell(*cli, CHANGE)]));
    for text in ["The red one is open.", "The blue one is open.", "Both are open.", "Closed."] {
        mock.push(Reply::text(text));
    }
    type_keys(app, SECOND).await;
    press("Return");
    app.click("button", "Allow once").await;
    app.shows_text("main", "The red one is open.").await;
    app.in_state(source, "idle").await;

    let number = "return [...document.querySelectorAll('main [data-kind=user]')]
        .find((entry) => entry.textContent.includes(arguments[0]))?.dataset.entry";
    let find = async || Some(app.script(number, vec![json!(SECOND)]).await.as_str()?.to_owned());
    let number = app.wait("the second message", find).await;
    let message = format!("main [data-entry='{number}']");
    // The end of the turn may still move the message away from under the pointer.
    app.wait("the pointer over the message", async || {
        app.point_at(&app.find(&format!("{message} .said")).await).await.then_some(())
    })
    .await;
    app.picture("fork-button").await;
    app.press(&app.by_role_in(&message, "button", "Fork before this message").await).await;
    app.find("dialog[data-fork]").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.shows_text("dialog[data-fork] [data-files-since]", "2 files have changed since then").await;
    app.picture("fork-dialog").await;
    app.press(&app.by_role_in("dialog[data-fork]", "checkbox", "Put them back").await).await;
    app.shows_text("dialog[data-fork] [data-files-since]", "each file can be undone there").await;
    let opened = fs::read_to_string(&doors).unwrap();
    assert!(opened != AT_FIRST && project.join("new.txt").exists(), "{opened:?}");
    app.press(&app.by_role_in("dialog[data-fork]", "button", "Fork").await).await;

    app.shows_text("main [data-notice=forked]", "This session is a fork.").await;
    composed(app, SECOND).await;
    app.shows_text("main [data-notice=files_put_back]", "2 files were put back").await;
    assert_eq!(fs::read_to_string(&doors).unwrap(), AT_FIRST);
    assert!(!project.join("new.txt").exists());
    let fork = current(app).await;
    assert_ne!(fork, *source);
    app.picture("fork-session").await;
    activate(WINDOW);
    press("ctrl+a");
    xdotool(&["type", "--delay", "15", "Open the blue door"]);
    composed(app, "Open the blue door").await;
    press("Return");
    app.shows_text("main", "The blue one is open.").await;
    app.in_state(&fork, "idle").await;
    let words = real.heard();
    assert!(words.contains("Please go on.") && words.contains("Ready."), "{words}");
    assert!(
        words.contains("blue door") && !words.contains("red door") && !words.contains("The red one"),
        "{words}"
    );

    app.select(source).await;
    app.shows_text("main", "The red one is open.").await;
    send(app, "And the blue one", "Both are open.").await;
    app.in_state(source, "idle").await;
    let words = real.heard();
    assert!(words.contains("red door") && !words.contains("blue door"), "{words}");

    type_keys(app, "/fork").await;
    first_row(app, "Fork").await;
    press("Return");
    app.shows_text("main [data-notice=forked]", "This session is a fork.").await;
    let whole = current(app).await;
    assert!(whole != *source && whole != fork);
    send(app, "Close them", "Closed.").await;
    app.in_state(&whole, "idle").await;
    let words = real.heard();
    assert!(words.contains("red door") && words.contains("Both are open."), "{words}");
}

#[rstest]
#[case::claude_code(Cli::ClaudeCode)]
#[case::codex(Cli::Codex)]
#[case::opencode(Cli::OpenCode)]
#[tokio::test]
async fn a_session_is_forked_before_a_message_and_as_a_whole(#[case] cli: Cli) {
    let test = "a_session_is_forked_before_a_message_and_as_a_whole";
    let ready = vec![Reply::text("Ready.")];
    let Some(real) = Real::start(cli, Setup::default().pictured(), test, asking(cli), ready).await else {
        return;
    };
    forks(&real).await;
}
