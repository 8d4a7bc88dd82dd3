//! A process with everything that it started.

use std::io;
use std::process::ExitStatus;

use process_wrap::tokio::ChildWrapper;

/// A process that leads a group (on Windows: a job) of its own; dropping it kills them all.
#[derive(Debug)]
pub(super) struct Tree {
    child: Box<dyn ChildWrapper>,
    /// Processes that left the group; agents start shells in groups of their own to be able to stop them.
    #[cfg(target_os = "linux")]
    strays: std::collections::HashSet<linux::Process>,
    swept: bool,
}

impl Tree {
    pub(super) fn new(child: Box<dyn ChildWrapper>) -> Self {
        Self {
            child,
            #[cfg(target_os = "linux")]
            strays: std::collections::HashSet::new(),
            swept: false,
        }
    }

    /// Waits for the first process alone; the others are swept away after it.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.inner_mut().wait().await
    }

    /// Asks every process of the group to end.
    pub(super) fn terminate(&mut self) {
        self.note_strays();
        #[cfg(unix)]
        {
            // It fails only where nothing is left to end.
            let _ = self.child.signal(nix::sys::signal::Signal::SIGTERM as i32);
        }
    }

    /// Kills every process of the tree; done once, because later its ids may belong to others.
    pub(super) fn kill(&mut self) {
        if self.swept {
            return;
        }
        self.swept = true;
        self.note_strays();
        // It fails only where nothing is left to kill.
        let _ = self.child.start_kill();
        #[cfg(target_os = "linux")]
        for stray in self.strays.drain() {
            stray.kill();
        }
    }

    /// Notes the descendants while they still hang together: when a parent ends, its children belong to nobody.
    fn note_strays(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) {
            self.strays.extend(linux::descendants(pid));
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    /// A process that a later one with the same id is not taken for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(super) struct Process {
        pid: i32,
        started: u64,
    }

    impl Process {
        pub(super) fn kill(self) {
            if stat(self.pid).is_some_and(|(_, started)| started == self.started) {
                // It fails only where it has just ended.
                let _ = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
            }
        }
    }

    /// Lists the processes below `root`.
    pub(super) fn descendants(root: i32) -> HashSet<Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let all: Vec<(i32, i32, u64)> = entries
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|pid| stat(pid).map(|(parent, started)| (pid, parent, started)))
            .collect();
        let mut below = HashSet::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            for (pid, _, started) in all.iter().filter(|(_, above, _)| *above == parent) {
                if below.insert(Process { pid: *pid, started: *started }) {
                    parents.push(*pid);
                }
            }
        }
        below
    }

    /// Reads a process's parent and the time of its start (fields 4 and 22 of its `stat`).
    fn stat(pid: i32) -> Option<(i32, u64)> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name before it may hold spaces and brackets of its own.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let parent = fields.nth(1)?.parse().ok()?;
        Some((parent, fields.nth(17)?.parse().ok()?))
    }
}
