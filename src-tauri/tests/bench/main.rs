//! What the app costs: latencies in the real window, and start and memory compared with an empty window.
//!
//! Prints one line `askdesk-bench: {json}`. Run by `cargo xtask bench`, which brings the display.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "this is a test program")]

mod desks;
#[path = "../window/desktop.rs"]
#[allow(dead_code, reason = "the desktop serves the window tests too")]
mod desktop;
#[path = "../window/harness.rs"]
#[allow(dead_code, reason = "the harness serves the window tests too")]
mod harness;
mod latency;
mod load;
mod process;
mod rest;
mod screen;
mod start;
mod stream;

use latency::Pace;
use serde_json::json;

/// How many questions are asked and answered.
const QUESTIONS: usize = 200;
/// How many of them are asked without a pause between.
const QUESTIONS_AT_ONCE: usize = 100;

/// Measures everything, or only the parts that are named: `answers`, `load`, `stream`, `rest`, `start`.
fn main() {
    tokio::runtime::Runtime::new().unwrap().block_on(measure());
}

async fn measure() {
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |part: &str| named.is_empty() || named.iter().any(|name| name == part);
    let mut result = serde_json::Map::new();
    if wanted("answers") {
        let latencies = latency::measure(QUESTIONS, Pace::Thinking).await;
        let at_once = latency::measure(QUESTIONS_AT_ONCE, Pace::AtOnce).await;
        result.insert("agent_line_to_panel_painted_ms".to_owned(), latencies.painted.json());
        result.insert("asked_at_once_to_panel_painted_ms".to_owned(), at_once.painted.json());
        result.insert("submit_to_agent_stdin_ms".to_owned(), latencies.submitted.json());
        result.insert("one_word_painted_ms".to_owned(), latencies.frame.json());
    }
    if wanted("load") {
        result.insert("under_load".to_owned(), load::case_62_keys_while_fifty_agents_write().await.json());
    }
    if wanted("stream") {
        result.insert("stream".to_owned(), stream::measure().await);
    }
    if wanted("rest") {
        result.insert("at_rest".to_owned(), rest::measure().await);
    }
    if wanted("start") {
        result.insert("start".to_owned(), start::measure());
        let binary = std::fs::metadata(env!("CARGO_BIN_EXE_askdesk-desktop")).unwrap().len();
        result.insert("binary_mib".to_owned(), json!(rounded(binary as f64 / MIB)));
    }
    result.insert("counts".to_owned(), json!({ "questions": QUESTIONS }));
    println!("askdesk-bench: {}", serde_json::Value::Object(result));
}

/// Reads the clock that pages see too.
fn now_ms() -> f64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() * 1e3
}

const MIB: f64 = 1024.0 * 1024.0;

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
