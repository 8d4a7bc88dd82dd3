//! The page is loaded again, and commands cross with what happens meanwhile: one outcome each time, and it is shown.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::examples::asked;
use crate::harness::{Desk, Setup};

const CARD: &str = "aside [data-request]";

/// Holds one command on its way to the app, or its reply on its way back, until it is let go.
async fn hold(desk: &Desk, command: &str, on_its_way: &str) {
    let script = "const [command, way] = arguments;
        const inner = window.fetch;
        const free = new Promise(resolve => (window.__letGo = resolve));
        window.__held = 0;
        window.fetch = async (url, init) => {
            if (!String(url).includes(command)) return inner(url, init);
            window.__held += 1;
            if (way === 'there') await free;
            const reply = await inner(url, init);
            if (way === 'back') await free;
            return reply;
        };";
    desk.script(script, vec![json!(command), json!(on_its_way)]).await;
}

async fn held(desk: &Desk, count: usize) {
    let what = format!("{count} commands on their way");
    desk.wait(&what, async || {
        (desk.script("return window.__held", vec![]).await == json!(count)).then_some(())
    })
    .await;
}

/// How many answers each of the agents' questions was given.
fn answers_of_each(desk: &Desk) -> Vec<(String, usize)> {
    let received = desk.received();
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

/// What the transcript on the screen says of each request: its id, state and delivery. Only what is in view is drawn,
/// so it is read from its beginning to its end.
async fn on_screen(desk: &Desk) -> BTreeSet<(String, String, String)> {
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
    let lines = desk.client.execute_async(script, vec![]).await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    lines.as_array().unwrap().iter().map(|line| (text(&line[0]), text(&line[1]), text(&line[2]))).collect()
}

/// The same as the desk has it.
async fn in_store(desk: &Desk, session: &str) -> BTreeSet<(String, String, String)> {
    let page = desk.invoke("read_transcript", json!({ "session": session, "limit": 500 })).await.unwrap();
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

/// Answers whatever stands in the panel, like a person who is in a hurry, until the page goes.
const ANSWER_EVERYTHING: &str = "setInterval(() => {
    const card = document.querySelector('aside [data-request][data-state=open]');
    const radio = card?.querySelector('input[type=radio]:not(:checked)');
    if (radio) radio.click();
    card?.querySelector('[data-submit]:not(:disabled)')?.click();
}, 15);";

#[tokio::test]
async fn case_49_the_page_is_loaded_again_and_again_while_questions_come_and_are_answered() {
    const QUESTIONS: usize = 14;
    let desk = Setup::default()
        .env("ASKDESK_FAKE_COUNT", QUESTIONS.to_string())
        .env("ASKDESK_FAKE_PACE", "30")
        .open()
        .await;
    let other = desk.start_demo("technology", "Waits").await;
    let session = desk.start_demo("loop-ask", "Asks").await;
    desk.select(&session).await;
    let mut loads = 0;
    while answers_of_each(&desk).len() < QUESTIONS {
        desk.script(ANSWER_EVERYTHING, vec![]).await;
        // At another moment of asking, answering and delivering each time.
        tokio::time::sleep(Duration::from_millis(40 + 37 * (loads % 7))).await;
        desk.client.refresh().await.unwrap();
        desk.find(&format!("nav [data-session='{session}']")).await;
        loads += 1;
        assert!(loads < 400, "{:?}", answers_of_each(&desk));
    }
    desk.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    println!("{loads} loads over {QUESTIONS} questions");
    assert!(loads > 5, "{loads}");
    desk.select(&session).await;
    desk.shows_text("main", "That was the last question.").await;
    let store = in_store(&desk, &session).await;
    assert_eq!(store.len(), QUESTIONS);
    assert!(
        store
            .iter()
            .all(|(_, state, delivery)| (state.as_str(), delivery.as_str()) == ("answered", "delivered"))
    );
    desk.wait("the screen to be as the store", async || (on_screen(&desk).await == store).then_some(()))
        .await;
    assert!(!desk.shows(CARD).await);
    let each = answers_of_each(&desk);
    assert!(each.len() == QUESTIONS && each.iter().all(|(_, times)| *times == 1), "{each:?}");
    // The question of the other session has waited through all of it.
    desk.select(&other).await;
    let waiting = in_store(&desk, &other).await;
    assert_eq!(waiting.iter().map(|(_, state, _)| state.as_str()).collect::<Vec<_>>(), ["open"]);
    desk.find(&format!("{CARD}[data-state=open]")).await;
    assert_eq!(on_screen(&desk).await, waiting);
    desk.close().await;
}

#[tokio::test]
async fn a_page_loaded_again_while_an_answer_is_being_sent_shows_the_one_outcome() {
    let desk = asked("technology").await;
    // The answer has reached the desk, and the page has not heard of it.
    hold(&desk, "answer_question", "back").await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    held(&desk, 1).await;
    assert_eq!(desk.wait_for_responses(1).await.len(), 1);
    desk.client.refresh().await.unwrap();
    desk.find("nav [data-session]").await.click().await.unwrap();
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert!(!desk.shows(CARD).await);
    assert_eq!(desk.invoke("read_drafts", json!({})).await.unwrap(), json!({ "drafts": [] }));
    desk.close().await;

    // The page goes before the answer has left it: the question is open, and the choice is kept.
    let desk = asked("technology").await;
    hold(&desk, "answer_question", "there").await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    held(&desk, 1).await;
    desk.client.refresh().await.unwrap();
    desk.find("nav [data-session]").await.click().await.unwrap();
    let chosen = desk.by_role("radio", "PostgreSQL").await;
    desk.wait("the choice", async || chosen.is_selected().await.ok()?.then_some(())).await;
    assert!(desk.responses().is_empty());
    desk.click("button", "Submit").await;
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(desk.responses().len(), 1);
    desk.close().await;
}

#[tokio::test]
async fn submitting_twice_sends_once() {
    let desk = asked("technology").await;
    hold(&desk, "answer_question", "there").await;
    desk.click("radio", "PostgreSQL").await;
    let submit = desk.by_role("button", "Submit").await;
    let twice = "const [button] = arguments; button.click(); button.click();
        button.closest('aside').querySelector('input[type=radio]:checked').dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));";
    desk.script(twice, vec![serde_json::to_value(&submit).unwrap()]).await;
    held(&desk, 1).await;
    desk.by_role("button", "Sending…").await;
    assert_eq!(desk.script("return window.__held", vec![]).await, json!(1));
    desk.script("window.__letGo()", vec![]).await;
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(desk.responses().len(), 1);
    desk.close().await;
}

#[tokio::test]
async fn an_answer_that_crosses_with_the_agent_taking_the_question_back_is_refused_and_its_words_stay() {
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "300").open().await;
    let session = desk.start_demo("withdrawn", "Notes").await;
    desk.select(&session).await;
    desk.find(&format!("{CARD}[data-state=open]")).await;
    hold(&desk, "answer_question", "there").await;
    desk.by_role("textbox", "Your own words").await.send_keys("my own way\u{e007}").await.unwrap();
    held(&desk, 1).await;
    desk.find("main [data-request][data-state=withdrawn]").await;
    desk.script("window.__letGo()", vec![]).await;
    desk.shows_text("aside [role=alert]", "This question is already answered or closed").await;
    desk.shows_text("main", "The agent withdrew it").await;
    desk.shows_text("main", "What you had written").await;
    desk.shows_text("main", "my own way").await;
    desk.click("button", "Dismiss").await;
    desk.gone(CARD).await;
    assert!(desk.responses().is_empty(), "nothing is sent to a call that is gone");
    // That it was not taken stands where it can be seen, also after a reload.
    desk.client.refresh().await.unwrap();
    desk.select(&session).await;
    desk.shows_text("main", "The agent withdrew it").await;
    desk.shows_text("main", "my own way").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.close().await;
}
