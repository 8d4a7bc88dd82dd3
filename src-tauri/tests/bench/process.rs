//! The time to the first paint, and the memory of all processes.

use std::collections::HashMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::PATIENCE;
use crate::{now_ms, rounded};

/// What one window costs: the median of several starts.
pub struct Cost {
    pub paint: f64,
    pub pss_mib: f64,
    pub rss_mib: f64,
}

pub struct Starts {
    pub app: Cost,
    /// The app, while the user's shell takes ten seconds to say what its environment is.
    pub slow_shell: Cost,
    pub empty: Cost,
}

/// Starts all in turn, so that the machine's load affects all.
pub fn measure(starts: usize) -> Starts {
    let mut app = Vec::new();
    let mut slow_shell = Vec::new();
    let mut empty = Vec::new();
    for _ in 0..starts {
        app.push(start(env!("CARGO_BIN_EXE_askdesk-desktop"), ""));
        slow_shell.push(start(env!("CARGO_BIN_EXE_askdesk-desktop"), "sleep 10\n"));
        empty.push(start(env!("CARGO_BIN_EXE_empty-window"), ""));
    }
    Starts { app: median(&app), slow_shell: median(&slow_shell), empty: median(&empty) }
}

fn median(costs: &[Cost]) -> Cost {
    let middle = |of: fn(&Cost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        rounded(values[values.len() / 2])
    };
    Cost { paint: middle(|c| c.paint), pss_mib: middle(|c| c.pss_mib), rss_mib: middle(|c| c.rss_mib) }
}

/// Starts a program without a terminal, in a home with these lines in `.bashrc`.
fn start(program: &str, startup_lines: &str) -> Cost {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join(".bashrc"), startup_lines).unwrap();
    let trace = home.path().join("trace.jsonl");
    let began = now_ms();
    let mut child = Command::new("setsid")
        .arg(program)
        .env("SHELL", "/bin/bash")
        .env("HOME", home.path())
        .env("XDG_DATA_HOME", home.path().join("share"))
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .env("ASKDESK_DATA_DIR", home.path().join("data"))
        .env("ASKDESK_TRACE", &trace)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let waiting = Instant::now();
    let painted = loop {
        let text = fs::read_to_string(&trace).unwrap_or_default();
        if let Some(line) = text.lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok()) {
            break line["at_ms"].as_f64().unwrap();
        }
        assert!(waiting.elapsed() < PATIENCE, "{program} painted nothing");
        std::thread::sleep(Duration::from_millis(5));
    };
    // Memory settles once everything that runs at the start has run.
    std::thread::sleep(Duration::from_secs(2));
    let (pss, rss) = memory(child.id());
    end(&mut child);
    Cost { paint: painted - began, pss_mib: pss / 1024.0, rss_mib: rss / 1024.0 }
}

fn end(child: &mut Child) {
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}

/// What one process holds.
pub struct Held {
    pub name: String,
    /// What agents are started with, among other things.
    pub arguments: String,
    pub pss_mib: f64,
    pub rss_mib: f64,
}

/// Sums the memory of a process and all its descendants, in KiB: (proportional, resident).
pub fn memory(root: u32) -> (f64, f64) {
    let held = held(root);
    (
        held.iter().map(|held| held.pss_mib).sum::<f64>() * 1024.0,
        held.iter().map(|held| held.rss_mib).sum::<f64>() * 1024.0,
    )
}

/// Lists what a process and each of its descendants hold.
pub fn held(root: u32) -> Vec<Held> {
    let mut parents: HashMap<u32, u32> = HashMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        if let Some(parent) = after_name.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()) {
            parents.insert(pid, parent);
        }
    }
    let belongs = |pid: u32| {
        let mut at = pid;
        while at != root {
            match parents.get(&at) {
                Some(parent) => at = *parent,
                None => return false,
            }
        }
        true
    };
    parents.keys().copied().filter(|pid| belongs(*pid)).map(held_by).collect()
}

fn held_by(pid: u32) -> Held {
    let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let rollup = read("smaps_rollup");
    let mib = |name: &str| {
        let line = rollup.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
    };
    let arguments = read("cmdline").replace('\0', " ");
    Held { name: read("comm").trim().to_owned(), arguments, pss_mib: mib("Pss:"), rss_mib: mib("Rss:") }
}
