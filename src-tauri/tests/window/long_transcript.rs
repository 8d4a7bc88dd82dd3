//! A session that says more than the page holds: followed, scrolled back through, and read while it goes on.

use serde_json::{Value, json};

use crate::harness::App;

/// More than the page holds at a time.
const ENTRIES: usize = 5_000;

#[tokio::test]
async fn a_long_transcript_is_read_again_without_a_jump_and_stays_where_it_is_read() {
    let app = App::open().await;
    let scenario = app.home().join("long.json");
    let turn = |word: &str| {
        let say = json!({ "say": { "text": format!("{word} {{n}}: a line of text as agents write it.") } });
        json!([{ "repeat": { "times": ENTRIES, "steps": [say] } }])
    };
    let long = json!({ "name": "long", "title": "Long", "description": "Says very much.",
        "turns": [turn("First"), turn("Second")] });
    std::fs::write(&scenario, long.to_string()).unwrap();
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "demo", "options": { "config": { "example": scenario } },
        "name": "Long", "prompt": "Go." });
    let session = app.invoke("start_session", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    app.select(&session).await;
    let idle = format!("nav [data-session='{session}'][data-state=idle]");
    app.wait_long("the end of the first turn", async || app.shows(&idle).await.then_some(())).await;
    app.wait("the newest entry", async || shows(&app, ENTRIES).await.then_some(())).await;

    let seen = app.client.execute_async(SCROLL_TO_THE_FIRST, vec![]).await.unwrap();
    assert_eq!((&seen["jumps"], &seen["first"]), (&json!([]), &json!(1)), "{seen}");

    let read = top(&app).await;
    let message = json!({ "requestId": uuid::Uuid::new_v4(), "session": session, "text": "Go on." });
    app.invoke("send_message", message).await.unwrap();
    app.find(&format!("nav [data-session='{session}'][data-state=working]")).await;
    app.wait_long("the end of the second turn", async || app.shows(&idle).await.then_some(())).await;
    assert_eq!(top(&app).await, read, "what is read stays where it is");
    app.click("button", "Jump to the latest").await;
    app.shows_text("[data-transcript]", &format!("Second {ENTRIES}:")).await;
    app.close().await;
}

/// Says whether an entry of the first turn stands in view; the person's own message is the first one.
async fn shows(app: &App, n: usize) -> bool {
    app.shows(&format!("[data-transcript] [data-entry='{}']", n + 1)).await
}

async fn top(app: &App) -> Value {
    app.script(&format!("{TOP} return top();"), vec![]).await
}

/// The place of the entry that stands at the top of the view.
const TOP: &str = "
    const list = document.querySelector('[data-transcript]');
    const top = () => {
        const edge = list.getBoundingClientRect().top;
        const entry = [...list.querySelectorAll('[data-entry]')].find(e => e.getBoundingClientRect().bottom > edge + 1);
        return entry ? Number(entry.dataset.entry) : null;
    };";

/// Scrolls up by less than a view's height at a time, as fast as it is painted, until the first entry stands at the top.
/// What then stands at the top must be what stood there before, or come some entries before it.
const SCROLL_TO_THE_FIRST: &str = "
    const done = arguments[arguments.length - 1];
    const list = document.querySelector('[data-transcript]');
    const top = () => {
        const edge = list.getBoundingClientRect().top;
        const entry = [...list.querySelectorAll('[data-entry]')].find(e => e.getBoundingClientRect().bottom > edge + 1);
        return entry ? Number(entry.dataset.entry) : null;
    };
    const jumps = [];
    const until = performance.now() + 90000;
    let last = top();
    const look = () => {
        const now = top();
        if (now === null || now > last + 1 || now < last - 60) jumps.push([last, now]);
        last = now ?? last;
        if (now === 1 || performance.now() > until) return done({ jumps, first: now });
        list.scrollTop -= 0.8 * list.clientHeight;
        requestAnimationFrame(() => requestAnimationFrame(look));
    };
    list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
    look();";
