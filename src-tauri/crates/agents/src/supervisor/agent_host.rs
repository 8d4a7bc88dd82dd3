//! Starts an agent below the host process that kills it when the app ends; see `askdesk_agent_host`.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use askdesk_agent_host::tree::Process;
use askdesk_agent_host::{CONTROL_FD, PROGRAM, REPORT_BYTES, REPORT_FD, Report, TERMINATE};
use command_fds::{CommandFdExt, FdMapping};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use tokio::process::Command;

/// The control pipe to a host. Dropping it kills the agent and everything below it.
#[derive(Debug)]
pub struct HostControl {
    pipe: PipeWriter,
    agent: i32,
    /// Finds the agent if its host was killed; none if the agent had ended by then.
    process: Option<Process>,
}

impl HostControl {
    /// Returns the agent's process id.
    pub const fn agent(&self) -> i32 {
        self.agent
    }

    /// Has SIGTERM sent to the agent's group.
    pub fn terminate(&mut self) {
        // It fails only if the host has ended. One byte never fills the pipe.
        let _ = self.pipe.write_all(&[TERMINATE]);
    }

    /// Has the whole tree killed; returns the agent's process.
    pub fn kill(self) -> Option<Process> {
        self.process
    }
}

/// Finds the host program beside the running one; tests run one folder below it.
pub fn find() -> Option<&'static PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let this = std::env::current_exe().ok()?;
        let found =
            this.ancestors().skip(1).take(2).map(|folder| folder.join(PROGRAM)).find(|it| it.is_file());
        if found.is_none() {
            tracing::warn!(
                beside = %this.display(),
                "{PROGRAM} is missing, so agents are started without it and may outlive a crash of Askdesk"
            );
        }
        found
    });
    found.as_ref()
}

/// Starts a command that runs the host. If the host cannot start the agent, returns the error of a direct start.
pub fn spawn(mut command: Command) -> Result<(Box<dyn ChildWrapper>, HostControl), HostError> {
    let (control, pipe) = io::pipe().map_err(HostError::Host)?;
    let (from_host, report) = io::pipe().map_err(HostError::Host)?;
    let mappings = vec![
        FdMapping { parent_fd: control.into(), child_fd: CONTROL_FD },
        FdMapping { parent_fd: report.into(), child_fd: REPORT_FD },
    ];
    command.fd_mappings(mappings).map_err(|error| HostError::Host(io::Error::other(error)))?;
    let mut command = CommandWrap::from(command);
    command.wrap(ProcessGroup::leader());
    let child = command.spawn().map_err(HostError::Host)?;
    // The command holds the host's ends of the pipes.
    drop(command);
    match read_report(from_host).map_err(HostError::Host)? {
        Report::Started { pid } => Ok((child, HostControl { pipe, agent: pid, process: Process::find(pid) })),
        Report::Failed { errno } => Err(HostError::Agent(io::Error::from_raw_os_error(errno))),
    }
}

/// Why an agent does not run below a host.
#[derive(Debug)]
pub enum HostError {
    /// The host itself could not be started, or it ended before its report.
    Host(io::Error),
    /// The host could not start the agent.
    Agent(io::Error),
}

fn read_report(mut pipe: PipeReader) -> io::Result<Report> {
    let mut bytes = [0; REPORT_BYTES];
    pipe.read_exact(&mut bytes)?;
    Ok(Report::from_bytes(bytes))
}
