//! What the app costs: latencies in the real window, and start and memory compared with an empty window.
//!
//! Prints one line `askdesk-bench: {json}`. Run by `cargo xtask bench`, which brings the display.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "this is a test program")]

#[cfg(target_os = "linux")]
mod agents;
mod changes;
mod desks;
#[path = "../window/desktop.rs"]
#[allow(dead_code, reason = "the desktop serves the window tests too")]
mod desktop;
#[cfg(target_os = "linux")]
#[path = "../window/fake_tray.rs"]
#[allow(dead_code, reason = "the tray serves the window tests too")]
mod fake_tray;
mod files;
mod gateway;
#[path = "../window/harness.rs"]
#[allow(dead_code, reason = "the harness serves the window tests too")]
mod harness;
mod history;
mod latency;
mod load;
mod long;
#[cfg(target_os = "linux")]
mod notifications;
mod process;
#[cfg(target_os = "linux")]
#[path = "../window/process_stats.rs"]
mod process_stats;
#[cfg(target_os = "linux")]
#[path = "../window/real_claude.rs"]
#[allow(dead_code, reason = "the sessions serve the window tests too")]
mod real_claude;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(target_os = "linux")]
mod rest;
mod screen;
mod start;
mod stream;
#[cfg(target_os = "linux")]
mod tray;

use latency::Pace;
use serde_json::json;

/// How many questions are asked and answered.
const QUESTIONS: usize = 200;
/// How many of them are asked without a pause between.
const QUESTIONS_AT_ONCE: usize = 100;
/// How many are asked out of view.
#[cfg(target_os = "linux")]
const QUESTIONS_UNSEEN: usize = 40;

/// Measures everything, or only the parts that are named: `answers`, `notifications`, `tray`, `gateway`, `load`, `long`, `stream`, `rest`, `changes`,
/// `files`, `agents`, `start`, `history`; with both of the last, a long history is started too.
/// Started as an agent's program, it relays that program.
fn main() {
    #[cfg(target_os = "linux")]
    if let Ok(description) = std::env::var(relay::VARIABLE) {
        relay::run(&description);
    }
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
    #[cfg(target_os = "linux")]
    if wanted("notifications") {
        let delays = notifications::measure(QUESTIONS_UNSEEN).await;
        result.insert("agent_line_to_notification_daemon_ms".to_owned(), delays.json());
        let share = notifications::at_rest().await;
        result.insert("cpu_while_a_notification_is_shown_percent".to_owned(), json!(rounded(share * 100.0)));
    }
    #[cfg(target_os = "linux")]
    if wanted("tray") {
        result.insert("in_the_tray".to_owned(), tray::measure().await.json());
    }
    if wanted("gateway") {
        result.insert("gateway".to_owned(), gateway::measure().await.json());
    }
    if wanted("load") {
        result.insert("under_load".to_owned(), load::case_62_keys_while_fifty_agents_write().await.json());
    }
    if wanted("long") {
        result.insert("long_session".to_owned(), long::measure().await.json());
    }
    if wanted("stream") {
        result.insert("stream".to_owned(), stream::measure().await);
    }
    #[cfg(target_os = "linux")]
    if wanted("rest") {
        result.insert("at_rest".to_owned(), rest::measure().await);
    }
    if wanted("changes") {
        result.insert("changes".to_owned(), changes::measure().await.json());
    }
    if wanted("files") {
        result.insert("files".to_owned(), files::measure().await.json());
    }
    #[cfg(target_os = "linux")]
    if wanted("agents") {
        result.insert("agents".to_owned(), agents::measure().await);
    }
    if wanted("start") {
        let desks = [Some(desks::TEN), wanted("history").then_some(desks::THOUSAND)];
        result.insert("start".to_owned(), start::measure(&desks.into_iter().flatten().collect::<Vec<_>>()));
        let binary = std::fs::metadata(env!("CARGO_BIN_EXE_askdesk-desktop")).unwrap().len();
        result.insert("binary_mib".to_owned(), json!(rounded(binary as f64 / MIB)));
    }
    if wanted("history") {
        result.insert("history".to_owned(), history::measure(&desks::THOUSAND.folder()).await);
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
