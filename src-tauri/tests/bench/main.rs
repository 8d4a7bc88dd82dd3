//! What the desk costs: latencies in the real window, start and memory beside a window with nothing in it.
//!
//! Prints one line `askdesk-bench: {json}`. Run by `cargo xtask bench`, which brings the display.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "this is a test program")]

#[path = "../window/harness.rs"]
#[allow(dead_code, reason = "the harness serves the window tests too")]
mod harness;
mod latency;
mod process;

use latency::Pace;
use serde_json::json;

/// How many questions are asked and answered.
const QUESTIONS: usize = 200;
/// How many of them are asked without a pause between.
const QUESTIONS_AT_ONCE: usize = 100;
/// How often each window is started.
const STARTS: usize = 9;

#[tokio::main]
async fn main() {
    let latencies = latency::measure(QUESTIONS, Pace::Thinking).await;
    let at_once = latency::measure(QUESTIONS_AT_ONCE, Pace::AtOnce).await;
    let starts = process::measure(STARTS);
    let result = json!({
        "agent_line_to_panel_painted_ms": latencies.painted.json(),
        "asked_at_once_to_panel_painted_ms": at_once.painted.json(),
        "submit_to_agent_stdin_ms": latencies.submitted.json(),
        "one_word_painted_ms": latencies.frame.json(),
        "first_paint_ms": { "askdesk": starts.desk.paint, "empty_window": starts.empty.paint,
            "ratio": ratio(starts.desk.paint, starts.empty.paint) },
        "memory_pss_mib": { "askdesk": starts.desk.pss_mib, "empty_window": starts.empty.pss_mib,
            "ratio": ratio(starts.desk.pss_mib, starts.empty.pss_mib) },
        "memory_rss_mib": { "askdesk": starts.desk.rss_mib, "empty_window": starts.empty.rss_mib,
            "ratio": ratio(starts.desk.rss_mib, starts.empty.rss_mib) },
        "binary_mib": rounded(std::fs::metadata(env!("CARGO_BIN_EXE_askdesk-desktop")).unwrap().len() as f64 / MIB),
        "counts": { "questions": QUESTIONS, "starts": STARTS },
    });
    println!("askdesk-bench: {result}");
}

/// Reads the clock that pages see too.
fn now_ms() -> f64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() * 1e3
}

const MIB: f64 = 1024.0 * 1024.0;

fn ratio(a: f64, b: f64) -> f64 {
    rounded(a / b)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
