//! Owns an agent's process: starts it, reads it within bounds, writes to it in order, and leaves nothing of it behind.

mod background;
#[cfg(target_os = "linux")]
mod hosted;
mod output;
#[cfg(unix)]
mod record;
mod start;
mod tree;

use std::io::{self, ErrorKind};
use std::process::ExitStatus;
use std::time::Duration;

use askdesk_domain::agent_failure::last_lines;
use askdesk_domain::{AgentFailure, FolderError, NextStep, ProgramError};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::error::WriteError;
use crate::launch::LaunchPlan;
use output::{Tail, read_stderr, read_stdout};
use tree::Tree;

pub use output::{STDERR_LINE, STDERR_TAIL};
#[cfg(unix)]
pub use record::end_leftovers;

/// How many lines of output wait for the reader before the agent has to wait.
pub const OUTPUT_QUEUE: usize = 64;
/// How many lines may wait to be written to an agent that does not read.
pub const WRITE_QUEUE: usize = 64;
/// How long the output of an agent that has ended may stay silent before it counts as ended too.
///
/// A process that the agent left behind outside its group can hold the pipe open for ever.
pub const DRAIN: Duration = Duration::from_millis(500);
/// How long an agent that was asked to end (SIGTERM) may still take before it is killed.
pub const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long a killed process may take to be gone; the system can hold one back that waits for a device.
pub const KILL_WAIT: Duration = Duration::from_secs(5);

/// What comes out of an agent's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line of its output without the line feed.
    Line(Vec<u8>),
    /// A line over [`MAX_LINE`](crate::MAX_LINE), skipped.
    Overlong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A line of its error output, cut to [`STDERR_LINE`].
    Stderr(String),
    /// The process is gone; nothing comes after this.
    End {
        /// What came after the last line feed.
        unfinished: Vec<u8>,
        status: Exit,
        /// The last [`STDERR_TAIL`] bytes of its error output.
        stderr_tail: String,
    },
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, where it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
}

impl Exit {
    /// Says whether it ended by itself and without an error.
    pub const fn is_success(self) -> bool {
        matches!(self.code, Some(0))
    }

    /// Makes a failure of an end that was not wanted.
    pub fn into_failure(self, stderr_tail: &str, next: NextStep) -> AgentFailure {
        AgentFailure::Exited { code: self.code, signal: self.signal, said: last_lines(stderr_tail), next }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self { code: status.code(), signal }
    }
}

/// The output of one process, in order.
#[derive(Debug)]
pub struct Lines(mpsc::Receiver<Output>);

impl Lines {
    /// Waits for the next output; none after [`Output::End`].
    pub async fn next(&mut self) -> Option<Output> {
        self.0.recv().await
    }
}

/// One running process of an agent; dropping it kills the process and everything it started.
#[derive(Debug)]
pub struct AgentProcess {
    pid: Option<u32>,
    writes: mpsc::Sender<Write>,
    orders: mpsc::UnboundedSender<Order>,
    ended: watch::Receiver<bool>,
}

#[derive(Debug)]
enum Write {
    Line(Vec<u8>, oneshot::Sender<Result<(), WriteError>>),
    Close,
}

#[derive(Debug)]
enum Order {
    Stop { grace: Duration },
}

impl AgentProcess {
    /// Starts a process; must be called within a tokio runtime.
    pub fn spawn(plan: &LaunchPlan) -> Result<(Self, Lines), AgentFailure> {
        check_folder(plan)?;
        let mut tree = start::start(plan).map_err(|source| spawn_error(plan, &source))?;
        let pid = tree.pid();
        let child = tree.child();
        let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());

        let (output, lines) = mpsc::channel(OUTPUT_QUEUE);
        let (writes, to_write) = mpsc::channel(WRITE_QUEUE);
        let (orders, ordered) = mpsc::unbounded_channel();
        let (exited, has_exited) = watch::channel(false);
        let (gone, ended) = watch::channel(false);
        let out = tokio::spawn(read_stdout(stdout, output.clone(), has_exited.clone()));
        let err = tokio::spawn(read_stderr(stderr, output.clone(), has_exited.clone()));
        tokio::spawn(write_lines(stdin, to_write, has_exited));
        tokio::spawn(async move {
            let status = watch_over(tree, ordered).await;
            exited.send_replace(true);
            gone.send_replace(true);
            let unfinished = out.await.unwrap_or_default();
            let stderr_tail = err.await.unwrap_or_else(|_| Tail::default()).into_text();
            // Nobody may be listening any more.
            let _ = output.send(Output::End { unfinished, status, stderr_tail }).await;
        });
        Ok((Self { pid, writes, orders, ended }, Lines(lines)))
    }

    /// Returns the id the system gave the process.
    pub const fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Writes a line; the line feed is added here. The order of calls is the order of lines, and what is returned
    /// resolves once all its bytes are handed to the pipe, or it is known that they will not be.
    pub fn write(&self, line: String) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let (done, handed) = oneshot::channel();
        let queued =
            self.writes.try_send(Write::Line(line.into_bytes(), done)).map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => WriteError::Full(WRITE_QUEUE),
                mpsc::error::TrySendError::Closed(_) => WriteError::Closed,
            });
        async move {
            queued?;
            handed.await.unwrap_or(Err(WriteError::Closed))
        }
    }

    /// Closes the input once everything written so far is handed over; a well-behaved agent ends then.
    pub async fn close_stdin(&self) {
        // If the queue is gone, so is the input.
        let _ = self.writes.send(Write::Close).await;
    }

    /// Stops the process and everything it started: closes its input, after `grace` asks it to end (SIGTERM, where the
    /// system has that), and kills what is left [`LAST_WORDS`] later. Without a grace, everything is killed at once.
    /// Returns when it is gone.
    pub async fn stop(&self, grace: Duration) {
        // A queue that is full belongs to an agent that does not read.
        let _ = self.writes.try_send(Write::Close);
        let _ = self.orders.send(Order::Stop { grace });
        let mut ended = self.ended.clone();
        // An error means that its owner is gone, and with it the process.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}

fn check_folder(plan: &LaunchPlan) -> Result<(), AgentFailure> {
    let wrong =
        |problem| Err(AgentFailure::FolderUnusable { path: plan.folder.display().to_string(), problem });
    match std::fs::metadata(&plan.folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => wrong(FolderError::NotAFolder),
        Err(error) => wrong(FolderError::of(&error)),
    }
}

fn spawn_error(plan: &LaunchPlan, source: &io::Error) -> AgentFailure {
    let problem = match source.kind() {
        ErrorKind::NotFound => ProgramError::Missing,
        ErrorKind::PermissionDenied => ProgramError::Forbidden,
        _ => ProgramError::Unfit,
    };
    AgentFailure::NotStarted {
        program: plan.program.display().to_string(),
        problem,
        error: source.to_string(),
    }
}

/// Waits for the end, carries out orders to bring it about, and then sweeps away what is left.
async fn watch_over(mut tree: Tree, mut orders: mpsc::UnboundedReceiver<Order>) -> Exit {
    let ended = tokio::select! {
        status = tree.wait() => Some(status),
        order = orders.recv() => end_with_grace(&mut tree, order, &mut orders).await,
    };
    tree.kill();
    let status = match ended {
        Some(status) => status.ok(),
        None => match timeout(KILL_WAIT, tree.wait()).await {
            Ok(status) => status.ok(),
            Err(_) => {
                tree.force();
                None
            }
        },
    };
    status.map_or(Exit { code: None, signal: None }, Exit::from)
}

/// Waits for an agent whose input is being closed, then asks it to end; never longer than the shortest order says.
async fn end_with_grace(
    tree: &mut Tree,
    order: Option<Order>,
    orders: &mut mpsc::UnboundedReceiver<Order>,
) -> Option<io::Result<ExitStatus>> {
    // Without an order the owner was dropped, and nobody is left who could wait.
    let Order::Stop { grace } = order?;
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
                until = Instant::now() + LAST_WORDS;
            }
            order = orders.recv() => {
                let Order::Stop { grace } = order?;
                asked |= grace.is_zero();
                until = until.min(Instant::now() + grace);
            }
        }
    }
}

async fn write_lines(
    stdin: Option<ChildStdin>,
    mut writes: mpsc::Receiver<Write>,
    mut has_exited: watch::Receiver<bool>,
) {
    let Some(mut stdin) = stdin else { return };
    while let Some(Write::Line(mut line, done)) = writes.recv().await {
        line.push(b'\n');
        let written = tokio::select! {
            biased;
            // Something else may hold the pipe open, and nobody would read it.
            _ = has_exited.wait_for(|exited| *exited) => Err(WriteError::Closed),
            written = write_all(&mut stdin, &line) => written,
        };
        let failed = written.is_err();
        // The caller need not wait.
        let _ = done.send(written);
        if failed {
            return;
        }
    }
}

async fn write_all(stdin: &mut ChildStdin, line: &[u8]) -> Result<(), WriteError> {
    let written = match stdin.write_all(line).await {
        Ok(()) => stdin.flush().await,
        Err(error) => Err(error),
    };
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => WriteError::Closed,
        _ => WriteError::Io(error.to_string()),
    })
}
