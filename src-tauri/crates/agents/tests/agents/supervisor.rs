//! The supervisor against small shell scripts that misbehave.

#[cfg(target_os = "linux")]
mod trees;

use crate::support::{claude, process::is_alive};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askdesk_agents::line_writer::{WRITE_BYTES, WRITE_QUEUE};
use askdesk_agents::supervisor::{DRAIN_TIMEOUT, STDERR_LINE, STDERR_TAIL};
use askdesk_agents::{
    AgentProcess, Exit, Inbound, InputError, LaunchPlan, LinkEnd, LinkEvent, Partial, ProcessEvents, Trouble,
    WHOLE_LINE, WriteError,
};
use askdesk_domain::NextStep;
use rstest::rstest;
use serde_json::Value;
use tokio::time::timeout;

/// Longer than anything here takes; what is late has hung.
const PATIENCE: Duration = Duration::from_secs(20);

fn plan(program: &Path, args: &[&str], folder: &Path) -> LaunchPlan {
    LaunchPlan {
        program: program.to_owned(),
        args: args.iter().map(Into::into).collect(),
        folder: folder.to_owned(),
        env: vec![("ASKDESK_TEST".into(), "set".into())],
        env_remove: vec!["HOME".into()],
    }
}

async fn shell(script: &str) -> (AgentProcess, ProcessEvents) {
    AgentProcess::spawn(&plan(Path::new("/bin/sh"), &["-c", script], Path::new("/"))).await.unwrap()
}

async fn next(lines: &mut ProcessEvents) -> LinkEvent {
    timeout(PATIENCE, lines.recv()).await.expect("no output in time").expect("ended without an end")
}

async fn all(lines: &mut ProcessEvents) -> Vec<LinkEvent> {
    let mut seen = Vec::new();
    loop {
        seen.push(next(lines).await);
        if matches!(seen.last(), Some(LinkEvent::Ended(_))) {
            assert_eq!(timeout(PATIENCE, lines.recv()).await, Ok(None));
            return seen;
        }
    }
}

async fn ended(lines: &mut ProcessEvents) -> LinkEnd {
    match all(lines).await.pop() {
        Some(LinkEvent::Ended(end)) => end,
        other => panic!("{other:?}"),
    }
}

fn line(text: &str) -> LinkEvent {
    LinkEvent::Inbound(Inbound::Line(text.as_bytes().to_vec()))
}

fn end(code: i32) -> LinkEvent {
    LinkEvent::Ended(LinkEnd {
        unfinished: Vec::new(),
        status: Exit { code: Some(code), signal: None },
        stderr_tail: String::new(),
    })
}

async fn pid_line(lines: &mut ProcessEvents) -> String {
    match next(lines).await {
        LinkEvent::Inbound(Inbound::Line(pid)) => String::from_utf8(pid).unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn until(what: &str, is_true: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn dies(pid: &str) {
    until(&format!("process {pid} ends"), || !is_alive(pid)).await;
}

/// Stops an agent, which must not hang.
async fn stop(process: &AgentProcess, grace: Duration) {
    timeout(PATIENCE, process.stop(grace)).await.unwrap();
}

#[tokio::test]
async fn lines_go_both_ways_in_order_and_the_environment_is_as_planned() {
    let (process, mut lines) =
        shell("echo $ASKDESK_TEST-$HOME; pwd; while read -r line; do echo got $line; done").await;
    let first = process.write("one".to_owned());
    let second = process.write("two".to_owned());
    assert_eq!((second.await, first.await), (Ok(()), Ok(())));
    process.close_stdin();
    let expected = [line("set-"), line("/"), line("got one"), line("got two"), end(0)];
    assert_eq!(all(&mut lines).await, expected);
}

#[tokio::test]
async fn case_110_a_line_of_64_mebibytes_is_abridged_and_the_next_is_read() {
    let (_process, mut lines) = shell(
        "printf '{\"type\":\"user\",\"data\":\"'; head -c 67108864 /dev/zero | tr '\\0' x; echo '\",\"id\":7}'; echo after",
    ).await;
    let seen = all(&mut lines).await;
    let [LinkEvent::Inbound(Inbound::Abridged { line: kept, why: Partial::TooLarge { bytes } }), after, last] =
        seen.as_slice()
    else {
        panic!("{} events", seen.len())
    };
    let kept: Value = serde_json::from_slice(kept).unwrap();
    assert_eq!((&kept["type"], &kept["id"]), (&Value::from("user"), &Value::from(7)));
    assert!(kept["data"].as_str().unwrap().ends_with("… [too large to show: 67108864 bytes]"));
    assert_eq!((*bytes, after, last), (67_108_864 + 32, &line("after"), &end(0)));
}

#[tokio::test]
async fn a_line_cut_in_half_by_the_exit_comes_with_the_end() {
    let (_process, mut lines) = shell("printf 'whole\\n{\"type\":\"assis'; exit 3").await;
    let seen = all(&mut lines).await;
    let [first, LinkEvent::Ended(LinkEnd { unfinished, status, .. })] = seen.as_slice() else {
        panic!("{seen:?}")
    };
    assert_eq!((first, *status), (&line("whole"), Exit { code: Some(3), signal: None }));
    assert_eq!(
        claude::Claude::new().on_end(unfinished),
        [Trouble::InvalidInput { why: InputError::CutInHalf }.into()]
    );
}

#[tokio::test]
async fn of_the_error_output_lines_are_passed_on_and_the_tail_is_kept() {
    let (_process, mut lines) = shell(
        "echo first >&2; head -c 200000 /dev/zero | tr '\\0' y >&2; printf '\\nlast words' >&2; exit 1",
    )
    .await;
    let seen = all(&mut lines).await;
    assert_eq!(seen.first(), Some(&LinkEvent::Stderr("first".to_owned())));
    let Some(LinkEvent::Ended(LinkEnd { stderr_tail, status, .. })) = seen.last() else { panic!("no end") };
    assert_eq!(stderr_tail.len(), STDERR_TAIL);
    assert!(stderr_tail.starts_with('y') && stderr_tail.ends_with("\nlast words"));
    assert_eq!(
        status.into_failure("one\n\ntwo\n", NextStep::StartAnew).to_string(),
        "The agent exited unexpectedly (exit code 1). Last output:\none\ntwo\nStart a new session to try again."
    );
}

#[tokio::test]
async fn stop_kills_a_grandchild_that_ignores_the_request() {
    let (process, mut lines) =
        shell("sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait").await;
    let grandchild = pid_line(&mut lines).await;
    assert!(is_alive(&grandchild));
    stop(&process, Duration::from_millis(200)).await;
    dies(&grandchild).await;
    assert_eq!(ended(&mut lines).await.status, Exit { code: None, signal: Some(15) });
}

#[tokio::test]
async fn stop_kills_an_agent_that_ignores_the_request_after_the_grace_and_not_before() {
    let (process, mut lines) = shell("trap '' TERM; echo $$; while :; do sleep 0.05; done").await;
    let agent = pid_line(&mut lines).await;
    let started = Instant::now();
    stop(&process, Duration::from_millis(300)).await;
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert!(!is_alive(&agent));
    assert_eq!(ended(&mut lines).await.status, Exit { code: None, signal: Some(9) });
}

#[tokio::test]
async fn an_agent_that_ends_when_asked_may_say_its_last_words() {
    let (process, mut lines) =
        shell("exec 2>/dev/null; trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done")
            .await;
    assert_eq!(next(&mut lines).await, line("ready"));
    stop(&process, Duration::from_millis(100)).await;
    assert_eq!(all(&mut lines).await, [line("bye"), end(0)]);
}

#[tokio::test]
async fn an_agent_whose_input_is_closed_ends_by_itself_within_the_grace_and_is_not_signaled() {
    let (process, mut lines) =
        shell("trap 'echo signaled' TERM; echo ready; read -r line; sleep 0.3; echo done; exit 4").await;
    assert_eq!(next(&mut lines).await, line("ready"));
    let started = Instant::now();
    stop(&process, Duration::from_secs(10)).await;
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(all(&mut lines).await, [line("done"), end(4)]);
}

/// The 19th field of `/proc/<pid>/stat` is the niceness, the 41st the policy; 3 is `SCHED_BATCH` (proc(5), sched.h).
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_agent_and_what_it_starts_push_nobody_aside_and_the_app_stays_as_it_is() {
    let niceness_and_policy = "sed 's/.*) //' /proc/self/stat | cut -d ' ' -f 17,39";
    let (_process, mut lines) = shell(niceness_and_policy).await;
    assert_eq!(next(&mut lines).await, line("0 3"));
    let own = fs::read_to_string("/proc/thread-self/stat").unwrap();
    let after_name = own.rsplit_once(") ").unwrap().1;
    assert_eq!(after_name.split(' ').nth(38), Some("0"));
}

#[tokio::test]
async fn dropping_the_process_kills_everything_it_started() {
    let (process, mut lines) = shell("trap '' TERM; sleep 1000 & echo $!; echo $$; wait; sleep 1000").await;
    let (child, agent) = (pid_line(&mut lines).await, pid_line(&mut lines).await);
    drop(process);
    dies(&child).await;
    dies(&agent).await;
}

#[test]
fn the_end_of_the_runtime_kills_everything_too() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (process, pids) = runtime.block_on(async {
        let (process, mut lines) = shell("sleep 1000 & echo $!; echo $$; wait").await;
        let pids = [pid_line(&mut lines).await, pid_line(&mut lines).await];
        (process, pids)
    });
    drop(runtime);
    let other = tokio::runtime::Runtime::new().unwrap();
    for pid in &pids {
        other.block_on(dies(pid));
    }
    drop(process);
}

#[tokio::test]
async fn what_an_ended_agent_left_in_its_group_is_swept_away() {
    let (_process, mut lines) = shell("sleep 1000 & echo $!; exit 0").await;
    let left = pid_line(&mut lines).await;
    assert_eq!(all(&mut lines).await, [end(0)]);
    dies(&left).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stranger_that_holds_the_output_open_does_not_hold_up_the_end() {
    let (process, mut lines) = shell("echo ready; read -r line; echo last").await;
    assert_eq!(next(&mut lines).await, line("ready"));
    let output = format!("/proc/{}/fd/1", process.pid().unwrap());
    let held = fs::OpenOptions::new().write(true).open(output).unwrap();
    let started = Instant::now();
    process.close_stdin();
    assert_eq!(all(&mut lines).await, [line("last"), end(0)]);
    assert!(started.elapsed() < Duration::from_secs(10));
    drop(held);
}

#[tokio::test]
async fn all_that_was_written_before_the_exit_is_read_even_by_a_slow_reader() {
    let (process, mut lines) = shell("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done").await;
    dies(&process.pid().unwrap().to_string()).await;
    // Nobody reads for longer than an output may stay silent.
    tokio::time::sleep(2 * DRAIN_TIMEOUT).await;
    let seen = all(&mut lines).await;
    assert_eq!(seen.len(), 3001);
    assert_eq!(seen[2999], line("line 2999"));
}

#[tokio::test]
async fn writing_to_an_agent_that_has_ended_fails_in_words() {
    let (process, mut lines) = shell("exit 0").await;
    all(&mut lines).await;
    let error = process.write("late".to_owned()).await.unwrap_err();
    assert_eq!(error, WriteError::Closed);
    assert_eq!(error.to_string(), "the agent has exited or closed its input");
}

#[tokio::test]
async fn writing_to_an_agent_that_closed_its_input_fails() {
    let (process, mut lines) = shell("exec <&-; echo closed; sleep 1000").await;
    assert_eq!(next(&mut lines).await, line("closed"));
    assert_eq!(timeout(PATIENCE, process.write("x".to_owned())).await.unwrap(), Err(WriteError::Closed));
}

#[rstest]
#[case::in_number(4 * 1024, WRITE_QUEUE)]
#[case::in_bytes(WHOLE_LINE, WRITE_BYTES / WHOLE_LINE)]
#[tokio::test]
async fn an_agent_that_does_not_read_fills_its_queue_and_then_is_refused(
    #[case] line_bytes: usize,
    #[case] queued: usize,
) {
    let (process, _lines) = shell("exec sleep 1000").await;
    let line = "x".repeat(line_bytes);
    let refused = async {
        // The pipe takes some lines.
        let mut waiting = Vec::new();
        loop {
            let mut write = Box::pin(process.write(line.clone()));
            match timeout(Duration::from_millis(10), &mut write).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return error,
                Err(_) => waiting.push(write),
            }
        }
    };
    assert_eq!(timeout(PATIENCE, refused).await.unwrap(), WriteError::Full(queued));
    stop(&process, Duration::ZERO).await;
}

fn file(folder: &Path, name: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, "neither a script nor a program\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// Each row is a program, a folder, and the whole sentence that the user reads.
#[tokio::test]
async fn a_failed_start_says_why_and_what_to_do() {
    let files = tempfile::tempdir().unwrap();
    let forbidden = file(files.path(), "forbidden", 0o644).display().to_string();
    let unfit = file(files.path(), "unfit", 0o755).display().to_string();
    for (program, folder, expected) in [
        (
            "/nowhere/agent",
            "/",
            "/nowhere/agent couldn't start: No such file or directory (os error 2). \
             Check that it's still installed, then start the session again.",
        ),
        (
            &forbidden,
            "/",
            "$PROGRAM couldn't start: Permission denied (os error 13). \
             Make the file executable, then start the session again.",
        ),
        (
            &unfit,
            "/",
            "$PROGRAM couldn't start: Exec format error (os error 8). \
             Check that it's built for this system; reinstalling the agent may help.",
        ),
        (
            "/bin/sh",
            "/nowhere/at/all",
            "Can't use the folder /nowhere/at/all: it doesn't exist. Choose another folder.",
        ),
        ("/bin/sh", &unfit, "Can't use the folder $FOLDER: it isn't a folder. Choose another folder."),
    ] {
        let error = AgentProcess::spawn(&plan(Path::new(program), &[], Path::new(folder))).await.unwrap_err();
        let expected = expected.replace("$PROGRAM", program).replace("$FOLDER", folder);
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn variables_of_package_scripts_do_not_reach_an_agent() {
    let set = ["npm_config_prefix", "npm_lifecycle_event", "INIT_CWD", "KEPT"];
    let code = "env | grep -ciE '^(npm_|INIT_CWD)'; env | grep -c ^KEPT=";
    // Variables are the process's own: another one sets them.
    if std::env::var_os("KEPT").is_some() {
        let (_process, mut lines) = shell(code).await;
        let seen = all(&mut lines).await;
        assert_eq!(seen[..2], [line("0"), line("1")], "{seen:?}");
        return;
    }
    let mut command = this_test("variables_of_package_scripts_do_not_reach_an_agent");
    let ended = command.envs(set.map(|name| (name, "x"))).status().unwrap();
    assert!(ended.success());
}

/// Runs one test of this file in a process of its own.
fn this_test(name: &str) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("supervisor::{name}"), "--nocapture"])
        .stdout(std::process::Stdio::null());
    command
}

#[tokio::test]
async fn case_169_a_secret_in_the_error_output_is_struck_also_where_it_is_written_in_pieces() {
    const SECRET: &str = "sk-0123456789abcdef";
    // The secret lies across the limit of a line, and across two writes.
    let script = format!(
        "{{ head -c {} /dev/zero | tr '\\0' x; printf 'key %s. ' \"$API_KEY\"; echo; }} >&2
         printf sk-0123456 >&2; sleep 0.2; printf '789abcdef' >&2; exit 3",
        STDERR_LINE - 10
    );
    let mut plan = plan(Path::new("/bin/sh"), &["-c", &script], Path::new("/"));
    plan.env.push(("API_KEY".into(), SECRET.into()));
    let (_process, mut lines) = AgentProcess::spawn(&plan).await.unwrap();
    let (mut printed, mut tail) = (String::new(), String::new());
    for event in all(&mut lines).await {
        match event {
            LinkEvent::Stderr(text) => printed.push_str(&text),
            LinkEvent::Ended(end) => tail = end.stderr_tail,
            LinkEvent::Inbound(_) => {}
        }
    }
    for seen in [printed, tail] {
        assert!(seen.contains("xkey [API_KEY].") && seen.ends_with("[API_KEY]"), "{seen}");
        assert!(!seen.contains("0123456"), "{seen}");
    }
}

#[tokio::test]
async fn a_program_that_is_asked_for_its_version_leaves_no_daemon_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!(
        "setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600' & \
        while [ ! -e {0} ]; do sleep 0.01; done; echo 1.2.3",
        file.display()
    );
    let printed = plan(Path::new("/bin/sh"), &["-c", &script], Path::new("/")).answer(PATIENCE);
    assert_eq!(printed.as_deref(), Some("1.2.3\n"));
    let daemon = fs::read_to_string(file).unwrap();
    dies(daemon.trim()).await;
}
