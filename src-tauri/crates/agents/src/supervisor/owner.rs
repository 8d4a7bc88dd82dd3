//! Names the run of the app that a record is of. A folder may be copied while it runs, and moved after that.

use std::io;

/// Names the running app, as `PID START`.
pub fn of_this_run() -> io::Result<String> {
    let pid = std::process::id();
    let started =
        started(pid).ok_or_else(|| io::Error::other("the system doesn't say when Askdesk started"))?;
    Ok(format!("{pid} {started}"))
}

/// Returns whether the run that a record names has ended, so that what it left behind is nobody's; none if it names none.
pub fn has_ended(owner: &str) -> Option<bool> {
    let (pid, start) = owner.trim_end().split_once(' ')?;
    Some(started(pid.parse().ok()?).is_none_or(|now| now != start))
}

/// Returns when a process started; none if it has ended. It tells a process from a later one with the same id.
#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<String> {
    let process = askdesk_agent_host::tree::Process::find(pid.try_into().ok()?)?;
    process.is_running().then(|| process.started().to_string())
}

#[cfg(not(target_os = "linux"))]
fn started(pid: u32) -> Option<String> {
    let mut ps = std::process::Command::new("ps");
    ps.args(["-o", "lstart=", "-p", &pid.to_string()]).env("LC_ALL", "C").env("TZ", "UTC");
    let said =
        String::from_utf8_lossy(&ps.output().ok()?.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    (!said.is_empty()).then_some(said)
}
