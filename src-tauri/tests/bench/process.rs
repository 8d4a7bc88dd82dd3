//! The memory of all processes.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

/// What one process holds.
pub struct Held {
    pub pid: u32,
    pub name: String,
    /// What agents are started with, among other things.
    pub arguments: String,
    pub pss_mib: f64,
}

/// Sums the memory of a process and all its descendants, in MiB.
pub fn memory(root: u32) -> f64 {
    held(root).iter().map(|held| held.pss_mib).sum()
}

/// Lists what a process and each of its descendants hold.
fn held(root: u32) -> Vec<Held> {
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

/// Lists what the app itself holds: neither its agents, nor the driver of the window.
pub fn of_app(root: u32) -> Vec<Held> {
    let mut all = held(root);
    all.retain(|held| !held.arguments.contains(" demo-agent ") && !held.name.starts_with("WebKitWebDri"));
    all
}

fn held_by(pid: u32) -> Held {
    let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let rollup = read("smaps_rollup");
    let pss = rollup.lines().find(|line| line.starts_with("Pss:"));
    let pss_kib = pss.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    let arguments = read("cmdline").replace('\0', " ");
    Held {
        pid,
        name: read("comm").trim().to_owned(),
        arguments,
        pss_mib: pss_kib.unwrap_or_default() / 1024.0,
    }
}

/// The processor time of each thread of a process, in nanoseconds.
pub struct Worked(HashMap<OsString, u64>);

impl Worked {
    pub fn of(process: u32) -> Self {
        let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
        let times = threads.filter_map(|thread| {
            let schedule = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            Some((thread.file_name(), schedule.split_whitespace().next()?.parse::<u64>().ok()?))
        });
        Self(times.collect())
    }

    /// Returns the processor time since an earlier reading, without that of threads that have ended meanwhile.
    pub fn since(&self, before: &Self) -> Duration {
        let of_thread = |(thread, now): (&OsString, &u64)| now - before.0.get(thread).copied().unwrap_or(0);
        Duration::from_nanos(self.0.iter().map(of_thread).sum())
    }
}
