//! The inbox over all sessions, and the walk through what waits, in the real window.

use std::collections::BTreeSet;
use std::path::Path;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use serde_json::{Value, json};

use crate::examples::asked;
use crate::harness::{Desk, Setup};

const SESSIONS: usize = 50;
/// How many requests each session has open at once.
const EACH: usize = 4;
/// How many times as long as a frame that only paints one may take that brings new cards; a machine without a graphics
/// card or with other work is slow in both.
const NEW_TO_STILL: f64 = 2.0;
/// What is added to that in milliseconds: half a frame.
const HALF_A_FRAME: f64 = 8.0;
/// How many cards may be drawn at once, with what is kept ready above and below.
const DRAWN: u64 = 16;

/// Presses keys one after the other and counts them; what is held down counts with the key it is held for.
struct Keys<'a> {
    desk: &'a Desk,
    pressed: usize,
}

impl Keys<'_> {
    async fn press(&mut self, key: char, held: Option<char>) {
        let mut actions = KeyActions::new("keyboard".to_owned());
        if let Some(value) = held {
            actions = actions.then(KeyAction::Down { value });
        }
        actions = actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        if let Some(value) = held {
            actions = actions.then(KeyAction::Up { value });
        }
        self.desk.client.perform_actions(actions).await.unwrap();
        self.pressed += 1;
    }
}

const CONTROL: char = '\u{e009}';
const ENTER: char = '\u{e007}';

/// Waits until the focus stands in the card of a session's question.
async fn focus_in_card(desk: &Desk, session: &str) {
    desk.wait("the focus in the card", async || {
        let script = "return document.querySelector(`[data-session-view='${arguments[0]}']`) !== null
            && document.activeElement.closest('aside [data-card] fieldset') !== null";
        (desk.script(script, vec![json!(session)]).await == true).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_question_of_another_session_is_answered_with_one_key_more() {
    let desk = asked("technology").await;
    let other = desk.start_demo("prefilled", "Elsewhere").await;
    desk.select(&other).await;
    desk.find(&format!("nav [data-session='{other}'][data-state=idle]")).await;
    let composer = desk.find("[data-composer]").await;
    composer.send_keys("half a thought").await.unwrap();
    let before = desk.responses().len();
    let asker = desk.find("nav [data-session][data-state=needs_you]").await;
    let asker = asker.attr("data-session").await.unwrap().unwrap();

    let mut keys = Keys { desk: &desk, pressed: 0 };
    keys.press('j', Some(CONTROL)).await;
    focus_in_card(&desk, &asker).await;
    keys.press(' ', None).await;
    keys.press(ENTER, None).await;
    let responses = desk.wait_for_responses(before + 1).await;
    assert_eq!(
        responses[before]["updatedInput"]["answers"],
        json!({ "Which store should the notes be kept in?": "SQLite (Recommended)" })
    );
    assert_eq!(keys.pressed, 3, "one more than the two in the session itself");
    desk.select(&other).await;
    let kept = desk.find("[data-composer]").await.prop("value").await.unwrap().unwrap();
    assert_eq!(kept, "half a thought", "nothing of the walk was typed into the field it began in");
    desk.close().await;
}

#[tokio::test]
async fn the_walk_goes_through_every_session_by_age_and_begins_again() {
    let desk = asked("technology").await;
    let first = desk.find("nav [data-session]").await.attr("data-session").await.unwrap().unwrap();
    let second = desk.start_demo("features", "Second").await;
    desk.find(&format!("nav [data-session='{second}'][data-state=needs_you]")).await;
    let mut keys = Keys { desk: &desk, pressed: 0 };
    for session in [&first, &second, &first] {
        keys.press('j', Some(CONTROL)).await;
        focus_in_card(&desk, session).await;
    }
    assert!(desk.responses().is_empty(), "walking answers nothing");
    desk.close().await;
}

#[tokio::test]
async fn the_inbox_has_questions_permissions_and_what_was_missed_apart() {
    let desk = Setup::default().env("ASKDESK_FAKE_PACE", "0").open().await;
    let question = desk.start_demo("technology", "Question").await;
    let permission = desk.start_demo("approval", "Permission").await;
    let missed = desk.start_demo("dies-pending", "Gone").await;
    for (session, state) in [(&question, "needs_you"), (&permission, "needs_you"), (&missed, "failed")] {
        desk.find(&format!("nav [data-session='{session}'][data-state={state}]")).await;
    }
    desk.click("button", "Inbox").await;
    desk.by_role_in("main", "radio", "PostgreSQL").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.click("button", "Permissions").await;
    desk.find("[data-inbox-approval]").await;
    assert!(!desk.shows("main fieldset").await, "no field of a question stands beside a permission");
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.click("button", "Missed").await;
    let summary = desk.find("main [data-missed] summary").await;
    desk.press(&summary).await;
    desk.by_role_in("main", "button", "Send when resumed").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.click("button", "Questions").await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    desk.wait_for_responses(1).await;
    desk.shows_text("main [data-inbox-item]", "Store: PostgreSQL").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.close().await;
}

/// A scene in which one agent asks several things at once, each with its own text.
fn many(session: usize) -> Value {
    let ask = |part: usize| {
        json!({ "questions": [{ "question": format!("Session {session}, part {part}?"), "header": format!("Part {part}"),
            "multiSelect": false, "options": [
                { "label": "Yes", "description": "It is done at once, and can be undone later." },
                { "label": "No", "description": "It stays as it is." },
                { "label": "Later", "description": "It comes up again when this session is through." } ] }] })
    };
    let asks: Vec<Value> = (1..=EACH).map(ask).collect();
    json!({ "name": format!("many-{session}"), "title": "Many", "description": "Asks several things at once.",
        "turns": [[{ "ask_together": asks }]] })
}

fn write_scene(folder: &Path, session: usize) -> String {
    let path = folder.join(format!("many-{session}.json"));
    std::fs::write(&path, many(session).to_string()).unwrap();
    path.display().to_string()
}

#[tokio::test]
async fn case_50_two_hundred_requests_of_fifty_sessions_stand_in_the_inbox_and_each_is_answered_alone() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::open().await;
    for session in 1..=SESSIONS {
        let scene = write_scene(folder.path(), session);
        let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "demo", "options": { "config": { "example": scene } },
            "name": format!("Session {session}"), "prompt": "Go." });
        desk.invoke("start_session", input).await.unwrap();
    }
    let all = SESSIONS * EACH;
    desk.wait_long("all questions", async || {
        let badge = desk.find("[data-inbox]").await.text().await.ok()?;
        badge.contains(&all.to_string()).then_some(())
    })
    .await;
    desk.click("button", "Inbox").await;
    desk.find("[data-inbox-item]").await;

    let (mut seen, mut drawn) = (BTreeSet::new(), 0);
    let (mut still, mut new) = (Vec::new(), Vec::new());
    loop {
        let scrolled = desk.client.execute_async(SCROLL, vec![]).await.unwrap();
        seen.extend(scrolled["seen"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()));
        still.extend(times(&scrolled["still"]));
        new.extend(times(&scrolled["new"]));
        drawn = drawn.max(scrolled["drawn"].as_u64().unwrap());
        if scrolled["end"] == true {
            break;
        }
    }
    assert_eq!(seen.len(), all, "every request came by");
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
    assert_eq!(desk.axe().await, Vec::<String>::new());

    // From both ends and from the middle, each by itself.
    for (turn, place) in [0.0, 1.0, 0.5].into_iter().enumerate() {
        let script = "const list = document.querySelector('[data-inbox-view] section');
            list.scrollTop = arguments[0] * list.scrollHeight;";
        desk.script(script, vec![json!(place)]).await;
        let (request, question) = settled(&desk).await;
        let within = format!("[data-inbox-item='{request}']");
        let choice = desk.by_role_in(&within, "radio", "No").await;
        desk.press(&choice).await;
        let submit = desk.by_role_in(&within, "button", "Submit").await;
        desk.press(&submit).await;
        let responses = desk.wait_for_responses(turn + 1).await;
        assert_eq!(responses[turn]["updatedInput"]["answers"], json!({ question: "No" }));
        let left = (all - turn - 1).to_string();
        desk.shows_text("[data-inbox]", &left).await;
    }
    assert_eq!(desk.responses().len(), 3);
    desk.close().await;
}

/// Waits until an open card stands whole in view and no longer moves; says whose and what it asks.
async fn settled(desk: &Desk) -> (String, String) {
    let mut before = Value::Null;
    desk.wait("an open card that stands still", async || {
        let found = desk.script(IN_VIEW, vec![]).await;
        let stands = found == before && found[0].is_string();
        before = found.clone();
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        stands.then(|| (text(&found[0]), text(&found[1])))
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

/// The first open card that stands whole in view, with its question and its place.
const IN_VIEW: &str = "
    const list = document.querySelector('[data-inbox-view] section').getBoundingClientRect();
    const open = [...document.querySelectorAll('[data-inbox-item]')].filter(item => item.querySelector('fieldset'));
    const item = open.find(item => {
        const { top, bottom } = item.getBoundingClientRect();
        return top >= list.top && bottom <= list.bottom;
    });
    // Where the edge of two cards lies in the middle, neither stands there whole.
    if (!item) open.at(-1)?.scrollIntoView({ block: 'nearest' });
    return item && [item.dataset.inboxItem, item.querySelector('legend .text').textContent,
        Math.round(item.getBoundingClientRect().top)];";
