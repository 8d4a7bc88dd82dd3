//! Runs the host the way the app does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]
#![cfg(target_os = "linux")]

use std::io::{PipeWriter, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use askdesk_agent_host::{CONTROL_FD, REPORT_BYTES, REPORT_FD, Report, tree};
use command_fds::{CommandFdExt, FdMapping};

/// A file that the app leaves open for its children.
const LEFT_OPEN_FD: i32 = 9;
const PATIENCE: Duration = Duration::from_secs(20);

fn start(program: &str, args: &[&str]) -> (Child, PipeWriter, Report) {
    let (control, to_host) = std::io::pipe().unwrap();
    let (mut from_host, report) = std::io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_askdesk-agent-host"));
    command.arg(program).args(args).stdout(Stdio::piped());
    let left_open = std::fs::File::open("/dev/null").unwrap();
    let mappings = vec![
        FdMapping { parent_fd: control.into(), child_fd: CONTROL_FD },
        FdMapping { parent_fd: report.into(), child_fd: REPORT_FD },
        FdMapping { parent_fd: left_open.into(), child_fd: LEFT_OPEN_FD },
    ];
    let child = command.fd_mappings(mappings).unwrap().spawn().unwrap();
    drop(command);
    let mut bytes = [0; REPORT_BYTES];
    from_host.read_exact(&mut bytes).unwrap();
    (child, to_host, Report::from_bytes(bytes))
}

fn wait_until(failure: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "{failure}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn ends_like(script: &str) -> ExitStatus {
    let (mut host, _control, report) = start("/bin/sh", &["-c", script]);
    assert!(matches!(report, Report::Started { .. }));
    host.wait().unwrap()
}

#[test]
fn the_host_ends_with_the_exit_code_or_the_signal_of_the_agent() {
    for code in [0, 1, 3, 127, 255] {
        assert_eq!(ends_like(&format!("exit {code}")).code(), Some(code));
    }
    for signal in [1, 2, 6, 9, 11, 13, 15] {
        assert_eq!(ends_like(&format!("ulimit -c 0; kill -{signal} $$")).signal(), Some(signal));
    }
}

#[test]
fn a_program_that_cannot_be_started_is_reported_with_the_systems_number() {
    let plain = concat!(env!("CARGO_TARGET_TMPDIR"), "/not-executable");
    std::fs::write(plain, "no program").unwrap();
    for (program, errno) in [("/nowhere/agent", 2), (plain, 13)] {
        let (mut host, _control, report) = start(program, &[]);
        assert_eq!(report, Report::Failed { errno });
        host.wait().unwrap();
    }
}

#[test]
fn the_agent_inherits_nothing_of_the_host_or_the_app() {
    let (mut host, _control, _) = start("/bin/ls", &["-1", "/proc/self/fd"]);
    let mut hosted = Vec::new();
    host.stdout.take().unwrap().read_to_end(&mut hosted).unwrap();
    // The last one is the list itself.
    assert_eq!(String::from_utf8(hosted).unwrap(), "0\n1\n2\n3\n");
    host.wait().unwrap();
}

#[test]
fn closing_the_control_pipe_kills_the_whole_tree() {
    let script = "trap '' TERM; setsid sh -c 'sleep 1000 & sleep 1000' & (setsid sleep 1000 &) ; while :; do sleep 1; done";
    let (mut host, control, _) = start("/bin/sh", &["-c", script]);
    let root = host.id().cast_signed();
    wait_until("the tree did not grow", || tree::descendants(root).len() >= 5);
    let all = tree::descendants(root);
    drop(control);
    assert_eq!(host.wait().unwrap().signal(), Some(9));
    for process in all {
        assert!(!process.is_running(), "{process:?} was left");
    }
}

#[test]
fn signals_to_everybody_do_not_end_the_host_and_the_agent_does_not_ignore_them() {
    let (mut host, _control, _) = start("/bin/sh", &["-c", "echo ready; exec sleep 1000"]);
    let mut ready = [0; 6];
    host.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    let send = |pid: String| assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    send(host.id().to_string());
    // ShdPnd is the mask of pending signals (proc(5)): once it is empty, the host has taken the signal.
    wait_until("the host did not take the signal", || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", host.id())).unwrap();
        status.lines().any(|line| line.starts_with("ShdPnd:") && line.ends_with("0000000000000000"))
    });
    assert!(host.try_wait().unwrap().is_none());
    let agent = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", host.id())).unwrap();
    send(agent.trim().to_owned());
    assert_eq!(host.wait().unwrap().signal(), Some(15));
}

#[test]
fn orphans_are_collected_while_the_agent_runs() {
    let (mut host, control, _) =
        start("/bin/sh", &["-c", "(setsid true &); (true &); echo ready; exec sleep 1000"]);
    let mut ready = [0; 6];
    host.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    let children = format!("/proc/{0}/task/{0}/children", host.id());
    wait_until("orphans were left", || {
        std::fs::read_to_string(&children).unwrap().split_whitespace().count() == 1
    });
    drop(control);
    host.wait().unwrap();
}
