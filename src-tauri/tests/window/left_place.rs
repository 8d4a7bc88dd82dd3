//! What the window shows when the app starts again.

use serde_json::{Value, json};

use crate::harness::{App, Setup};

/// More than one page of entries.
const ENTRIES: usize = 600;

#[tokio::test]
async fn case_130_a_restart_shows_the_session_that_was_left_with_its_place_and_unsent_text() {
    let data = tempfile::tempdir().unwrap();
    let app = Setup::default().data(data.path()).open().await;
    let say = json!({ "say": { "text": "Line {n}: a line of text as agents write it." } });
    let long = app.scenario(
        "long",
        json!([[{ "repeat": { "times": ENTRIES, "steps": [say] } }], [{ "say": { "text": "Went on." } }]]),
    );
    let session = app.show_demo(&long, "Long").await;
    let idle = format!("nav [data-session='{session}'][data-state=idle]");
    app.wait_long("the end of the turn", async || app.shows(&idle).await.then_some(())).await;
    // Whoever reads further up sees what they send.
    app.client.execute_async(SCROLL_UP, vec![]).await.unwrap();
    app.write("Message to the agent", "Go on.").await;
    app.click("button", "Send").await;
    app.shows_text("[data-transcript]", "Go on.").await;
    app.shows_text("[data-transcript]", "Went on.").await;
    app.find(&idle).await;

    let other = app.start_demo("technology", "Other").await;
    app.in_state(&other, "needs_you").await;
    app.select(&session).await;
    app.write("Message to the agent", "not sent yet").await;
    app.client.execute_async(SCROLL_UP, vec![]).await.unwrap();
    let left = top(&app).await;
    assert!(left["entry"].as_u64().unwrap() < 300, "{left}");
    app.wait("the place that is kept", async || (kept(&app).await["entry"] == left["entry"]).then_some(()))
        .await;
    app.until_stored(data.path()).await;
    app.close().await;

    let app = Setup::default().data(data.path()).open().await;
    let shown = format!("[data-session-view='{session}']");
    app.find(&shown).await;
    app.wait(&format!("the place {left}"), async || (top(&app).await == left).then_some(())).await;
    let message = app.by_role("textbox", "Message to the agent").await;
    assert_eq!(message.prop("value").await.unwrap().as_deref(), Some("not sent yet"));
    app.picture("left-place").await;
    app.click("button", "Jump to latest").await;
    app.shows_text("[data-transcript]", "Went on.").await;
}

async fn kept(app: &App) -> Value {
    app.script("return JSON.parse(localStorage.getItem('askdesk.left') ?? '{}').place ?? {}", vec![]).await
}

/// Returns the entry at the top of the view, and how far it is below its edge.
async fn top(app: &App) -> Value {
    let script = "
        const list = document.querySelector('[data-transcript]');
        const edge = list.getBoundingClientRect().top;
        const entry = [...list.querySelectorAll('[data-entry]')].find(e => e.getBoundingClientRect().bottom > edge);
        if (!entry || getComputedStyle(entry).visibility === 'hidden') return { entry: null };
        return { entry: Number(entry.dataset.entry), offset: Math.round(entry.getBoundingClientRect().top - edge) };";
    app.script(script, vec![]).await
}

/// Scrolls up as a wheel does, until entries of an earlier page are in view.
const SCROLL_UP: &str = "
    const done = arguments[arguments.length - 1];
    const list = document.querySelector('[data-transcript]');
    const first = () => Math.min(...[...list.querySelectorAll('[data-entry]')].map(e => Number(e.dataset.entry)));
    const until = performance.now() + 30000;
    const look = () => {
        if (first() < 250 || performance.now() > until) return setTimeout(() => done(null), 500);
        list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
        list.scrollTop -= 0.8 * list.clientHeight;
        requestAnimationFrame(() => requestAnimationFrame(look));
    };
    look();";
