//! One run of a process: its input, its output up to a size, and its end within a time limit.

use std::io::{Read, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{MAX_ERRORS, MAX_OUTPUT};

/// How often a running process is looked at.
const POLL: Duration = Duration::from_millis(2);
/// How long the output of a process that has ended is waited for. A program that a hook left behind may keep it open.
const LINGER: Duration = Duration::from_secs(2);

/// How long a process may take to clean up after the time limit.
#[cfg(unix)]
const CLEAN_UP: Duration = Duration::from_secs(2);

pub(crate) struct Exited {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
}

/// Runs a command; returns none if it was ended because of the time limit.
pub(crate) fn run(mut command: Command, input: Vec<u8>, limit: Duration) -> std::io::Result<Option<Exited>> {
    detach(&mut command)?;
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    std::thread::spawn(move || {
        // It may end without reading all of it; its status says why.
        let _ = stdin.map(|mut stdin| stdin.write_all(&input));
    });
    // Git ends early where nobody reads its output. Its hooks write into its error output, and must not fail because of that.
    let output = Reading::start(child.stdout.take(), MAX_OUTPUT, Rest::Refused);
    let errors = Reading::start(child.stderr.take(), MAX_ERRORS, Rest::Dropped);
    let Some(status) = wait(&mut child, limit)? else { return Ok(None) };
    Ok(Some(Exited { status, output: output.finish(), errors: errors.finish() }))
}

/// What happens to output over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// Nobody reads it, which ends whoever writes it.
    Refused,
    Dropped,
}

/// Something that is read in the background. What is cut off is noticed by its length.
struct Reading {
    read: Arc<Mutex<Vec<u8>>>,
    done: Receiver<()>,
}

impl Reading {
    fn start(from: Option<impl Read + Send + 'static>, most: u64, rest: Rest) -> Self {
        let read: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (end, done) = channel();
        let into = Arc::clone(&read);
        std::thread::spawn(move || {
            let mut from = from.map(|from| from.take(most));
            let mut piece = vec![0; 64 * 1024];
            while let Some(bytes) = from.as_mut().and_then(|from| from.read(&mut piece).ok()) {
                if bytes == 0 {
                    break;
                }
                into.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&piece[..bytes]);
            }
            if let (Rest::Dropped, Some(from)) = (rest, from) {
                let _ = std::io::copy(&mut from.into_inner(), &mut std::io::sink());
            }
            let _ = end.send(());
        });
        Self { read, done }
    }

    fn finish(self) -> Vec<u8> {
        let _ = self.done.recv_timeout(LINGER);
        std::mem::take(&mut *self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Waits for a process; ends it with everything it started and returns none after the limit.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            kill(child)?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// Gives a process a session of its own, so that its hooks end with it and no terminal stops them.
#[cfg(unix)]
fn detach(command: &mut Command) -> std::io::Result<()> {
    askdesk_user_environment::in_own_session(command)
}

/// Keeps Windows from showing a console for a moment.
#[cfg(windows)]
fn detach(command: &mut Command) -> std::io::Result<()> {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
    Ok(())
}

/// Ends a process with everything it started. Git gets the time to remove its lock files and what it has half made.
#[cfg(unix)]
fn kill(child: &mut Child) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return child.kill() };
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + CLEAN_UP;
    // Its status stays to be collected, so that no other process gets its id before the second signal.
    let ended =
        || waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT);
    while Instant::now() < deadline && matches!(ended(), Ok(None)) {
        std::thread::sleep(POLL);
    }
    let _ = kill_process_group(group, Signal::KILL);
    child.kill()
}

/// Ends a process, but nothing that it started.
#[cfg(not(unix))]
fn kill(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}
