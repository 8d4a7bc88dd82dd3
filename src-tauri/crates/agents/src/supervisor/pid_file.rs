//! PID files of agents that run without a host, so that the next start can kill those that outlived the app.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::owner;

/// The folder of the PID files in the data folder; each is named after the process id.
const FOLDER: &str = "agents";

static KEPT_IN: Mutex<Option<PathBuf>> = Mutex::new(None);
/// The process ids of the agents of this process. Several desks of one process share a folder.
static OWN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn own() -> MutexGuard<'static, BTreeSet<u32>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills the agents that an earlier process left behind, and keeps the PID files of new ones in this data folder. Those of a
/// process that still runs are left alone: this folder is a copy of its folder.
pub fn kill_orphans(data_folder: &Path) {
    let folder = data_folder.join(FOLDER);
    #[cfg(target_os = "linux")]
    kill_marked(&folder);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        #[cfg(target_os = "linux")]
        if name.to_str().is_some_and(super::tree_mark::is_file_of_run) {
            continue;
        }
        let pid = name.to_str().and_then(|name| name.parse().ok());
        if pid.and_then(|pid| u32::try_from(pid).ok()).is_some_and(|pid| own().contains(&pid)) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let (owner, text) = text.split_once('\n').unwrap_or_default();
        let has_ended = owner::has_ended(owner);
        if has_ended == Some(false) {
            continue;
        }
        if let (Some(pid), Some(kept), Some(true)) = (pid, Identity::from_record(text), has_ended)
            && Identity::of(pid).as_ref() == Some(&kept)
        {
            tracing::warn!(pid, command = kept.command, "an agent outlived Askdesk, so it is ended now");
            // It led a group, as every agent does. It fails only where it has just ended.
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
        }
        if let Err(error) = fs::remove_file(entry.path()) {
            tracing::warn!(%error, "the record of an agent could not be removed");
        }
    }
    *KEPT_IN.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
}

/// Keeps the id of this run, and kills in the background what earlier runs left behind.
#[cfg(target_os = "linux")]
fn kill_marked(folder: &Path) {
    if let Err(error) = write(folder, &folder.join(super::tree_mark::file_of_run()), "") {
        tracing::warn!(%error, "this run isn't recorded, so processes of agents may outlive a crash of Askdesk");
    }
    let folder = folder.to_owned();
    let kill = move || super::tree_mark::kill_earlier(&folder);
    if let Err(error) = std::thread::Builder::new().name("left-behind".to_owned()).spawn(kill) {
        tracing::warn!(%error, "nobody looks for processes of agents that outlived Askdesk");
    }
}

/// The PID file of one running agent; deleted when dropped.
#[derive(Debug)]
pub struct PidFile {
    pid: u32,
    file: PathBuf,
    writing: Option<JoinHandle<()>>,
}

impl PidFile {
    /// Writes the file of an agent, if a data folder is known.
    pub fn of(pid: u32) -> Option<Self> {
        let folder = KEPT_IN.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let file = folder.join(pid.to_string());
        let to = file.clone();
        // Asking for its identity takes a process of its own.
        let write = move || {
            let identity = i32::try_from(pid).ok().and_then(Identity::of);
            let written = identity.map_or(Ok(()), |identity| write(&folder, &to, &identity.to_record()));
            if let Err(error) = written {
                tracing::warn!(%error, "an agent isn't recorded, so it may outlive a crash of Askdesk");
            }
        };
        own().insert(pid);
        let writing = std::thread::Builder::new().name("agent-record".to_owned()).spawn(write).ok();
        Some(Self { pid, file, writing })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        own().remove(&self.pid);
        let (file, writing) = (std::mem::take(&mut self.file), self.writing.take());
        let remove = move || {
            writing.map(JoinHandle::join);
            // It is not there if the agent had ended before it could be recorded.
            let _ = fs::remove_file(file);
        };
        // Nobody waits for the other process; a file that is left is of an agent that has ended.
        let _ = std::thread::Builder::new().name("agent-record".to_owned()).spawn(remove);
    }
}

/// Writes a record below the name of its owner.
fn write(folder: &Path, file: &Path, text: &str) -> io::Result<()> {
    // The umask may remove some of the owner's permissions.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    let text = format!("{}\n{text}", owner::of_this_run()?);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}

/// What tells a process that leads a group from a later one with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    /// The start of the process in UTC, as ps(1) writes it, to the second.
    started: String,
    /// The name of its program. Agents overwrite their arguments, but not this.
    command: String,
}

impl Identity {
    /// Asks the system about a process; none if it is gone or leads no group.
    fn of(pid: i32) -> Option<Self> {
        let columns = ["-o", "pgid=", "-o", "lstart=", "-o", "ucomm=", "-p"];
        let mut ps = Command::new("ps");
        ps.args(columns).arg(pid.to_string()).env("LC_ALL", "C").env("TZ", "UTC");
        let output = ps.output().ok()?;
        Self::from_ps(pid, &String::from_utf8_lossy(&output.stdout))
    }

    fn from_ps(pid: i32, text: &str) -> Option<Self> {
        let words: Vec<&str> = text.lines().next()?.split_whitespace().collect();
        let [group, weekday, month, day, time, year, command @ ..] = words.as_slice() else { return None };
        let leads = group.parse() == Ok(pid) && !command.is_empty();
        let started = [*weekday, *month, *day, *time, *year].join(" ");
        leads.then(|| Self { started, command: command.join(" ") })
    }

    fn to_record(&self) -> String {
        format!("{}\n{}\n", self.started, self.command)
    }

    fn from_record(text: &str) -> Option<Self> {
        let (started, command) = text.trim_end().split_once('\n')?;
        Some(Self { started: started.to_owned(), command: command.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Child;

    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("1000").process_group(0).spawn().unwrap()
    }

    #[test]
    fn an_identity_is_read_from_what_ps_says_and_survives_the_record() {
        let identity = |started: &str, command: &str| {
            Some(Identity { started: started.to_owned(), command: command.to_owned() })
        };
        for (text, expected) in [
            ("  501 Sun Nov  1 07:26:00 2026     node\n", identity("Sun Nov 1 07:26:00 2026", "node")),
            ("501 Sun Nov 22 17:26:00 2026 Claude Code", identity("Sun Nov 22 17:26:00 2026", "Claude Code")),
            ("500 Sun Nov 22 17:26:00 2026 node", None),
            ("501 Sun Nov 22 17:26:00 2026", None),
            ("", None),
        ] {
            assert_eq!(Identity::from_ps(501, text), expected, "{text}");
            if let Some(identity) = expected {
                assert_eq!(Identity::from_record(&identity.to_record()), Some(identity));
            }
        }
        assert_eq!(Identity::from_record("half"), None);
    }

    /// One test, because where records are kept is known to the whole process.
    #[test]
    fn case_167_the_next_start_ends_what_an_earlier_desk_left_and_nothing_of_one_that_runs() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join(FOLDER);
        let (mut left, mut other) = (sleeper(), sleeper());
        fs::create_dir(&folder).unwrap();
        let this = owner::of_this_run().unwrap();
        let ended = format!("{}1", this.trim_end_matches(char::is_numeric));
        let record = |child: &Child, owner: &str, identity: &Identity| {
            let text = format!("{owner}\n{}", identity.to_record());
            fs::write(folder.join(child.id().to_string()), text).unwrap();
        };
        let identity = Identity::of(left.id().cast_signed()).unwrap();
        assert_eq!(identity.command, "sleep");
        // Of a run that goes on.
        record(&left, &this, &identity);
        kill_orphans(data.path());
        assert!(left.try_wait().unwrap().is_none() && folder.join(left.id().to_string()).exists());
        record(&left, &ended, &identity);
        // Another process has the id by now.
        record(&other, &ended, &Identity { started: "Sun Nov 1 07:26:00 2020".to_owned(), ..identity });
        fs::write(folder.join("no-number"), "x").unwrap();
        kill_orphans(data.path());
        assert!(!left.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none());
        let left = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.filter(|name| !name.to_string_lossy().starts_with("run-")).count(), 0);

        let kept = PidFile::of(other.id()).unwrap();
        let file = folder.join(other.id().to_string());
        let until = |exists: bool| {
            let began = std::time::Instant::now();
            while file.exists() != exists {
                assert!(began.elapsed().as_secs() < 20, "the record exists: {}", !exists);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        };
        until(true);
        // Another desk of this process opens.
        kill_orphans(data.path());
        assert!(other.try_wait().unwrap().is_none() && file.exists());
        drop(kept);
        until(false);
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
