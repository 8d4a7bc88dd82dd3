//! Starts the agent, follows the control pipe, and kills what the agent leaves behind.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_agent_host::{CONTROL_FD, NOTHING_LEFT, PROGRAM, REPORT_FD, Report, TERMINATE, tree};
use nix::errno::Errno;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::unistd::{Pid, close, dup2_stderr, dup2_stdin, dup2_stdout};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How long killed processes may take to exit: one that waits for a device cannot.
const KILL_TIMEOUT: Duration = Duration::from_secs(3);

/// The stack of the thread that reads the control pipe, in bytes. There may be fifty hosts.
const CONTROL_STACK: usize = 64 * 1024;

/// The exit code if the host was not started by the app.
const NOT_STARTED_BY_APP: u8 = 2;

pub fn run() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    close_what_is_not_ours();
    let pipes = Pipes::take();
    let (Some(program), Ok(pipes)) = (args.next(), pipes) else {
        eprintln!("{PROGRAM} is started by the Askdesk desktop app, not by hand");
        return ExitCode::from(NOT_STARTED_BY_APP);
    };
    match start(program, args, pipes) {
        Ok((agent, mut report)) => {
            let status = wait(&agent);
            if tree::kill_below(KILL_TIMEOUT) {
                // The app may be gone.
                let _ = report.write_all(&[NOTHING_LEFT]);
            }
            exit_like(status)
        }
        Err(_) => {
            // The app may be gone since the agent was started.
            tree::kill_below(KILL_TIMEOUT);
            ExitCode::FAILURE
        }
    }
}

/// Closes the files that the app left open for its children: WebKit does that with seven to nine of its own.
fn close_what_is_not_ours() {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for fd in open.into_iter().filter(|fd| *fd > CONTROL_FD.max(REPORT_FD)) {
        // The one with which the list was read is closed by now.
        let _ = close(fd);
    }
}

/// The two pipes to the app.
struct Pipes {
    control: File,
    report: File,
}

impl Pipes {
    fn take() -> io::Result<Self> {
        let control = File::open(format!("/proc/self/fd/{CONTROL_FD}"))?;
        let report = OpenOptions::new().write(true).open(format!("/proc/self/fd/{REPORT_FD}"))?;
        // Unlike the inherited descriptors, those just opened are closed when the agent starts.
        close(CONTROL_FD)?;
        close(REPORT_FD)?;
        Ok(Self { control, report })
    }
}

type Agent = Arc<Mutex<Running>>;

struct Running {
    child: Child,
    group: Pid,
    ended: bool,
}

fn start(program: OsString, args: impl Iterator<Item = OsString>, pipes: Pipes) -> io::Result<(Agent, File)> {
    let Pipes { control, mut report } = pipes;
    set_child_subreaper(true)?;
    survive_signals()?;
    match Command::new(program).args(args).process_group(0).spawn() {
        Ok(child) => {
            // Only the agent may hold its pipes: Askdesk has to see when it closes one.
            release_stdio()?;
            let group = Pid::from_raw(child.id().cast_signed());
            let agent = Arc::new(Mutex::new(Running { child, group, ended: false }));
            let carried_out = Arc::clone(&agent);
            std::thread::Builder::new()
                .name("control".to_owned())
                .stack_size(CONTROL_STACK)
                .spawn(move || follow_control(control, &carried_out))?;
            report.write_all(&Report::Started { pid: group.as_raw() }.to_bytes())?;
            Ok((agent, report))
        }
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(Errno::EIO as i32);
            report.write_all(&Report::Failed { errno }.to_bytes())?;
            Err(error)
        }
    }
}

/// Ignores the signals that a terminal or a session manager sends to every process: the app decides when the agent ends.
///
/// The handlers do nothing. Ignored signals would stay ignored in the agent.
fn survive_signals() -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

fn release_stdio() -> io::Result<()> {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    Ok(())
}

/// Reads the control pipe until the app closes it or is gone, then kills the agent.
fn follow_control(mut control: File, agent: &Agent) {
    let mut order = [0];
    loop {
        match control.read(&mut order) {
            Ok(1) => {
                if order == [TERMINATE] {
                    signal(agent, Signal::SIGTERM);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return signal(agent, Signal::SIGKILL),
        }
    }
}

/// Signals the agent's group. Until the agent is reaped, no other process can get its id.
fn signal(agent: &Agent, signal: Signal) {
    let agent = lock(agent);
    if !agent.ended {
        // It fails only where nothing is left to signal.
        let _ = killpg(agent.group, signal);
    }
}

/// Waits for the agent, and collects everything else that ends meanwhile.
fn wait(agent: &Agent) -> Option<ExitStatus> {
    loop {
        let waits = waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        let mut running = lock(agent);
        match running.child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                running.ended = true;
                return Some(status);
            }
            Err(_) => {
                running.ended = true;
                return None;
            }
        }
        // A signal without a name makes an error of what is collected all the same.
        let other = waits.ok().and_then(|status| status.pid()).filter(|pid| *pid != running.group);
        drop(running);
        match (waits, other) {
            (Ok(_), Some(pid)) => drop(waitpid(pid, None)),
            (Ok(_), None) | (Err(Errno::EINTR), _) => {}
            (Err(_), _) => drop(waitpid(None, Some(WaitPidFlag::WNOHANG))),
        }
    }
}

/// Exits with the code or the signal of the agent, so that the app sees it as its own child's.
fn exit_like(status: Option<ExitStatus>) -> ExitCode {
    let Some(status) = status else { return ExitCode::FAILURE };
    if let Some(signal) = status.signal() {
        // The agent has left a core file if it was to leave one.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        // A signal that ended the agent and does not end the host.
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

fn lock(agent: &Agent) -> MutexGuard<'_, Running> {
    agent.lock().unwrap_or_else(PoisonError::into_inner)
}
