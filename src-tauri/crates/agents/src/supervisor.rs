//! Owns an agent's process: starts it, reads and writes its lines within bounds, and kills everything it started.

#[cfg(target_os = "linux")]
mod agent_host;
mod batch_scheduling;
mod output;
#[cfg(unix)]
mod owner;
#[cfg(unix)]
mod pid_file;
mod process_tree;
mod start;
#[cfg(target_os = "linux")]
mod tree_mark;

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use askdesk_domain::{AgentFailure, FolderError, ProgramError};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use crate::event_queue::{ProcessEvents, event_queue};
use crate::launch::LaunchPlan;
use crate::line_writer::{self, LineWriter, WriteError};
use crate::link_event::{Exit, LinkEnd, LinkEvent};
use crate::secrets::Secrets;
use output::{Tail, read_stderr, read_stdout};
use process_tree::ProcessTree;

pub use output::{STDERR_LINE, STDERR_TAIL};
#[cfg(unix)]
pub use pid_file::kill_orphans;
pub use start::START_LIMIT;

/// How long the output of an agent that has ended may stay silent before it counts as ended too.
///
/// A process that the agent left behind outside its group can hold the pipe open forever.
pub const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);
/// How long an agent that was asked to end (SIGTERM) may still take before it is killed.
pub const TERM_GRACE: Duration = Duration::from_millis(300);
/// How long a killed process may take to exit: one that waits for a device cannot.
pub const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// One running process of an agent; dropping it kills the process and everything it started.
#[derive(Debug)]
pub struct AgentProcess {
    pid: Option<u32>,
    writer: LineWriter,
    /// Asks for an end, each time with a grace period.
    stops: mpsc::UnboundedSender<Duration>,
    ended: watch::Receiver<bool>,
}

impl AgentProcess {
    /// Starts a process, and gives up after [`START_LIMIT`]; must be called within a tokio runtime.
    pub async fn spawn(plan: &LaunchPlan) -> Result<(Self, ProcessEvents), AgentFailure> {
        let mut tree = start::start(plan).await?;
        let pid = tree.pid();
        let child = tree.child();
        let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());

        let (sender, events) = event_queue();
        let (writer, queue) = line_writer::queue();
        let (stops, stop_requests) = mpsc::unbounded_channel();
        let (exited, has_exited) = watch::channel(false);
        let (gone, ended) = watch::channel(false);
        let out = tokio::spawn(read_stdout(stdout, sender.clone(), has_exited.clone()));
        let err = tokio::spawn(read_stderr(stderr, sender.clone(), has_exited.clone(), Secrets::of(plan)));
        // Another process may hold the pipe open, and nobody would read it.
        let hung_up = move || {
            let mut has_exited = has_exited.clone();
            async move { drop(has_exited.wait_for(|exited| *exited).await) }
        };
        if let Some(stdin) = stdin {
            tokio::spawn(queue.write_to(stdin, hung_up));
        }
        tokio::spawn(async move {
            let status = watch_over(tree, stop_requests).await;
            exited.send_replace(true);
            gone.send_replace(true);
            let unfinished = out.await.unwrap_or_default();
            let stderr_tail = err.await.unwrap_or_else(|_| Tail::default()).into_text();
            // Nobody may be listening any more.
            let _ = sender.send(LinkEvent::Ended(LinkEnd { unfinished, status, stderr_tail })).await;
        });
        Ok((Self { pid, writer, stops, ended }, events))
    }

    /// Returns the id the system gave the process.
    pub const fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Writes a line; the line feed is added here. The order of calls is the order of lines, and the future resolves
    /// once all bytes are handed to the pipe, or once it is known that they will not be.
    pub fn write(&self, line: String) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let queued = self.writer.write(line);
        async move { queued?.await }
    }

    pub(crate) fn writer(&self) -> &LineWriter {
        &self.writer
    }

    /// Closes the input once everything written so far is handed over; a well-behaved agent ends then.
    pub fn close_stdin(&self) {
        drop(self.writer.close());
    }

    /// Stops the process and everything it started, and returns when it is gone.
    ///
    /// Closes its input, asks it to end after `grace` (SIGTERM, where the system has that), and kills what is left
    /// [`TERM_GRACE`] later. With a zero grace period everything is killed at once.
    pub async fn stop(&self, grace: Duration) {
        self.close_stdin();
        let _ = self.stops.send(grace);
        let mut ended = self.ended.clone();
        // An error means that its owner is gone, and with it the process.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}

/// Checks that a session can work in a folder.
pub(crate) fn check_folder(folder: &Path) -> Result<(), AgentFailure> {
    let wrong = |problem| Err(AgentFailure::FolderUnusable { path: folder.display().to_string(), problem });
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => wrong(FolderError::NotAFolder),
        Err(error) => wrong(FolderError::of(&error)),
    }
}

#[cfg(unix)]
fn is_out_of_files(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let error = error.raw_os_error().map(Errno::from_raw);
    matches!(error, Some(Errno::EMFILE | Errno::ENFILE))
}

#[cfg(not(unix))]
const fn is_out_of_files(_: &io::Error) -> bool {
    false
}

fn spawn_error(plan: &LaunchPlan, source: &io::Error) -> AgentFailure {
    let problem = match source.kind() {
        ErrorKind::NotFound => ProgramError::Missing,
        ErrorKind::PermissionDenied => ProgramError::Forbidden,
        // EAGAIN: no process more may be started.
        ErrorKind::OutOfMemory | ErrorKind::WouldBlock => ProgramError::Exhausted,
        _ if is_out_of_files(source) => ProgramError::Exhausted,
        _ => ProgramError::Unfit,
    };
    AgentFailure::NotStarted {
        program: plan.program.display().to_string(),
        problem,
        error: source.to_string(),
    }
}

/// Waits for the end, or brings it about on request, and then kills what is left.
async fn watch_over(mut tree: ProcessTree, mut stops: mpsc::UnboundedReceiver<Duration>) -> Exit {
    let ended = tokio::select! {
        status = tree.wait() => Some(status),
        grace = stops.recv() => end_with_grace(&mut tree, grace, &mut stops).await,
    };
    let status = match ended {
        Some(status) => {
            tree.kill();
            status.ok()
        }
        None => tree.end().await,
    };
    tree.clear_up().await;
    status.map_or(Exit::UNKNOWN, Exit::from)
}

/// Waits for an agent whose input is being closed, then asks it to end. The shortest grace period counts.
async fn end_with_grace(
    tree: &mut ProcessTree,
    grace: Option<Duration>,
    stops: &mut mpsc::UnboundedReceiver<Duration>,
) -> Option<io::Result<ExitStatus>> {
    // Without a grace period the owner was dropped, and nobody is left who could wait.
    let grace = grace?;
    let mut until = Instant::now() + grace;
    let mut asked = grace.is_zero();
    loop {
        tokio::select! {
            status = tree.wait() => return Some(status),
            () = sleep_until(until) => {
                if asked {
                    return None;
                }
                asked = true;
                tree.terminate();
                until = Instant::now() + TERM_GRACE;
            }
            grace = stops.recv() => {
                let grace = grace?;
                asked |= grace.is_zero();
                until = until.min(Instant::now() + grace);
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use nix::errno::Errno;

    use super::*;

    #[test]
    fn what_the_system_lacks_is_no_fault_of_the_program() {
        let plan = LaunchPlan {
            program: "/bin/agent".into(),
            args: Vec::new(),
            folder: "/".into(),
            env: Vec::new(),
            env_remove: Vec::new(),
        };
        for (errno, expected) in [
            (Errno::EMFILE, ProgramError::Exhausted),
            (Errno::ENFILE, ProgramError::Exhausted),
            (Errno::EAGAIN, ProgramError::Exhausted),
            (Errno::ENOMEM, ProgramError::Exhausted),
            (Errno::ENOEXEC, ProgramError::Unfit),
            (Errno::ENOENT, ProgramError::Missing),
        ] {
            let error = io::Error::from_raw_os_error(errno as i32);
            let AgentFailure::NotStarted { problem, .. } = spawn_error(&plan, &error) else {
                panic!("{errno}")
            };
            assert_eq!(problem, expected, "{errno}");
        }
    }
}
