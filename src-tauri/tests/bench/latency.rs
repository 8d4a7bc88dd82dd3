//! How long a question takes from the agent to the screen, and an answer from the screen to the agent.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use askdesk_testkit::fake_agent::record::monotonic_ns;
use serde_json::{Value, json};

use crate::harness::Setup;
use crate::rounded;

/// Times in milliseconds, one for each question.
pub struct Times(Vec<f64>);

impl Times {
    pub fn json(&self) -> Value {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| rounded(sorted[((sorted.len() - 1) as f64 * share).round() as usize]);
        json!({ "p50": at(0.5), "p99": at(0.99), "max": at(1.0), "n": sorted.len() })
    }
}

/// What the window took.
pub struct Latencies {
    /// From the agent's line to the panel painted.
    pub painted: Times,
    /// From Submit to the bytes on the agent's input, the commit on disk between them.
    pub submitted: Times,
    /// From a change of one word to its paint: what a frame costs on this machine, whatever the app does.
    pub frame: Times,
}

/// Lets the demo agent ask one question after the other and answers each by its radio button and Submit.
pub async fn measure(questions: usize) -> Latencies {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let desk = Setup::default()
        .env("ASKDESK_FAKE_COUNT", questions.to_string())
        .env("ASKDESK_TRACE", trace.path().display().to_string())
        .open()
        .await;
    let session = desk.start_demo("loop-ask", "Bench").await;
    desk.select(&session).await;
    // The page's clock has steps of 1 ms; the agent's is monotonic. Both are read here at one moment.
    let wall_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1e3;
    let offset_ms = wall_ms - monotonic_ns() as f64 / 1e6;
    desk.script(ANSWER_EVERYTHING, vec![]).await;
    desk.wait_long("the last answer", async || (desk.responses().len() >= questions).then_some(())).await;
    let painted = || lines(trace.path()).into_iter().filter(|line| !line["painted"].is_null());
    desk.wait("the last paint", async || (painted().count() >= questions).then_some(())).await;
    let submitted = desk.script("return window.__submitted", vec![]).await;

    let record = lines(desk.record());
    let asked = record.iter().filter(|line| is(line, "out", "can_use_tool")).map(ms);
    let painted: Vec<f64> = painted().map(|line| ms(&line)).collect();
    let asked: Vec<f64> = asked.collect();
    assert_eq!(asked.len(), questions, "every question was asked once");
    assert_eq!(painted.len(), questions, "every question was painted once");
    let to_screen = asked.iter().zip(&painted).map(|(asked, painted)| painted - asked).collect();

    let answered: Vec<f64> = record.iter().filter(|line| is(line, "in", "updatedInput")).map(ms).collect();
    let submitted: Vec<f64> = submitted.as_array().unwrap().iter().map(|ms| ms.as_f64().unwrap()).collect();
    assert_eq!(answered.len(), questions, "every answer reached the agent once");
    assert_eq!(submitted.len(), questions, "every answer was submitted once");
    let to_agent = submitted.iter().zip(&answered).map(|(sent, came)| came - (sent - offset_ms)).collect();
    let frames = desk.client.execute_async(PAINT_A_WORD, vec![]).await.unwrap();
    let frames = frames.as_array().unwrap().iter().map(|ms| ms.as_f64().unwrap()).collect();
    desk.close().await;
    Latencies { painted: Times(to_screen), submitted: Times(to_agent), frame: Times(frames) }
}

/// Changes one word a hundred times and notes how long each change takes to its paint.
const PAINT_A_WORD: &str = "
    const done = arguments[0];
    const word = document.querySelector('aside h2');
    const times = [];
    const change = () => {
        const began = performance.now();
        word.textContent = `Questions ${times.length}`;
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                times.push(performance.now() - began);
                if (times.length < 100) setTimeout(change, 20);
                else done(times);
            };
            port2.postMessage(null);
        });
    };
    change();";

/// Answers whatever stands in the panel, a moment after it was painted.
const ANSWER_EVERYTHING: &str = "
    window.__submitted = [];
    const done = new Set();
    setInterval(() => {
        const card = document.querySelector('aside [data-request][data-state=open]');
        const radio = card?.querySelector('input[type=radio]');
        if (!radio || done.has(card.dataset.request)) return;
        done.add(card.dataset.request);
        setTimeout(() => {
            radio.click();
            setTimeout(() => {
                window.__submitted.push(Date.now());
                card.querySelector('[data-submit]').click();
            }, 20);
        }, 60);
    }, 5);";

fn is(line: &Value, direction: &str, holds: &str) -> bool {
    line["dir"] == direction && line["line"].to_string().contains(holds)
}

fn ms(line: &Value) -> f64 {
    line["t_ns"].as_f64().unwrap() / 1e6
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
