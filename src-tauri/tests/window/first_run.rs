//! The first screen with an empty home folder: no agent, a found agent, and the way to the first answer.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use serde_json::json;
use tempfile::TempDir;

use crate::desktop::{WINDOW, activate};
use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};
use crate::real_claude::sealed;

/// A search path with the system's programs only.
const SYSTEM: &str = "/usr/bin:/bin";

pub fn path_with(programs: &Path) -> String {
    format!("{}:{SYSTEM}", programs.display())
}

#[tokio::test]
async fn case_86_without_an_agent_the_first_screen_offers_the_demo_and_a_command_to_copy_for_each_agent() {
    let app = Setup::default().pictured().env("PATH", SYSTEM).open().await;
    app.find(".install").await;
    let known = app.invoke("list_agents", json!({})).await.unwrap()["agents"].as_array().unwrap().clone();
    let missing: Vec<_> =
        known.iter().filter(|found| found["problem"]["failure"] == "agent_missing").collect();
    assert!(!missing.is_empty(), "{known:?}");
    for found in missing {
        let row = format!(".install [data-problem='{}']", found["agent"].as_str().unwrap());
        app.shows_text(&row, found["problem"]["install"].as_str().unwrap()).await;
        let copy = app.find(&format!("{row} button")).await;
        app.press(&copy).await;
        let said = format!("return document.querySelector(\"{row} [role=status]\").textContent");
        app.wait("the copy", async || (app.script(&said, vec![]).await == "Copied").then_some(())).await;
    }
    let searched = "return [...document.querySelectorAll('.install .searched li')].map(place => place.checkVisibility())";
    let searched: Vec<bool> = serde_json::from_value(app.script(searched, vec![]).await).unwrap();
    assert!(!searched.is_empty() && !searched.contains(&true), "the searched places are folded");
    assert_eq!(filled_buttons(&app).await, ["Try the demo"]);
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert_eq!(app.cut("main").await, Vec::<String>::new());
    app.picture("first-run").await;
    activate(WINDOW);
    app.click("button", "Try the demo").await;
    app.find(OPEN_CARD).await;
    let log = app.invoke("read_notification_log", json!({})).await.unwrap();
    assert_eq!(log["entries"][0]["decision"], json!({ "decision": "nothing", "why": "in_view" }), "{log}");
}

#[tokio::test]
async fn case_86_a_found_agent_leads_the_first_screen() {
    let programs = TempDir::new().unwrap();
    let program = programs.path().join("claude");
    fs::write(&program, "#!/bin/sh\necho '2.1.0 (Claude Code)'\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let app = Setup::default().pictured().env("PATH", path_with(programs.path())).open().await;
    app.shows_text("form.start [data-agent=claude_code]", "2.1.0").await;
    let first = "const card = document.querySelector('form.start [data-agent]');
        return [card.dataset.agent, card.querySelector('input').checked];";
    assert_eq!(app.script(first, vec![]).await, json!(["claude_code", true]));
    assert!(!app.shows(".install").await);
    assert_eq!(filled_buttons(&app).await, ["Start session"]);
    app.by_role("button", "Try the demo").await;
    app.script("document.querySelector('form.start details.more').open = true", vec![]).await;
    app.by_role("textbox", "Name (optional)").await;
    assert_eq!(app.script(CLIPPED_PLACEHOLDERS, vec![]).await, json!([]));
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert_eq!(app.cut("main").await, Vec::<String>::new());
    app.picture("first-agent").await;
}

/// The placeholders that are wider than their field.
const CLIPPED_PLACEHOLDERS: &str = "const text = document.createElement('canvas').getContext('2d');
    return [...document.querySelectorAll('main input[placeholder]')].filter(field => field.checkVisibility() && field.value === '')
        .filter(field => {
            const { font, paddingLeft, paddingRight } = getComputedStyle(field);
            text.font = font;
            const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
            return text.measureText(field.placeholder).width > room + 1;
        })
        .map(field => field.placeholder);";

/// Returns the names of the filled buttons that are shown, without their keys.
async fn filled_buttons(app: &App) -> Vec<String> {
    let script = "return [...document.querySelectorAll('main .button.primary')].filter(button => button.checkVisibility())
        .map(button => [...button.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
            .map(node => node.textContent).join('').trim())";
    serde_json::from_value(app.script(script, vec![]).await).unwrap()
}

/// Counts clicks and pressed keys. A combination counts once, and characters typed into a field don't count.
const COUNT_ACTS: &str = "window.acts = 0;
    const count = event => { if (event.isTrusted) window.acts += 1; };
    addEventListener('pointerdown', count, true);
    addEventListener('keydown', event => {
        const typed = event.key.length === 1 && !event.ctrlKey && event.target.matches('input:not([type=radio]), textarea');
        if (!typed && !['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) count(event);
    }, true);";

#[tokio::test]
async fn the_first_answer_to_a_real_agent_takes_at_most_four_clicks_or_keys_besides_typing() {
    let test = "the_first_answer_to_a_real_agent_takes_at_most_four_clicks_or_keys_besides_typing";
    let Some(program) = clis::claude_or_skip(test) else { return };
    let questions = json!([{ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }]);
    let script = Script(vec![Reply::question("toolu_q", &questions), Reply::text("PostgreSQL it is.")]);
    let mock = MockApi::start(script).await.unwrap();
    let (home, programs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    symlink(program, programs.path().join("claude")).unwrap();
    let app =
        sealed(Setup::default(), home.path(), &mock).env("PATH", path_with(programs.path())).open().await;
    app.script(COUNT_ACTS, vec![]).await;

    app.find("form.start [data-agent=claude_code] .state .icon-check").await;
    let ready = "return document.activeElement?.matches('form.start textarea') ?? false";
    app.wait("the first message's focus", async || app.script(ready, vec![]).await.as_bool()?.then_some(()))
        .await;
    app.write("First message", "Keep my notes somewhere.").await;
    app.key("Ctrl+Enter").await;
    app.find(OPEN_CARD).await;
    app.choose_second_by_keys().await;

    app.shows_text("main", "PostgreSQL it is.").await;
    app.find(DELIVERED).await;
    let results = mock.tool_results();
    assert_eq!(results.len(), 1, "{results:?}");
    assert!(results[0].to_string().contains(r#"\"Which store?\"=\"PostgreSQL\""#), "{results:?}");
    let acts = app.script("return window.acts", vec![]).await.as_u64().unwrap();
    assert!((1..=4).contains(&acts), "{acts} clicks and keys");
}
