//! Fifty agents that write as fast as agents do, while somebody answers (acceptance case 62): what the panel feels and
//! what memory does.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::desktop::{WINDOW, activate};
use crate::harness::{App, Setup};
use crate::latency::{Times, numbers};
use crate::{process, rounded};

const AGENTS: usize = 50;
/// How many lines each writes in a second.
const LINES_PER_SECOND: usize = 200;
/// For how long, in seconds.
const SECONDS: usize = 60;
/// How many keys are pressed meanwhile.
const KEYS: usize = 400;
/// How long the agents have been writing before the first of them.
const SETTLED: Duration = Duration::from_secs(3);
/// The pause between two of them, in milliseconds: no multiple of a screen refresh, or every key of a run would wait as long as
/// the first for its frame.
const KEY_PAUSE: usize = 97;

pub struct Load {
    /// From a key in the panel to its paint.
    pub keys: Times,
    /// What all processes of the app held after a third of the time, in MiB.
    pub early_mib: f64,
    /// What they held at the end.
    pub late_mib: f64,
    /// What those held at the end that are not agents.
    pub of_app_mib: f64,
    /// How many lines the agents wrote.
    pub written: usize,
    /// How many of them are in the transcripts.
    pub kept: usize,
}

pub async fn case_62_keys_while_fifty_agents_write() -> Load {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("load.json");
    std::fs::write(&scenario, load().to_string()).unwrap();
    let app = Setup::default()
        // Otherwise, this would measure fifty agents that write to one file.
        .env("ASKDESK_FAKE_RECORD", "")
        .env("ASKDESK_FAKE_PACE", "100")
        .open()
        .await;
    let asking = app.start_demo("technology", "Asks").await;
    app.select(&asking).await;
    let radio = app.by_role("radio", "PostgreSQL").await;
    app.press(&radio).await;
    let mut writing = Vec::new();
    for n in 0..AGENTS {
        writing.push(start(&app, &scenario, n).await);
    }
    // The start of fifty processes is not measured.
    app.wait_long("every agent at work", async || in_state(&app, "working").await.then_some(())).await;
    sleep(SETTLED).await;
    app.script(NOTE_KEYS, vec![]).await;
    let mut keys = press_keys();
    sleep(Duration::from_secs(SECONDS as u64 / 3)).await;
    let early_mib = process::memory(app.root());
    tokio::task::spawn_blocking(move || assert!(keys.wait().unwrap().success())).await.unwrap();
    app.wait_long("the agents to end their turns", async || in_state(&app, "idle").await.then_some(())).await;
    let late_mib = process::memory(app.root());
    let of_app_mib = process::of_app(app.root()).iter().map(|held| held.pss_mib).sum();
    let times = key_times(&app).await;
    assert!(times.len() >= KEYS / 2, "{} of {KEYS} keys were seen", times.len());
    let mut kept = 0;
    for session in &writing {
        kept += lines_of(&app, session).await;
    }
    app.close().await;
    let written = AGENTS * LINES_PER_SECOND * SECONDS;
    Load { keys: Times(times), early_mib, late_mib, of_app_mib, written, kept }
}

impl Load {
    pub fn json(&self) -> Value {
        json!({
            "agents": AGENTS, "lines_per_second_each": LINES_PER_SECOND, "seconds": SECONDS,
            "lines_written": self.written, "lines_kept": self.kept,
            "key_painted_after_first_arrival_ms": self.keys.json(),
            "memory_pss_mib": { "after_a_third": rounded(self.early_mib), "at_the_end": rounded(self.late_mib),
                "at_the_end_without_agents": rounded(self.of_app_mib),
                "ratio": rounded(self.late_mib / self.early_mib) },
        })
    }
}

fn load() -> Value {
    let second = json!({ "flood": { "lines": LINES_PER_SECOND, "per_second": LINES_PER_SECOND } });
    json!({ "name": "load", "title": "A lot of text", "description": "Writes for a minute.",
        "turns": [[{ "repeat": { "times": SECONDS, "steps": [second] } }]] })
}

async fn start(app: &App, scenario: &Path, n: usize) -> String {
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "demo", "options": { "config": { "example": scenario } },
        "name": format!("Writes {n}"), "prompt": "Go." });
    let session = app.invoke("start_session", input).await.unwrap();
    session["id"].as_str().unwrap().to_owned()
}

/// Presses real keys in the panel: up and down between two options.
fn press_keys() -> std::process::Child {
    activate(WINDOW);
    let keys = ["Down", "Up"].into_iter().cycle().take(KEYS);
    let pause = KEY_PAUSE.to_string();
    Command::new("xdotool").args(["key", "--delay", &pause]).args(keys).spawn().unwrap()
}

/// Notes for each key how long it takes from its time stamp to the page, and to the first task after its frame.
const NOTE_KEYS: &str = "
    window.__arrived = [];
    window.__painted = [];
    document.addEventListener('keydown', event => {
        const pressed = event.timeStamp;
        window.__arrived.push(performance.now() - pressed);
        requestAnimationFrame(() => {
            setTimeout(() => window.__painted.push(performance.now() - pressed));
        });
    }, true);";

/// How long each key took until it was painted, in milliseconds. The time stamps are of the display server and can be off by a
/// constant (60 ms early on one machine), so the key that arrived first sets the zero. A constant delay before the page isn't
/// measured.
async fn key_times(app: &App) -> Vec<f64> {
    let arrived = numbers(&app.script("return window.__arrived", vec![]).await);
    let zero = arrived.into_iter().fold(f64::INFINITY, f64::min);
    let painted = numbers(&app.script("return window.__painted", vec![]).await);
    painted.into_iter().map(|time| time - zero).collect()
}

/// Says whether every agent that writes is in that state.
async fn in_state(app: &App, state: &str) -> bool {
    let script = format!("return document.querySelectorAll('nav [data-session][data-state={state}]').length");
    app.script(&script, vec![]).await.as_u64() == Some(AGENTS as u64)
}

async fn lines_of(app: &App, session: &str) -> usize {
    let input = json!({ "session": session, "before": null, "limit": 500 });
    let page = app.invoke("read_transcript", input).await.unwrap();
    assert_eq!(page["more"], false, "one page holds it all");
    let entries = page["entries"].as_array().unwrap().iter();
    let texts = entries.filter(|entry| entry["body"]["kind"] == "agent");
    texts
        .map(|entry| {
            entry["body"]["text"].as_str().unwrap().lines().filter(|l| l.starts_with("line ")).count()
        })
        .sum()
}
