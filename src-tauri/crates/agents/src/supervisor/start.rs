//! Starts the process of a plan: below a host where there is one, else directly.

use std::ffi::OsStr;
use std::io;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use askdesk_domain::{AgentFailure, FolderError, ProgramError};
use askdesk_user_environment::variables;
use process_wrap::tokio::{CommandWrap, KillOnDrop};
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};
#[cfg(windows)]
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

#[cfg(target_os = "linux")]
use super::agent_host::{self, HostError};
use super::batch_scheduling;
use super::process_tree::ProcessTree;
#[cfg(target_os = "linux")]
use super::tree_mark::TreeMark;
use super::{check_folder, spawn_error};
use crate::launch::LaunchPlan;

/// How long the start of a process may take. It reads a folder and a program, which may be on a file system that doesn't
/// respond, and it waits for the report of the host.
pub const START_LIMIT: Duration = Duration::from_secs(10);

/// Starts a process; must be called within a tokio runtime.
pub async fn start(plan: &LaunchPlan) -> Result<ProcessTree, AgentFailure> {
    #[cfg(target_os = "linux")]
    if let Some(host) = agent_host::find() {
        return below_host(host, plan, START_LIMIT).await;
    }
    on_thread(plan, Instant::now() + START_LIMIT, START_LIMIT, directly).await
}

#[cfg(target_os = "linux")]
async fn below_host(host: &Path, plan: &LaunchPlan, limit: Duration) -> Result<ProcessTree, AgentFailure> {
    let until = Instant::now() + limit;
    let program = host.to_owned();
    let spawn = move |plan: &LaunchPlan| hosted(&program, plan);
    let unhosted = match on_thread(plan, until, limit, spawn).await? {
        Ok(mut tree) => match timeout_at(until, tree.report()).await {
            Ok(Ok(())) => return Ok(tree),
            Ok(Err(HostError::Agent(error))) => return Err(spawn_error(plan, &error)),
            Ok(Err(HostError::Host(error))) => error,
            Err(_) => {
                let _ = tree.end().await;
                tree.clear_up().await;
                return Err(timed_out(plan, limit));
            }
        },
        Err(error) => error,
    };
    tracing::warn!(error = %unhosted, "{} does not work, so the agent is started without it", host.display());
    on_thread(plan, until, limit, directly).await
}

/// Checks the folder and starts the process on a thread. A start that is not over in time is given up; if it succeeds later,
/// the process is killed.
async fn on_thread<T: Send + 'static>(
    plan: &LaunchPlan,
    until: Instant,
    limit: Duration,
    start: impl FnOnce(&LaunchPlan) -> Result<T, AgentFailure> + Send + 'static,
) -> Result<T, AgentFailure> {
    let is_checked = Arc::new(AtomicBool::new(false));
    let (checked, planned) = (Arc::clone(&is_checked), plan.clone());
    let started = batch_scheduling::start(move || {
        check_folder(&planned.folder)?;
        checked.store(true, Ordering::Release);
        start(&planned)
    });
    match timeout_at(until, started).await {
        Ok(started) => started.unwrap_or_else(|_| {
            Err(spawn_error(plan, &io::Error::other("the thread that starts the process failed")))
        }),
        Err(_) if is_checked.load(Ordering::Acquire) => Err(timed_out(plan, limit)),
        Err(_) => {
            let path = plan.folder.display().to_string();
            Err(AgentFailure::FolderUnusable {
                path,
                problem: FolderError::TimedOut { seconds: limit.as_secs() },
            })
        }
    }
}

fn timed_out(plan: &LaunchPlan, limit: Duration) -> AgentFailure {
    AgentFailure::NotStarted {
        program: plan.program.display().to_string(),
        problem: ProgramError::TimedOut,
        error: format!("it didn't start within {} seconds", limit.as_secs()),
    }
}

/// Starts the host. The inner error is that of a host that can't be started.
#[cfg(target_os = "linux")]
fn hosted(host: &Path, plan: &LaunchPlan) -> Result<io::Result<ProcessTree>, AgentFailure> {
    let mut command = command(host.as_os_str(), plan);
    command.arg(&plan.program).args(&plan.args);
    let mark = TreeMark::put_on(&mut command);
    Ok(agent_host::spawn(command).map(|(child, host)| ProcessTree::hosted(child, host, mark)))
}

/// Starts the agent itself. On Windows its job is killed when the last handle of it closes, however this process ends:
/// `process-wrap` sets that limit for a command that has `KillOnDrop`. Without a console of its own, Windows would show one as
/// long as the agent runs, and closing it would end the agent.
fn directly(plan: &LaunchPlan) -> Result<ProcessTree, AgentFailure> {
    let mut command = command(plan.program.as_os_str(), plan);
    command.args(&plan.args);
    #[cfg(target_os = "linux")]
    let mark = TreeMark::put_on(&mut command);
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::CreationFlags(CREATE_NO_WINDOW)).wrap(process_wrap::tokio::JobObject);
    let tree = ProcessTree::direct(command.spawn().map_err(|error| spawn_error(plan, &error))?);
    #[cfg(target_os = "linux")]
    let tree = tree.marked(mark);
    Ok(tree)
}

fn command(program: &OsStr, plan: &LaunchPlan) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&plan.folder);
    variables().for_program(&plan.program).give_to(command.as_std_mut());
    for name in &plan.env_remove {
        command.env_remove(name);
    }
    command.envs(plan.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    /// Longer than anything here takes; what is late has hung.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn plan(folder: &Path, script: &str) -> LaunchPlan {
        LaunchPlan {
            program: PathBuf::from("/bin/sh"),
            args: ["-c", script].map(OsString::from).to_vec(),
            folder: folder.to_owned(),
            env: Vec::new(),
            env_remove: Vec::new(),
        }
    }

    /// Writes a script that is started in the place of the host.
    fn host(folder: &Path, script: &str) -> PathBuf {
        let file = folder.join("host");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    async fn pid_in(file: &Path) -> i32 {
        loop {
            if let Ok(pid) = fs::read_to_string(file).unwrap_or_default().trim().parse() {
                return pid;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn slow_hosts_are_waited_for_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let real = agent_host::find().expect("askdesk-agent-host is built");
        // Each host goes on once all four have begun.
        let others = "touch \"$0.$$\"; until [ $(ls \"$0\".* | wc -l) = 4 ]; do sleep 0.05; done";
        let slow = host(folder.path(), &format!("{others}; exec '{}' \"$@\"", real.display()));
        let starts = (0..4).map(|_| {
            let (slow, plan) = (slow.clone(), plan(folder.path(), "exec sleep 1000"));
            tokio::spawn(async move { below_host(&slow, &plan, PATIENCE).await.map(|tree| tree.pid()) })
        });
        for started in starts.collect::<Vec<_>>() {
            assert!(started.await.unwrap().unwrap().is_some());
        }
    }

    #[tokio::test]
    async fn a_host_that_never_reports_is_killed_with_all_it_started_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let silent = host(
            folder.path(),
            "\"$@\" & echo $! > agent; (setsid sh -c 'trap \"\" TERM; echo $$ > stray; while :; do sleep 1; done' &)
             echo $$ > host; exec sleep 1000",
        );
        let plan = plan(folder.path(), "exec sleep 1000");
        let began = Instant::now();
        let limit = Duration::from_secs(1);
        let mut starting = std::pin::pin!(below_host(&silent, &plan, limit));
        let mut processes = Vec::new();
        for name in ["agent", "stray", "host"] {
            let file = folder.path().join(name);
            let pid = tokio::select! {
                pid = pid_in(&file) => pid,
                started = &mut starting => panic!("it was over too soon: {started:?}"),
            };
            processes.push(askdesk_agent_host::tree::Process::find(pid).unwrap());
        }
        let failed = timeout_at(began + PATIENCE, starting).await.unwrap().unwrap_err();
        assert!((limit..PATIENCE).contains(&began.elapsed()), "{:?}", began.elapsed());
        let expected = "/bin/sh couldn't start: it didn't start within 1 seconds. \
                        Check that its disk responds, then start the session again.";
        assert_eq!(failed.to_string(), expected);
        let left: Vec<_> = processes.into_iter().filter(|process| process.is_running()).collect();
        assert!(left.is_empty(), "{left:?} were left");
    }

    #[tokio::test]
    async fn a_host_that_does_not_work_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let broken = host(folder.path(), "exit 3");
        let plan = plan(folder.path(), "exit 7");
        let mut tree = below_host(&broken, &plan, PATIENCE).await.unwrap();
        assert_eq!(tree.wait().await.unwrap().code(), Some(7));
    }
}
