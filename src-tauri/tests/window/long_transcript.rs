//! A transcript that is longer than what the page holds, and text that is written out of view.

use serde_json::{Value, json};

use crate::harness::{App, Setup};

/// More than the page holds at a time.
const ENTRIES: usize = 5_000;

#[tokio::test]
async fn scrolling_a_long_transcript_never_jumps_and_new_entries_keep_the_position() {
    let app = App::open().await;
    let turn = |word: &str| {
        let say = json!({ "say": { "text": format!("{word} {{n}}: a line of text as agents write it.") } });
        json!([{ "repeat": { "times": ENTRIES, "steps": [say] } }])
    };
    let long = app.scenario("long", json!([turn("First"), turn("Second")]));
    let session = app.show_demo(&long, "Long").await;
    let idle = format!("nav [data-session='{session}'][data-state=idle]");
    app.wait_long("the end of the first turn", async || app.shows(&idle).await.then_some(())).await;
    app.wait("the newest entry", async || shows(&app, ENTRIES).await.then_some(())).await;

    let seen = app.client.execute_async(&format!("{TOP}{SCROLL_TO_THE_FIRST}"), vec![]).await.unwrap();
    assert_eq!((&seen["jumps"], &seen["first"]), (&json!([]), &json!(1)), "{seen}");

    let read = top(&app).await;
    let message = json!({ "requestId": uuid::Uuid::new_v4(), "session": session, "text": "Go on." });
    app.invoke("send_message", message).await.unwrap();
    app.in_state(&session, "working").await;
    app.wait_long("the end of the second turn", async || app.shows(&idle).await.then_some(())).await;
    assert_eq!(top(&app).await, read, "new entries do not move the view");
    app.click("button", "Jump to latest").await;
    app.shows_text("[data-transcript]", &format!("Second {ENTRIES}:")).await;
}

#[tokio::test]
async fn text_that_is_written_out_of_view_is_shown_once() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let asking = app.show_demo("technology", "Asks").await;
    app.by_role("radio", "PostgreSQL").await;
    // The second word comes long after the test.
    let say = json!({ "text": "alpha beta", "chunk": 6, "pace_ms": 120_000 });
    let writing = app.start_demo(&app.scenario("slow", json!([[{ "say": say }]])), "Writes").await;
    app.in_state(&writing, "working").await;
    let written = async || std::fs::read_to_string(app.record()).ok()?.contains("alpha").then_some(());
    app.wait("the first word", written).await;
    app.catch_up(&writing).await;
    for _ in 0..3 {
        app.select(&writing).await;
        app.shows_text("main [data-state=live]", "alpha").await;
        let live = app.find("main [data-state=live]").await.text().await.unwrap();
        assert_eq!(live.matches("alpha").count(), 1, "{live}");
        app.select(&asking).await;
        app.by_role("radio", "PostgreSQL").await;
    }
}

/// Returns whether an entry of the first turn is in view. The user's message comes before it.
async fn shows(app: &App, n: usize) -> bool {
    app.shows(&format!("[data-transcript] [data-entry='{}']", n + 1)).await
}

async fn top(app: &App) -> Value {
    app.script(&format!("{TOP} return top();"), vec![]).await
}

/// Returns the entry at the top of the view.
const TOP: &str = "
    const list = document.querySelector('[data-transcript]');
    const top = () => {
        const edge = list.getBoundingClientRect().top;
        const entry = [...list.querySelectorAll('[data-entry]')].find(e => e.getBoundingClientRect().bottom > edge + 1);
        return entry ? Number(entry.dataset.entry) : null;
    };";

/// Scrolls up by less than a view's height per frame, until the first entry is at the top. Each step must lead to the same
/// entry or to one a little before it.
const SCROLL_TO_THE_FIRST: &str = "
    const done = arguments[arguments.length - 1];
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
