//! How long a question takes from the agent to the screen, and an answer from the screen to the agent.

use std::fs;
use std::path::Path;

use askdesk_demo_agent::record::monotonic_ns;
use serde_json::{Value, json};

use crate::harness::Setup;
use crate::{now_ms, rounded};

/// Times in milliseconds, one for each question.
pub struct Times(pub Vec<f64>);

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

/// How soon after an answer the next question comes.
#[derive(Clone, Copy)]
pub enum Pace {
    /// After a moment, as with a model that has to be asked first: the least that any takes.
    Thinking,
    /// At once, while the answer before it is still being painted.
    AtOnce,
}

/// Lets the demo agent ask one question after the other and answers each by its radio button and Submit.
pub async fn measure(questions: usize, pace: Pace) -> Latencies {
    let percent = match pace {
        Pace::Thinking => "100",
        Pace::AtOnce => "0",
    };
    let trace = tempfile::NamedTempFile::new().unwrap();
    let app = Setup::default()
        .env("ASKDESK_TRACE", trace.path().display().to_string())
        .env("ASKDESK_FAKE_COUNT", questions.to_string())
        .env("ASKDESK_FAKE_PACE", percent)
        .open()
        .await;
    let session = app.start_demo("loop-ask", "Bench").await;
    app.select(&session).await;
    // The page's clock has steps of 1 ms; the agent's is monotonic. Both are read here at one moment.
    let offset_ms = now_ms() - monotonic_ns() as f64 / 1e6;
    app.script(ANSWER_EVERYTHING, vec![]).await;
    app.wait_long("the last answer", async || (app.responses().len() >= questions).then_some(())).await;

    let record = lines(&app.home().join("record.jsonl"));
    let times_of = |direction: &'static str, holds: &'static str| {
        let those = record.iter().filter(move |line| line["dir"] == direction && has(line, holds));
        those.map(move |line| line["t_ns"].as_f64().unwrap() / 1e6 + offset_ms).collect::<Vec<_>>()
    };
    let asked = times_of("out", "can_use_tool");
    let painted = app.wait("the last paint", async || all_painted(trace.path(), questions)).await;
    let submitted = numbers(&app.script("return window.__submitted", vec![]).await);
    let answered = times_of("in", "updatedInput");
    for (what, times) in
        [("asked", &asked), ("painted", &painted), ("submitted", &submitted), ("answered", &answered)]
    {
        assert_eq!(times.len(), questions, "every question was {what} once");
    }
    let between = |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(from, to)| to - from).collect();
    let frames = app.client.execute_async(PAINT_A_WORD, vec![]).await.unwrap();
    app.close().await;
    Latencies {
        painted: Times(between(&asked, &painted)),
        submitted: Times(between(&submitted, &answered)),
        frame: Times(numbers(&frames)),
    }
}

/// Reads when each request was painted, once that is known of all.
fn all_painted(trace: &Path, questions: usize) -> Option<Vec<f64>> {
    let painted = lines(trace).into_iter().filter(|line| !line["painted"].is_null());
    let times: Vec<f64> = painted.map(|line| line["at_ms"].as_f64().unwrap()).collect();
    (times.len() >= questions).then_some(times)
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
            setTimeout(() => {
                times.push(performance.now() - began);
                if (times.length < 100) setTimeout(change, 20);
                else done(times);
            });
        });
    };
    change();";

/// Answers each question in the panel, a moment after its card acts on clicks.
const ANSWER_EVERYTHING: &str = "
    window.__submitted = [];
    const done = new Set();
    setInterval(() => {
        const card = document.querySelector('aside [data-request][data-state=open][data-armed=true]');
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
    }, 20);";

fn has(line: &Value, holds: &str) -> bool {
    line["line"].to_string().contains(holds)
}

pub fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

pub fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
