//! Reloads and crashes of the page: each question has one outcome, and the page shows it.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::accessibility_tree::Bus;
use crate::desktop::{WINDOW, activate, descendants_named, xdotool};
use crate::gateway::{ask, ended};
use crate::harness::{App, OPEN_CARD, Setup, wait_until};
use crate::shutdown::is_on_disk;

const CARD: &str = "aside [data-request]";

/// Counts the answers that each of the agents' questions has received.
fn answers_of_each(app: &App) -> Vec<(String, usize)> {
    let received = app.received();
    let ids: Vec<String> = received
        .iter()
        .filter(|line| {
            line["type"] == "control_response" && line["response"]["response"]["behavior"].is_string()
        })
        .map(|line| line["response"]["request_id"].as_str().unwrap().to_owned())
        .collect();
    let each: BTreeSet<&String> = ids.iter().collect();
    each.into_iter().map(|id| (id.clone(), ids.iter().filter(|other| *other == id).count())).collect()
}

/// Reads the id, state and delivery of each request in the transcript. Only what is in view is drawn, so this scrolls through
/// all of it.
async fn on_screen(app: &App) -> BTreeSet<(String, String, String)> {
    let script = "const done = arguments[0];
        const transcript = document.querySelector('main [data-transcript]');
        const seen = new Map();
        const note = () => document.querySelectorAll('main [data-request]').forEach(line =>
            seen.set(line.dataset.request, [line.dataset.request, line.dataset.state, line.dataset.delivery ?? '']));
        const look = top => {
            transcript.scrollTop = top;
            setTimeout(() => {
                note();
                if (top < transcript.scrollHeight) look(top + transcript.clientHeight / 2);
                else done([...seen.values()]);
            }, 50);
        };
        look(0);";
    let lines = app.client.execute_async(script, vec![]).await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    lines.as_array().unwrap().iter().map(|line| (text(&line[0]), text(&line[1]), text(&line[2]))).collect()
}

/// Reads the same from the app.
async fn in_store(app: &App, session: &str) -> BTreeSet<(String, String, String)> {
    let page = app.invoke("read_transcript", json!({ "session": session, "limit": 500 })).await.unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let state = |request: &Value| match request["state"]["state"].as_str().unwrap() {
        "open" => "open".to_owned(),
        _ => text(&request["state"]["outcome"]["outcome"]),
    };
    let requests = page["requests"].as_array().unwrap().iter();
    requests
        .map(|request| {
            (text(&request["id"]), state(request), text(&request["state"]["delivery"]["delivery"]))
        })
        .collect()
}

/// Answers every question in the panel as fast as possible, until the page is reloaded.
const ANSWER_EVERYTHING: &str = "setInterval(() => {
    const card = document.querySelector('aside [data-request][data-state=open]');
    const radio = card?.querySelector('input[type=radio]:not(:checked)');
    if (radio) radio.click();
    card?.querySelector('[data-submit]:not(:disabled)')?.click();
}, 15);";

#[tokio::test]
async fn case_49_reloads_while_questions_are_asked_and_answered_lose_and_repeat_nothing() {
    const QUESTIONS: usize = 14;
    let app = Setup::default()
        .env("ASKDESK_FAKE_COUNT", QUESTIONS.to_string())
        .env("ASKDESK_FAKE_PACE", "30")
        .open()
        .await;
    let other = app.start_demo("technology", "Waits").await;
    let session = app.show_demo("loop-ask", "Asks").await;
    let mut loads = 0;
    while answers_of_each(&app).len() < QUESTIONS {
        app.script(ANSWER_EVERYTHING, vec![]).await;
        // Each time at another moment of asking, answering and delivering, around the end of the arming delay.
        tokio::time::sleep(Duration::from_millis(480 + 67 * (loads % 7))).await;
        app.client.refresh().await.unwrap();
        app.find(&format!("nav [data-session='{session}']")).await;
        loads += 1;
        assert!(loads < 400, "{:?}", answers_of_each(&app));
    }
    app.in_state(&session, "idle").await;
    println!("{loads} loads over {QUESTIONS} questions");
    assert!(loads > 5, "{loads}");
    app.select(&session).await;
    app.shows_text("main", "That was the last question.").await;
    let store = in_store(&app, &session).await;
    assert_eq!(store.len(), QUESTIONS);
    assert!(
        store
            .iter()
            .all(|(_, state, delivery)| (state.as_str(), delivery.as_str()) == ("answered", "delivered"))
    );
    app.wait("the screen to be as the store", async || (on_screen(&app).await == store).then_some(())).await;
    assert!(!app.shows(CARD).await);
    let each = answers_of_each(&app);
    assert!(each.len() == QUESTIONS && each.iter().all(|(_, times)| *times == 1), "{each:?}");
    // The question of the other session is still open.
    app.select(&other).await;
    let waiting = in_store(&app, &other).await;
    assert_eq!(waiting.iter().map(|(_, state, _)| state.as_str()).collect::<Vec<_>>(), ["open"]);
    app.find(OPEN_CARD).await;
    assert_eq!(on_screen(&app).await, waiting);
}

/// The driver of the page does not survive its process. So this test reads the screen as a screen reader does, and presses real
/// keys.
#[tokio::test]
async fn case_133_a_page_whose_process_dies_is_back_with_draft_and_place() {
    let bus = Bus::open().await;
    let data = tempfile::tempdir().unwrap();
    let app = Setup::default().data(data.path()).start().await;
    let question = json!({
        "client": {"kind": "mcp", "name": "codex-mcp-client", "folder": "/home/a/shop", "connection": "1"},
        "tool": "ask_user",
        "arguments": {"questions": [{"question": "Which name?", "type": "text"}]},
    });
    let asked = wait_until("the gateway", async || ask(data.path(), &question)).await;
    bus.shows("codex-mcp-client").await;
    activate(WINDOW);
    xdotool(&["key", "ctrl+j"]);
    bus.shows("Which name?").await;
    wait_until("the draft on disk", async || {
        // What is typed in the moment after the card has appeared is dropped.
        xdotool(&["key", "ctrl+a"]);
        xdotool(&["type", "half an answer"]);
        // It is on disk within 300 ms.
        tokio::time::sleep(Duration::from_millis(500)).await;
        is_on_disk(data.path(), "half an answer").then_some(())
    })
    .await;

    kill_page(app.root());
    let killed = Instant::now();
    bus.shows("The page of this window stopped working and was loaded again.").await;
    println!("the page is back after {:?}", killed.elapsed());
    bus.shows("half an answer").await;

    // The second time within a minute, the user has to load it.
    kill_page(app.root());
    bus.shows("stopped working twice within a minute").await;
    activate(WINDOW);
    xdotool(&["key", "Tab", "Return"]);
    bus.shows("half an answer").await;
    let answered = tokio::task::spawn_blocking(move || ended(asked));
    // The keys do nothing for a moment after the card has appeared.
    wait_until("the answer", async || {
        xdotool(&["key", "ctrl+j", "ctrl+Return"]);
        // Without a driver, only another press shows whether the keys count by now.
        tokio::time::sleep(Duration::from_millis(500)).await;
        answered.is_finished().then_some(())
    })
    .await;
    let ended = answered.await.unwrap();
    assert_eq!(ended["result"]["answers"][0]["customInput"], "half an answer", "{ended}");
}

/// Ends the process of the page, as the system does when memory runs out.
fn kill_page(app: u32) {
    // The system keeps 15 characters of the name.
    let pages = descendants_named(app, "WebKitWebProces");
    assert_eq!(pages.len(), 1, "{pages:?}");
    let killed = Command::new("kill").args(["-9", &pages[0]]).status().unwrap();
    assert!(killed.success());
}
