//! A session with many entries: the time to open it, and the frame rate of scrolling.

use serde_json::{Value, json};

use crate::harness::Setup;
use crate::latency::Times;
use crate::latency::numbers;
use crate::rounded;

/// How many messages the session holds.
const ENTRIES: usize = 100_000;
/// How often it is opened.
const OPENINGS: usize = 10;

/// What a long session costs.
pub struct Long {
    pub opened: Times,
    pub frames_per_second: f64,
}

impl Long {
    pub fn json(&self) -> Value {
        json!({ "entries": ENTRIES, "opened_ms": self.opened.json(),
            "scroll_frames_per_second": rounded(self.frames_per_second) })
    }
}

pub async fn measure() -> Long {
    let said = json!({ "say": { "text": "Entry {n}: a line of text as agents write it, with **some** `code` in it." } });
    let app = Setup::default().env("ASKDESK_FAKE_RECORD", "/dev/null").open().await;
    let other = app.start_demo("prefilled", "Short").await;
    let long = app.scenario("long", json!([[{ "repeat": { "times": ENTRIES, "steps": [said] } }]]));
    let session = app.start_demo(&long, "Long").await;
    app.select(&other).await;
    let newest = json!({ "session": session, "before": null, "limit": 1 });
    let written = async || {
        let page = app.invoke("read_transcript", newest.clone()).await.ok()?;
        (page["entries"][0]["body"]["kind"] == "turn_ended").then_some(())
    };
    app.wait_long("the last entry", written).await;
    let mut opened = Vec::new();
    for _ in 0..OPENINGS {
        app.select(&other).await;
        let took = app.client.execute_async(OPEN, vec![json!(session)]).await.unwrap();
        opened.push(took.as_f64().unwrap());
    }
    let times = numbers(&app.client.execute_async(SCROLL, vec![]).await.unwrap());
    app.close().await;
    let seconds = times.iter().sum::<f64>() / 1_000.0;
    Long { opened: Times(opened), frames_per_second: times.len() as f64 / seconds }
}

/// Opens a session by its row and tells how long it took until its last entries were painted.
const OPEN: &str = "
    const [session, done] = arguments;
    const began = performance.now();
    document.querySelector(`nav [data-session='${session}']`).click();
    const look = () => {
        const there = document.querySelector('main')?.textContent.includes('Entry 100000:');
        if (!there) return requestAnimationFrame(look);
        setTimeout(() => done(performance.now() - began));
    };
    requestAnimationFrame(look);";

/// Scrolls up by a good turn of the wheel in each frame and tells how long each took.
const SCROLL: &str = "
    const done = arguments[0];
    const list = [...document.querySelectorAll('main *')].find(e =>
        e.scrollHeight > e.clientHeight + 100 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowY));
    const times = [];
    let last = performance.now();
    const step = () => {
        const now = performance.now();
        times.push(now - last);
        last = now;
        if (times.length > 300) return done(times.slice(1));
        list.scrollTop -= 120;
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);";
