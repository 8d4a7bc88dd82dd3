//! What is started where a terminal controls this process, as it is after a start from a shell.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use askdesk_agents::{AgentProcess, Inbound, LaunchPlan, LinkEvent};
use askdesk_user_environment::{in_own_session, line_arguments, without_input};
use tokio::time::timeout;

/// Longer than anything here takes; what is late was stopped by the terminal.
const PATIENCE: Duration = Duration::from_secs(20);

/// A bash that wants a terminal's attention, as those do that run setup commands and that Claude Code starts.
const BASH: &str = "/bin/bash";

#[tokio::test]
async fn case_149_nothing_that_is_started_from_a_terminal_is_stopped_by_it() {
    const IN_TERMINAL: &str = "ASKDESK_TEST_IN_TERMINAL";
    if std::env::var_os(IN_TERMINAL).is_none() {
        let this = std::env::current_exe().unwrap();
        let name = "terminal::case_149_nothing_that_is_started_from_a_terminal_is_stopped_by_it";
        let line = format!("'{}' --exact {name} --nocapture", this.display());
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env(IN_TERMINAL, "yes").stdin(Stdio::null());
        let ended = script.output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        return;
    }
    assert!(File::open("/dev/tty").is_ok(), "this process has a terminal");

    // An agent, and a setup command, which is started like one.
    let (program, args) =
        without_input(Path::new(BASH), line_arguments(Path::new(BASH), "bash -ic 'echo ran'"));
    let plan =
        LaunchPlan { program, args, folder: "/".into(), env: Vec::new(), env_remove: vec!["HOME".into()] };
    let (_process, mut lines) = AgentProcess::spawn(&plan).await.unwrap();
    let ran = LinkEvent::Inbound(Inbound::Line(b"ran".to_vec()));
    while timeout(PATIENCE, lines.recv()).await.expect("the agent was stopped").expect("it ran") != ran {}

    // A program that is asked for its version.
    let folder = tempfile::tempdir().unwrap();
    let asked = folder.path().join("asked");
    fs::write(&asked, "#!/bin/sh\nexec bash -ic 'echo 1.2.3'\n").unwrap();
    fs::set_permissions(&asked, fs::Permissions::from_mode(0o755)).unwrap();
    let version = askdesk_version_probe::probe(&asked, PATIENCE);
    assert_eq!(version.as_deref(), Some("1.2.3"));

    // Git, editors, and package managers.
    let mut other = Command::new(BASH);
    other.args(["-ic", "exit 3"]).stdin(Stdio::null());
    in_own_session(&mut other).unwrap();
    let mut other = other.spawn().unwrap();
    let began = Instant::now();
    let status = loop {
        match other.try_wait().unwrap() {
            Some(status) => break status,
            None => assert!(began.elapsed() < PATIENCE, "it was stopped"),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(status.code(), Some(3));
}
