//! Starts an agent below the host process that kills it when the app ends; see `askdesk_agent_host`.

use std::io::{self, PipeWriter, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use askdesk_agent_host::tree::Process;
use askdesk_agent_host::{CONTROL_FD, PROGRAM, REPORT_BYTES, REPORT_FD, Report, TERMINATE};
use command_fds::{CommandFdExt, FdMapping};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::Command;

/// The app's ends of the pipes to a host. Dropping them kills the agent and everything below it, unless the host hangs.
#[derive(Debug)]
pub struct HostPipes {
    /// Closed when the tree is to be killed.
    control: Option<PipeWriter>,
    from_host: pipe::Receiver,
    has_reported: bool,
    /// Finds the agent if its host was killed; none if the agent had ended by then.
    agent: Option<Process>,
}

impl HostPipes {
    /// Waits for the report of the host. Returns the agent's process id, or the error of a direct start.
    pub async fn report(&mut self) -> Result<i32, HostError> {
        let mut bytes = [0; REPORT_BYTES];
        self.from_host.read_exact(&mut bytes).await.map_err(HostError::Host)?;
        match Report::from_bytes(bytes) {
            Report::Started { pid } => {
                self.has_reported = true;
                self.agent = Process::find(pid);
                Ok(pid)
            }
            Report::Failed { errno } => Err(HostError::Agent(io::Error::from_raw_os_error(errno))),
        }
    }

    /// Has SIGTERM sent to the agent's group.
    pub fn terminate(&mut self) {
        if let Some(control) = &mut self.control {
            // It fails only if the host has ended. One byte never fills the pipe.
            let _ = control.write_all(&[TERMINATE]);
        }
    }

    /// Has the whole tree killed. Returns whether the host can do that: only once it has reported, and only once.
    pub fn kill(&mut self) -> bool {
        self.control.take().is_some() && self.has_reported
    }

    /// Returns the agent of a host that has ended, if the host may have left something behind.
    pub fn left_behind(&self) -> Option<LeftBehind> {
        let is_clean = self.from_host.try_read(&mut [0]).is_ok_and(|count| count > 0);
        (!is_clean).then_some(LeftBehind(self.agent))
    }
}

/// What may have outlived a host that was killed.
#[derive(Clone, Copy, Debug)]
pub struct LeftBehind(Option<Process>);

impl LeftBehind {
    /// Kills the agent with everything that is still below it.
    pub fn kill(self) {
        if let Some(agent) = self.0 {
            agent.kill_with_descendants();
        }
    }
}

/// Finds the host program once.
pub fn find() -> Option<&'static PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let found = askdesk_agent_host::beside_this_program();
        if found.is_none() {
            tracing::warn!(
                "{PROGRAM} is not beside this program, so agents are started without it and may outlive a crash of Askdesk"
            );
        }
        found
    });
    found.as_ref()
}

/// Starts a command that runs the host, which reports later whether it started the agent.
pub fn spawn(mut command: Command) -> io::Result<(Box<dyn ChildWrapper>, HostPipes)> {
    let (of_host, control) = io::pipe()?;
    let (from_host, report) = io::pipe()?;
    let mappings = vec![
        FdMapping { parent_fd: of_host.into(), child_fd: CONTROL_FD },
        FdMapping { parent_fd: report.into(), child_fd: REPORT_FD },
    ];
    command.fd_mappings(mappings).map_err(io::Error::other)?;
    let mut command = CommandWrap::from(command);
    // The agent is in it too, without a terminal that could stop it.
    command.wrap(ProcessSession);
    let from_host = pipe::Receiver::from_owned_fd(from_host.into())?;
    // The command holds the host's ends of the pipes; it is dropped here.
    let child = command.spawn()?;
    Ok((child, HostPipes { control: Some(control), from_host, has_reported: false, agent: None }))
}

/// Why an agent does not run below a host.
#[derive(Debug)]
pub enum HostError {
    /// The host itself could not be started, or it ended before its report.
    Host(io::Error),
    /// The host could not start the agent.
    Agent(io::Error),
}
