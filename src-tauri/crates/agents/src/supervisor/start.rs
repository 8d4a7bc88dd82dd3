//! Starts the process of a plan: below a host where there is one, else directly.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;

use askdesk_user_environment::variables;
use process_wrap::tokio::{CommandWrap, KillOnDrop};
use tokio::process::Command;

#[cfg(target_os = "linux")]
use super::agent_host::{self, HostError};
use super::batch_scheduling;
use super::process_tree::ProcessTree;
use crate::launch::LaunchPlan;

/// Starts a process; must be called within a tokio runtime.
pub fn start(plan: &LaunchPlan) -> io::Result<ProcessTree> {
    let plan = plan.clone();
    let started = batch_scheduling::start(move || start_here(&plan));
    started.unwrap_or_else(|| Err(io::Error::other("the thread that starts the process failed")))
}

#[cfg(target_os = "linux")]
fn start_here(plan: &LaunchPlan) -> io::Result<ProcessTree> {
    let Some(host) = agent_host::find() else { return directly(plan) };
    let mut command = command(host.as_os_str(), plan);
    command.arg(&plan.program).args(&plan.args);
    match agent_host::spawn(command) {
        Ok((child, control)) => Ok(ProcessTree::hosted(child, control)),
        Err(HostError::Agent(error)) => Err(error),
        Err(HostError::Host(error)) => {
            tracing::warn!(%error, "{} does not work, so the agent is started without it", host.display());
            directly(plan)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn start_here(plan: &LaunchPlan) -> io::Result<ProcessTree> {
    directly(plan)
}

/// Starts the agent itself. On Windows its job is killed when the last handle of it closes, however this process ends:
/// `process-wrap` sets that limit for a command that has `KillOnDrop`.
fn directly(plan: &LaunchPlan) -> io::Result<ProcessTree> {
    let mut command = command(plan.program.as_os_str(), plan);
    command.args(&plan.args);
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    command.spawn().map(ProcessTree::direct)
}

fn command(program: &OsStr, plan: &LaunchPlan) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&plan.folder);
    variables().give_to(command.as_std_mut());
    for name in &plan.env_remove {
        command.env_remove(name);
    }
    command.envs(plan.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
