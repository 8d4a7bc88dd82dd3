//! The inbox of all sessions, and the key for the next question.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{App, Setup};

const SESSIONS: usize = 50;
/// How many requests each session has open at once.
const EACH: usize = 4;
/// How many times as long as a repaint a frame with new cards may take. A slow machine is slow in both.
const NEW_TO_STILL: f64 = 2.0;
/// What is added to that: half a frame, in milliseconds.
const HALF_A_FRAME: f64 = 8.0;
/// The most cards that are drawn at once, with those just out of view.
const DRAWN: u64 = 16;

/// A turn in which an agent asks to run a command, and then says something.
fn runs(command: &str, then: &str) -> Value {
    let input = json!({ "command": command });
    let call = json!({ "name": "Bash", "input": input, "result": "(no output)", "ask_permission": true });
    json!([[{ "tool": call }, { "say": { "text": then } }]])
}

#[tokio::test]
async fn case_81_a_permission_is_decided_in_the_inbox_if_it_can_be_read_there_and_otherwise_leads_to_its_session()
 {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "0").open().await;
    let lines: Vec<String> = (1..=12).map(|line| format!("echo {line}")).collect();
    let short = app.scenario("short", runs("mkdir notes", "The folder is there."));
    let long = app.scenario("long", runs(&lines.join("\n"), "All is written."));
    let short = app.start_demo(&short, "Short").await;
    let long = app.start_demo(&long, "Long").await;
    for session in [&short, &long] {
        app.in_state(session, "needs_you").await;
    }
    app.click("button", "Inbox").await;

    let item = "article[aria-label^='Short: ']";
    app.shows_text(&format!("{item} pre"), "mkdir notes").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.press(&app.by_role_in(item, "button", "Allow once").await).await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "allow");
    app.shows_text(item, "Allowed once: Bash").await;

    let item = "article[aria-label^='Long: ']";
    app.shows_text(item, "Too long to decide here: 12 lines.").await;
    assert_eq!(app.count(&format!("{item} [data-approval]")).await, 0, "nothing there decides");
    app.press(&app.by_role_in(item, "button", "Review").await).await;
    let focus = "return document.activeElement.closest('aside [data-approval]') !== null";
    app.wait("the focus in the card", async || (app.script(focus, vec![]).await == true).then_some(())).await;
    app.shows_text("aside [data-approval]", "echo 12").await;
    assert_eq!(app.responses().len(), 1, "leading there decides nothing");
    app.click("button", "Deny").await;
    assert_eq!(app.wait_for_responses(2).await[1]["behavior"], "deny");

    // Their rows change places when their turns end.
    for session in [&short, &long] {
        app.in_state(session, "idle").await;
    }
    app.select(&short).await;
    app.shows_text("[data-transcript]", "The folder is there.").await;
}

#[tokio::test]
async fn case_79_a_permission_that_moves_in_the_inbox_does_nothing_for_a_moment() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "0").open().await;
    let scenario = app.scenario("first", runs("mkdir notes", "Done."));
    let first = app.start_demo(&scenario, "First").await;
    app.in_state(&first, "needs_you").await;
    app.click("button", "Inbox").await;
    app.by_role("combobox", "Sort").await.select_by_label("Newest first").await.unwrap();
    app.find("main [data-approval]").await;
    app.armed().await;
    let watch = "window.__armed = [];
        const card = document.querySelector('main [data-approval]');
        const note = () => window.__armed.push(card.dataset.armed);
        new MutationObserver(note).observe(card, { attributes: true, attributeFilter: ['data-armed'] });";
    app.script(watch, vec![]).await;
    app.start_demo(&scenario, "Second").await;
    app.find("article[aria-label^='Second: '] [data-approval]").await;
    app.wait("the moved card to be disarmed and armed again", async || {
        let seen = app.script("return window.__armed.join()", vec![]).await;
        seen.as_str()?.starts_with("false,true").then_some(())
    })
    .await;
}

#[tokio::test]
async fn after_an_answer_by_keys_the_next_question_of_the_inbox_takes_the_keys() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "0").open().await;
    app.change_setting("undo_seconds", 1).await;
    for name in ["First", "Second", "Third", "Fourth"] {
        let options = json!([{ "label": "Yes", "description": "" }, { "label": "No", "description": "" }]);
        let question = json!({ "question": format!("{name}: go on with it?"), "header": "Go on", "multiSelect": false, "options": options });
        let turns = json!([[{ "ask": { "questions": [question] } }]]);
        let session = app.start_demo(&app.scenario(name, turns), name).await;
        app.in_state(&session, "needs_you").await;
    }
    app.click("button", "Inbox").await;
    app.find("[data-inbox-item]").await;
    app.key("j").await;
    let focused = async |name: &str| {
        let script = "return document.activeElement.closest('[data-inbox-item]')?.ariaLabel ?? document.activeElement.outerHTML.slice(0, 200)";
        app.wait(&format!("the focus in {name}"), async || {
            let at = app.script(script, vec![]).await;
            at.as_str()?.starts_with(name).then_some(())
        })
        .await;
    };
    focused("Second").await;
    app.key("k").await;
    focused("First").await;
    app.key("2").await;
    app.wait_for_responses(1).await;
    focused("Second").await;
    app.key("1").await;
    app.wait_for_responses(2).await;
    focused("Third").await;
    app.key("j").await;
    focused("Fourth").await;
    app.key("2").await;
    app.wait_for_responses(3).await;
    focused("Third").await;
    app.picture("inbox-answered").await;
}

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
    let (mut still, mut new) = (Vec::new(), Vec::new());
    loop {
        let scrolled = app.client.execute_async(SCROLL, vec![]).await.unwrap();
        seen.extend(scrolled["seen"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()));
        still.extend(times(&scrolled["still"]));
        new.extend(times(&scrolled["new"]));
        drawn = drawn.max(scrolled["drawn"].as_u64().unwrap());
        if scrolled["end"] == true {
            break;
        }
    }
    assert_eq!(seen.len(), all, "every request was shown");
    let [still, new] = [still, new].map(|mut times| {
        times.sort_by(f64::total_cmp);
        [50, 95, 100].map(|share| times[(times.len() - 1) * share / 100])
    });
    println!(
        "median, 95th and longest frame in ms: {still:?} painted again, {new:?} with new cards; {drawn} cards drawn"
    );
    assert!(
        new[0] <= NEW_TO_STILL * still[0] + HALF_A_FRAME,
        "scrolling brings {new:?}, standing still {still:?}"
    );
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

fn times(frames: &Value) -> Vec<f64> {
    frames.as_array().unwrap().iter().map(|took| took.as_f64().unwrap()).collect()
}

/// Scrolls on for some frames, by a good turn of the wheel in every other; in those between it only moves by a hair, so
/// that the same is painted again.
const SCROLL: &str = "
    const done = arguments[0];
    const list = document.querySelector('[data-inbox-view] section');
    const [still, brought, seen] = [[], [], new Set()];
    let [last, drawn, turn] = [0, 0, 0];
    const step = () => {
        const now = performance.now();
        if (last > 0) (turn % 2 === 0 ? brought : still).push(now - last);
        const items = document.querySelectorAll('[data-inbox-item]');
        drawn = Math.max(drawn, items.length);
        items.forEach(item => seen.add(item.dataset.inboxItem));
        const end = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
        if (end || turn > 20) return done({ still, new: brought, seen: [...seen], drawn, end });
        turn += 1;
        last = performance.now();
        list.scrollTop += turn % 2 === 0 ? 240 : 1;
        requestAnimationFrame(step);
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
