//! The memory of the app in the tray, and the time until the same state is painted again.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::fake_tray;
use crate::harness::{PATIENCE, Setup};
use crate::latency::Times;
use crate::process::{Held, of_app};
use crate::{now_ms, rounded};

/// How many sessions run meanwhile.
const SESSIONS: usize = 5;
/// How often the window is closed and raised.
const RAISES: usize = 20;
/// How long memory takes to settle once the window is gone.
const SETTLED: Duration = Duration::from_secs(5);

pub struct Tray {
    /// What each process but the agents holds.
    pub idle: Vec<Held>,
    /// From the click to the first paint of the question that stood there.
    pub raised: Times,
}

impl Tray {
    pub fn json(&self) -> Value {
        let all: f64 = self.idle.iter().map(|held| held.pss_mib).sum();
        let each = self.idle.iter().map(|held| (held.name.clone(), json!(rounded(held.pss_mib))));
        json!({
            "sessions": SESSIONS,
            "idle_pss_mib": { "all": rounded(all), "each": each.collect::<serde_json::Map<_, _>>() },
            "raised_to_painted_ms": self.raised.json(),
        })
    }
}

pub async fn measure() -> Tray {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let app = Setup::default().env("ASKDESK_TRACE", trace.path().display().to_string()).open().await;
    let tray = fake_tray::Tray::start().await;
    for n in 1..SESSIONS {
        app.start_demo("technology", &format!("Runs {n}")).await;
    }
    let session = app.start_demo("four", "In view").await;
    app.select(&session).await;
    let card = app.find("aside [data-request][data-state=open]").await;
    let request = card.attr("data-request").await.unwrap().unwrap();
    let mut idle = Vec::new();
    let mut raised = Vec::new();
    for n in 0..=RAISES {
        app.close_to_tray().await;
        // The first time is slower: afterwards, the system has the files in its cache.
        sleep(if n == 0 { SETTLED } else { Duration::from_secs(1) }).await;
        if n == RAISES {
            sleep(SETTLED).await;
            idle = of_app(app.root());
        }
        let before = painted(trace.path(), &request).len();
        let began = now_ms();
        tray.press("Open Askdesk").await;
        let waiting = Instant::now();
        let at = loop {
            if let Some(at) = painted(trace.path(), &request).get(before) {
                break *at;
            }
            assert!(waiting.elapsed() < PATIENCE, "the question is not painted again");
            sleep(Duration::from_millis(5)).await;
        };
        raised.push(at - began);
    }
    app.close().await;
    Tray { idle, raised: Times(raised) }
}

/// Reads when the question was painted, each time.
fn painted(trace: &Path, request: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(trace).unwrap();
    // The last line may just be being written.
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["painted"] == request).map(|line| line["at_ms"].as_f64().unwrap()).collect()
}
