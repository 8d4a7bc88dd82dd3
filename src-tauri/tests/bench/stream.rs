//! A long answer that streams into the session in view: what its frames cost.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::Setup;
use crate::latency::{Times, numbers};

const LINES_PER_SECOND: usize = 200;
/// For how long the agent writes, in seconds.
const SECONDS: usize = 30;
/// How long it has been writing before the first frame that counts.
const SETTLED: Duration = Duration::from_secs(3);

pub async fn measure() -> Value {
    let app = Setup::default().env("ASKDESK_FAKE_RECORD", "").env("ASKDESK_FAKE_PACE", "100").open().await;
    let second = json!({ "flood": { "lines": LINES_PER_SECOND, "per_second": LINES_PER_SECOND } });
    let scenario = app.scenario("streams", json!([[{ "repeat": { "times": SECONDS, "steps": [second] } }]]));
    let session = app.start_demo(&scenario, "Streams").await;
    app.select(&session).await;
    app.in_state(&session, "working").await;
    sleep(SETTLED).await;
    app.script(NOTE_FRAMES, vec![]).await;
    app.wait_long("the end of the answer", async || {
        let script = "return document.querySelectorAll('nav [data-session][data-state=idle]').length";
        (app.script(script, vec![]).await.as_u64() == Some(1)).then_some(())
    })
    .await;
    let frames = numbers(&app.script("return window.__frames", vec![]).await);
    app.close().await;
    json!({ "lines_per_second": LINES_PER_SECOND, "seconds": SECONDS, "frame_ms": Times(frames).json() })
}

/// Notes what each frame took: from its beginning to the first task after it, which its layout and its paint precede.
const NOTE_FRAMES: &str = "
    window.__frames = [];
    const frame = () => {
        const began = performance.now();
        setTimeout(() => window.__frames.push(performance.now() - began));
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);";
