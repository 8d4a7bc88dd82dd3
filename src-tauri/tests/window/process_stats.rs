//! The app's process, and the processor time that it uses.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

/// Returns the app's process, which the driver has started.
pub fn main_process(root: u32) -> u32 {
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_askdesk-desktop")).unwrap();
    let is_app = |process: &u32| {
        let exe = fs::read_link(format!("/proc/{process}/exe"));
        exe.is_ok_and(|exe| exe == program) && parent(*process) == Some(root)
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let mut processes = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.find(is_app).expect("the app runs below its driver")
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
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
