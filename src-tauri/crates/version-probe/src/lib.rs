//! Runs a program for a short answer: with `--version`, and with other arguments.

use std::io::{self, PipeReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use askdesk_agent_host::{CONTROL_FD, REPORT_FD};
use askdesk_user_environment::variables;
#[cfg(target_os = "linux")]
use command_fds::{CommandFdExt as _, FdMapping};
use process_wrap::std::CommandWrap;
#[cfg(windows)]
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

/// How long a host may take to end what it started.
const HOST_ENDS: Duration = Duration::from_secs(4);
/// How much of the output is read for a version, in bytes.
const MAX_OUTPUT: u64 = 4 * 1024;
/// How much of any other output is read, in bytes.
const MAX_ANSWER: u64 = 64 * 1024;
/// The longest version that is returned, in characters.
const MAX_VERSION: usize = 64;

/// Returns the version of a program, or `None` if it prints none within the timeout. Blocks until then, and ends the program
/// and everything it started.
pub fn probe(program: &Path, timeout: Duration) -> Option<String> {
    let (mut command, control) = starting(program).ok()?;
    command.arg("--version").current_dir(std::env::temp_dir());
    let (reader, writer) = io::pipe().ok()?;
    command.stdout(writer).stderr(Stdio::null());
    variables().for_program(program).give_to(&mut command);
    parse(&captured(command, control, reader, MAX_OUTPUT, timeout)?)
}

/// Returns what a program prints on both outputs, or `None` if it hasn't ended within the timeout. Blocks until then, and ends
/// the program and everything it started. `set` holds variables beside those of the user.
pub fn answer(
    program: &Path,
    arguments: &[&str],
    folder: &Path,
    set: &[(&str, &str)],
    timeout: Duration,
) -> Option<String> {
    let (mut command, control) = starting(program).ok()?;
    command.args(arguments).current_dir(folder);
    let (reader, writer) = io::pipe().ok()?;
    command.stdout(writer.try_clone().ok()?).stderr(writer);
    variables().for_program(program).give_to(&mut command);
    command.envs(set.iter().copied());
    captured(command, control, reader, MAX_ANSWER, timeout)
}

/// Our ends of a host's pipes. Once the first one is closed, the host ends the program and everything it started.
type Control = Option<(io::PipeWriter, PipeReader)>;

/// Prepares to start a program, on Linux below a host, which ends it also when this process is killed.
#[cfg(target_os = "linux")]
fn starting(program: &Path) -> io::Result<(Command, Control)> {
    let Some(host) = askdesk_agent_host::beside_this_program() else {
        return Ok((Command::new(program), None));
    };
    let mut command = Command::new(host);
    command.arg(program);
    let (of_host, control) = io::pipe()?;
    let (reports, report) = io::pipe()?;
    let mapped = [(of_host.into(), CONTROL_FD), (report.into(), REPORT_FD)]
        .map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd });
    command.fd_mappings(mapped.into()).map_err(io::Error::other)?;
    Ok((command, Some((control, reports))))
}

#[cfg(not(target_os = "linux"))]
fn starting(program: &Path) -> io::Result<(Command, Control)> {
    Ok((Command::new(program), None))
}

fn captured(
    mut command: Command,
    control: Control,
    output: PipeReader,
    most: u64,
    timeout: Duration,
) -> Option<String> {
    command.stdin(Stdio::null());
    let mut command = CommandWrap::from(command);
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::std::CreationFlags(CREATE_NO_WINDOW)).wrap(process_wrap::std::JobObject);
    let mut child = command.spawn().ok()?;
    // It holds the other end of the pipe.
    drop(command);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut read = Vec::new();
        let result = output.take(most).read_to_end(&mut read);
        // After the timeout there is no receiver.
        let _ = sender.send(result.map(|_| read));
    });
    let output = receiver.recv_timeout(timeout).ok().and_then(Result::ok);
    if control.is_some() {
        drop(control);
        let began = Instant::now();
        while matches!(child.try_wait(), Ok(None)) && began.elapsed() < HOST_ENDS {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let _ = child.start_kill();
    let _ = child.wait();
    Some(String::from_utf8_lossy(&output?).into_owned())
}

/// Returns the first word that starts with a digit, after an optional `v`, and contains a dot.
fn parse(output: &str) -> Option<String> {
    let bare = |word: &str| word.strip_prefix('v').unwrap_or(word).trim_end_matches([',', ';']).to_owned();
    let is_version =
        |word: &String| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    let version = output.split_whitespace().map(bare).find(is_version)?;
    Some(version.chars().filter(char::is_ascii_graphic).take(MAX_VERSION).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("2.1.329 (Claude Code)\n", Some("2.1.329"))]
    #[case("\nclaude v3.0.0-beta\nmore", Some("3.0.0-beta"))]
    #[case("codex-cli 0.169.0\n", Some("0.169.0"))]
    #[case("Zed v0.210.3, abc\n", Some("0.210.3"))]
    #[case("unknown option --version", None)]
    #[case("", None)]
    fn the_version_is_the_first_word_that_looks_like_one(
        #[case] output: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(parse(output).as_deref(), expected);
    }

    /// Writes a program with a shell. If this process wrote it, a process that another test starts at the same time could
    /// hold it open for writing, and then it can't be run.
    #[cfg(unix)]
    fn program(folder: &Path, script: &str) -> std::path::PathBuf {
        let program = folder.join("agent");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#"printf %s "$1" > "$0" && chmod +x "$0""#]).arg(&program).arg(script);
        assert!(shell.status().unwrap().success());
        program
    }

    #[cfg(unix)]
    #[rstest]
    #[case("#!/bin/sh\necho \"1.2.3 ($1)\"\n", Some("1.2.3"))]
    #[case("#!/bin/sh\nexit 3\n", None)]
    #[case(
        "#!/bin/sh\nyes 1.2 | tr -d '\\n'\n",
        Some("1.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21")
    )]
    fn a_program_is_run_and_its_output_is_bounded(#[case] script: &str, #[case] expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), script);
        assert_eq!(probe(&program, Duration::from_secs(60)).as_deref(), expected);
        assert_eq!(probe(&folder.path().join("none"), Duration::from_secs(60)), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_is_what_is_printed_on_both_outputs_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let script = "#!/bin/sh\necho \"$1 $2 $SET\"; pwd >&2; exit 1\n";
        let program = program(folder.path(), script);
        let here = dunce::canonicalize(folder.path()).unwrap();
        let printed = answer(&program, &["a", "b"], &here, &[("SET", "1")], Duration::from_secs(60));
        assert_eq!(printed, Some(format!("a b 1\n{}\n", here.display())));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_prints_nothing_is_ended_with_everything_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script =
            format!("#!/bin/sh\nsleep 600 &\necho $! > {0}.new; mv {0}.new {0}; wait\n", pid.display());
        let program = program(folder.path(), &script);
        let started = std::time::Instant::now();
        assert_eq!(probe(&program, Duration::from_millis(500)), None);
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
        let pid = std::fs::read_to_string(pid).unwrap();
        let stat = std::path::PathBuf::from("/proc").join(pid.trim()).join("stat");
        let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        while cfg!(target_os = "linux") && runs() {
            assert!(started.elapsed() < Duration::from_secs(60), "the child is still running");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
