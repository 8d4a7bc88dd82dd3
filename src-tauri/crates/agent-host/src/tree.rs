//! The processes below another one, read from `/proc`.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// How long to wait between two passes.
const PASS: Duration = Duration::from_millis(5);
/// How often [`kill_started_with`] looks again: a killed process ends between two passes unless it waits for a device.
const PASSES: usize = 100;

/// One process; another one that gets the same id later is not equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    pid: i32,
    /// Clock ticks between the start of the system and of the process.
    started: u64,
}

impl Process {
    pub fn find(pid: i32) -> Option<Self> {
        Stat::read(pid).map(|stat| Self { pid, started: stat.started })
    }

    /// Returns the clock ticks between the start of the system and of the process.
    pub const fn started(self) -> u64 {
        self.started
    }

    /// Kills the process unless it has ended.
    pub fn kill(self) {
        if self.is_running() {
            // It fails only where the process has just ended or belongs to another user.
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
        }
    }

    /// Kills the process, unless it has ended, and everything below it.
    pub fn kill_with_descendants(self) {
        if self.is_running() {
            let below = descendants(self.pid);
            self.kill();
            below.into_iter().for_each(Self::kill);
        }
    }

    /// Reports whether the process has not ended; one that waits to be collected has.
    pub fn is_running(self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.started == self.started && !stat.is_zombie)
    }
}

/// Lists the processes below `root` that have not ended.
pub fn descendants(root: i32) -> HashSet<Process> {
    let all: Vec<(i32, Stat)> =
        all_pids().filter_map(|pid| Stat::read(pid).map(|stat| (pid, stat))).collect();
    let mut seen = HashSet::from([root]);
    let mut below = HashSet::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for (pid, stat) in all.iter().filter(|(_, stat)| stat.parent == parent) {
            if seen.insert(*pid) {
                parents.push(*pid);
                if !stat.is_zombie {
                    below.insert(Process { pid: *pid, started: stat.started });
                }
            }
        }
    }
    below
}

/// Kills everything below this process and collects it, until nothing is left or the time is up. Returns whether nothing is
/// left.
///
/// Works only in a child subreaper: elsewhere a process whose parent ends is no longer below this one.
pub fn kill_below(limit: Duration) -> bool {
    let own = nix::unistd::getpid().as_raw();
    let until = Instant::now() + limit;
    loop {
        let left = descendants(own);
        for process in &left {
            process.kill();
        }
        while collect_one() {}
        if left.is_empty() || Instant::now() >= until {
            return left.is_empty();
        }
        std::thread::sleep(PASS);
    }
}

/// Kills the processes of this user that were started with a variable whose value `matches`, and what they start meanwhile.
/// Returns how many there were. Not found are processes that have changed their environment in memory.
pub fn kill_started_with(variable: &str, matches: impl Fn(&[u8]) -> bool) -> usize {
    let mut killed = HashSet::new();
    for _ in 0..PASSES {
        let found: Vec<Process> = started_with(variable, &matches).collect();
        if found.is_empty() {
            break;
        }
        for process in found {
            process.kill();
            killed.insert(process);
        }
        std::thread::sleep(PASS);
    }
    killed.len()
}

fn started_with(variable: &str, matches: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = Process> {
    let own = nix::unistd::getpid().as_raw();
    all_pids().filter(move |pid| *pid != own).filter_map(move |pid| {
        // The process before its environment: if another one gets the id in between, its start tells.
        let process = Process::find(pid).filter(|process| process.is_running())?;
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let value = environment
            .split(|byte| *byte == 0)
            .find_map(|entry| entry.strip_prefix(variable.as_bytes())?.strip_prefix(b"="))?;
        matches(value).then_some(process)
    })
}

fn all_pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn collect_one() -> bool {
    match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => false,
        // A status that has no name here was collected all the same.
        Ok(_) | Err(_) => true,
    }
}

struct Stat {
    is_zombie: bool,
    parent: i32,
    started: u64,
}

impl Stat {
    /// Reads fields 3, 4 and 22 of a process's `stat`; see proc(5).
    fn read(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name before it may contain spaces and brackets.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        Some(Self { is_zombie, parent, started: fields.nth(17)?.parse().ok()? })
    }
}
