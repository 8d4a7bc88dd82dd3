//! Forks of sessions with the real agents: of the whole conversation, and of its part before a message.

use askdesk_testkit::mock_api::{MockApi, Reply};
use serde_json::json;

use crate::completion::{composed, first_row, press, type_keys};
use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::App;
use crate::real_claude::RealClaude;
use crate::real_codex::RealCodex;
use crate::real_opencode::RealOpenCode;

fn script() -> Vec<Reply> {
    ["Ready.", "The red one is open.", "The blue one is open.", "Both are open.", "Closed."]
        .map(Reply::text)
        .into()
}

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

fn heard(mock: &MockApi) -> String {
    mock.conversation().last().unwrap().to_string()
}

/// Goes back to before the second message in a fork, then goes on in both sessions, and forks the first one as a whole.
async fn forks(app: &App, mock: &MockApi, source: &str) {
    app.shows_text("main", "Ready.").await;
    app.in_state(source, "idle").await;
    send(app, SECOND, "The red one is open.").await;
    app.in_state(source, "idle").await;

    let number = "return [...document.querySelectorAll('main [data-kind=user]')]
        .find((entry) => entry.textContent.includes(arguments[0])).dataset.entry";
    let number = app.script(number, vec![json!(SECOND)]).await.as_str().unwrap().to_owned();
    let message = format!("main [data-entry='{number}']");
    assert!(app.point_at(&app.find(&format!("{message} .said")).await).await);
    app.picture("fork-button").await;
    app.press(&app.by_role_in(&message, "button", "Fork before this message").await).await;
    app.find("dialog[data-fork]").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("fork-dialog").await;
    app.press(&app.by_role_in("dialog[data-fork]", "button", "Fork").await).await;

    app.shows_text("main [data-notice=forked]", "This session is a fork.").await;
    composed(app, SECOND).await;
    let fork = current(app).await;
    assert_ne!(fork, source);
    app.picture("fork-session").await;
    activate(WINDOW);
    press("ctrl+a");
    xdotool(&["type", "--delay", "15", "Open the blue door"]);
    composed(app, "Open the blue door").await;
    press("Return");
    app.shows_text("main", "The blue one is open.").await;
    app.in_state(&fork, "idle").await;
    let words = heard(mock);
    assert!(words.contains("Please go on.") && words.contains("Ready."), "{words}");
    assert!(
        words.contains("blue door") && !words.contains("red door") && !words.contains("The red one"),
        "{words}"
    );

    app.select(source).await;
    app.shows_text("main", "The red one is open.").await;
    send(app, "And the blue one", "Both are open.").await;
    app.in_state(source, "idle").await;
    let words = heard(mock);
    assert!(words.contains("red door") && !words.contains("blue door"), "{words}");

    type_keys(app, "/fork").await;
    first_row(app, "Fork").await;
    press("Return");
    app.shows_text("main [data-notice=forked]", "This session is a fork.").await;
    let whole = current(app).await;
    assert!(whole != source && whole != fork);
    send(app, "Close them", "Closed.").await;
    app.in_state(&whole, "idle").await;
    let words = heard(mock);
    assert!(words.contains("red door") && words.contains("Both are open."), "{words}");
}

#[tokio::test]
async fn a_session_of_claude_code_is_forked_before_a_message_and_as_a_whole() {
    let test = "a_session_of_claude_code_is_forked_before_a_message_and_as_a_whole";
    let Some(real) = RealClaude::start(test, json!({}), script()).await else { return };
    forks(&real.app, &real.mock, &real.session).await;
}

#[tokio::test]
async fn a_session_of_codex_is_forked_before_a_message_and_as_a_whole() {
    let test = "a_session_of_codex_is_forked_before_a_message_and_as_a_whole";
    let Some(real) = RealCodex::open(test, script()).await else { return };
    let session = real.start(json!({})).await;
    forks(&real.app, &real.mock, &session).await;
}

#[tokio::test]
async fn a_session_of_opencode_is_forked_before_a_message_and_as_a_whole() {
    let test = "a_session_of_opencode_is_forked_before_a_message_and_as_a_whole";
    let Some(real) = RealOpenCode::open(test, script()).await else { return };
    let session = real.start_asking().await;
    forks(&real.app, &real.mock, &session).await;
}
