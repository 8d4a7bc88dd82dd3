//! A transcript and a diff that are longer than what the page holds.

use serde_json::{Value, json};

use crate::harness::App;

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
async fn a_diff_of_a_hundred_thousand_lines_opens_and_only_what_is_in_view_is_drawn() {
    let app = App::open().await;
    let project = tempfile::tempdir().unwrap();
    let write = |tenth: &str| {
        let word = |n: usize| if n % 10 == 5 { tenth } else { "before" };
        let lines: String = (0..100_000).map(|n| format!("const value{n} = {}({n});\n", word(n))).collect();
        std::fs::write(project.path().join("long.ts"), lines).unwrap();
    };
    write("before");
    let example = app.scenario("ready", json!([[{ "say": { "text": "Ready." } }]]));
    let session = app
        .start_session(json!({ "agent": "demo", "folder": project.path(), "name": "shop-api",
            "options": { "config": { "example": example } }, "prompt": "Please begin." }))
        .await;
    app.select(&session).await;
    app.in_state(&session, "idle").await;
    // Waits until the beginning is recorded.
    app.invoke("list_changes", json!({ "session": session })).await.unwrap();
    write("after");
    app.invoke("list_changes", json!({ "session": session })).await.unwrap();
    app.click("button", "Changes: 10,000 lines added, 10,000 lines removed").await;
    app.shows_text("[data-diff] ins", "after").await;
    assert!(app.count("[data-diff] [role=row]").await < 300);
    app.script("document.querySelector('[data-diff]').scrollTop = 1e9", vec![]).await;
    app.shows_text("[data-diff]", "const value99999").await;
    // The current line is still the first change, far out of view.
    app.key("c").await;
    let field = app.find("[data-diff] textarea").await;
    field.send_keys("Why?").await.unwrap();
    app.wait("the words", async || (field.prop("value").await.ok()?? == "Why?").then_some(())).await;
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
