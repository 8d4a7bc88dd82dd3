//! The inbox with many requests.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::App;

const SESSIONS: usize = 50;
/// How many requests each session has open at once.
const EACH: usize = 4;
/// The most cards that are drawn at once, with those just out of view.
const DRAWN: u64 = 16;

/// The turns of an agent that asks several questions at once, each with its own text.
fn many(session: usize) -> Value {
    let ask = |part: usize| {
        json!({ "questions": [{ "question": format!("Session {session}, part {part}?"), "header": format!("Part {part}"),
            "multiSelect": false, "options": [
                { "label": "Yes", "description": "It is done at once, and can be undone later." },
                { "label": "No", "description": "It stays as it is." },
                { "label": "Later", "description": "It comes up again when this session is through." } ] }] })
    };
    let asks: Vec<Value> = (1..=EACH).map(ask).collect();
    json!([[{ "ask_together": asks }]])
}

#[tokio::test]
async fn case_50_the_inbox_holds_two_hundred_requests_of_fifty_sessions_and_each_is_answered_separately() {
    let app = App::open().await;
    for session in 1..=SESSIONS {
        let scenario = app.scenario(&format!("many-{session}"), many(session));
        app.start_demo(&scenario, &format!("Session {session}")).await;
    }
    let all = SESSIONS * EACH;
    app.wait_long("all questions", async || {
        let badge = app.find("[data-inbox]").await.text().await.ok()?;
        badge.contains(&all.to_string()).then_some(())
    })
    .await;
    app.click("button", "Inbox").await;
    app.find("[data-inbox-item]").await;

    let (mut seen, mut drawn) = (BTreeSet::new(), 0);
    loop {
        let scrolled = app.client.execute_async(SCROLL, vec![]).await.unwrap();
        seen.extend(scrolled["seen"].as_array().unwrap().iter().map(text));
        drawn = drawn.max(scrolled["drawn"].as_u64().unwrap());
        if scrolled["end"] == true {
            break;
        }
    }
    assert_eq!(seen.len(), all, "every request was shown");
    assert!(drawn <= DRAWN, "only what is in view is drawn, not {drawn}");
    assert_eq!(app.axe().await, Vec::<String>::new());

    // One at each end and one in the middle.
    for (turn, place) in [0.0, 1.0, 0.5].into_iter().enumerate() {
        let script = "const list = document.querySelector('[data-inbox-view] section');
            list.scrollTop = arguments[0] * list.scrollHeight;";
        app.script(script, vec![json!(place)]).await;
        let (request, question) = settled(&app).await;
        let within = format!("[data-inbox-item='{request}']");
        let choice = app.by_role_in(&within, "radio", "No").await;
        app.press(&choice).await;
        let submit = app.by_role_in(&within, "button", "Submit").await;
        app.press(&submit).await;
        let responses = app.wait_for_responses(turn + 1).await;
        assert_eq!(responses[turn]["updatedInput"]["answers"], json!({ question: "No" }));
        let left = (all - turn - 1).to_string();
        app.shows_text("[data-inbox]", &left).await;
    }
    assert_eq!(app.responses().len(), 3);
}

/// Waits until an open card is fully in view and no longer moves; returns its request and its question.
async fn settled(app: &App) -> (String, String) {
    let mut before = Value::Null;
    app.wait("an open card that does not move", async || {
        let found = app.script(IN_VIEW, vec![]).await;
        let is_still = found == before && found[0].is_string();
        before = found.clone();
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        is_still.then(|| (text(&found[0]), text(&found[1])))
    })
    .await
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Scrolls on for some frames, by a good turn of the wheel in each.
const SCROLL: &str = "
    const done = arguments[0];
    const list = document.querySelector('[data-inbox-view] section');
    const seen = new Set();
    let [drawn, turn] = [0, 0];
    const step = () => {
        const items = document.querySelectorAll('[data-inbox-item]');
        drawn = Math.max(drawn, items.length);
        items.forEach(item => seen.add(item.dataset.inboxItem));
        const end = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
        if (end || turn > 20) return done({ seen: [...seen], drawn, end });
        turn += 1;
        list.scrollTop += 240;
        requestAnimationFrame(() => requestAnimationFrame(step));
    };
    requestAnimationFrame(step);";

/// Returns the first open card that is fully in view, with its question and its position.
const IN_VIEW: &str = "
    const list = document.querySelector('[data-inbox-view] section').getBoundingClientRect();
    const open = [...document.querySelectorAll('[data-inbox-item]')].filter(item => item.querySelector('fieldset'));
    const item = open.find(item => {
        const { top, bottom } = item.getBoundingClientRect();
        return top >= list.top - 1 && bottom <= list.bottom + 1;
    });
    // If the edge of two cards is in the middle, neither is fully in view.
    if (!item) open.at(-1)?.scrollIntoView({ block: 'nearest' });
    return item && [item.dataset.inboxItem, item.querySelector('legend .text').textContent,
        Math.round(item.getBoundingClientRect().top)];";
