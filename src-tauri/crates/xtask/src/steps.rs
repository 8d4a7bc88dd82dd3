//! Runs the steps of a command, prints how long each takes, and records its outcome.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, IsTerminal, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// How long a command may be silent before a line says that it is still running.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// How often a running command is looked at.
const POLL: Duration = Duration::from_millis(50);

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

#[derive(Debug, Clone)]
pub struct Ended {
    pub name: String,
    pub outcome: Outcome,
    pub took: Duration,
}

/// The steps of one command. All progress goes to stderr, so that stdout holds results alone.
#[derive(Debug)]
pub struct Steps {
    started: Instant,
    pub ended: Vec<Ended>,
}

impl Steps {
    pub fn start() -> Self {
        Self { started: Instant::now(), ended: Vec::new() }
    }

    /// Runs a step. A failure is printed and recorded, and later steps can run.
    pub fn run<T>(&mut self, name: &str, step: impl FnOnce() -> Result<T>) -> Option<T> {
        self.try_run(name, step).inspect_err(|error| eprintln!("{error:#}")).ok()
    }

    /// Runs a step that later steps need.
    pub fn try_run<T>(&mut self, name: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("[{}] {name} …", clock(self.started.elapsed()));
        let began = Instant::now();
        let result = step();
        self.finish(name, result.is_ok(), began.elapsed());
        result
    }

    /// Records a step that ran beside others. A failure is printed.
    pub fn record<T>(&mut self, name: &str, result: Result<T>, took: Duration) -> Option<T> {
        self.finish(name, result.is_ok(), took);
        result.inspect_err(|error| eprintln!("{error:#}")).ok()
    }

    fn finish(&mut self, name: &str, passed: bool, took: Duration) {
        let (outcome, word) = if passed { (Outcome::Passed, "done") } else { (Outcome::Failed, "FAILED") };
        eprintln!("[{}] {name}: {word} after {}", clock(self.started.elapsed()), seconds(took));
        self.ended.push(Ended { name: name.to_owned(), outcome, took });
    }

    /// Records a step that cannot run, with the reason.
    pub fn skip(&mut self, name: &str, reason: &str) {
        eprintln!("[{}] {name}: left out, {reason}", clock(self.started.elapsed()));
        let outcome = Outcome::Skipped(reason.to_owned());
        self.ended.push(Ended { name: name.to_owned(), outcome, took: Duration::ZERO });
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Runs a command with its output on the terminal; an unsuccessful exit is an error.
pub fn show(command: &mut Command) -> Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::from(io::stderr()));
    let mut child = start(command)?;
    // A terminal already sees the command's own progress.
    let silent_terminal = io::stderr().is_terminal();
    let began = Instant::now();
    let mut next = HEARTBEAT;
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for a command")? {
            break status;
        }
        if !silent_terminal && began.elapsed() >= next {
            still_running(&program_name(command).to_string_lossy(), began.elapsed());
            next += HEARTBEAT;
        }
        thread::sleep(POLL);
    };
    check_status(command, status)
}

/// Runs a command, passes each line of its output on, and returns its exit status.
pub fn read_lines(name: &str, command: &mut Command, mut line: impl FnMut(&str)) -> Result<ExitStatus> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(command)?;
    let (sender, receiver) = mpsc::channel();
    send_lines(child.stdout.take(), sender.clone());
    send_lines(child.stderr.take(), sender);
    let began = Instant::now();
    loop {
        match receiver.recv_timeout(HEARTBEAT) {
            Ok(text) => line(&text),
            Err(RecvTimeoutError::Timeout) => still_running(name, began.elapsed()),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    child.wait().context("cannot wait for a command")
}

/// Turns an exit status into an error that names the command.
pub fn check_status(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    bail!("`{}` ended with {status}; what it says above is the reason", command_line(command));
}

/// Formats a command as it would be typed.
pub fn command_line(command: &Command) -> String {
    std::iter::once(program_name(command))
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            if word.contains(' ') { format!("\"{word}\"") } else { word.into_owned() }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn start(command: &mut Command) -> Result<Child> {
    command.spawn().with_context(|| format!("cannot start `{}`; is it installed?", command_line(command)))
}

fn program_name(command: &Command) -> &OsStr {
    let program = Path::new(command.get_program());
    program.file_name().unwrap_or(program.as_os_str())
}

fn still_running(name: &str, since: Duration) {
    eprintln!("    … {name} is still running after {}", seconds(since));
}

fn send_lines(source: Option<impl Read + Send + 'static>, sender: Sender<String>) {
    let Some(source) = source else { return };
    thread::spawn(move || {
        let mut reader = BufReader::new(source);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            if sender.send(text).is_err() {
                break;
            }
            line.clear();
        }
    });
}

fn clock(elapsed: Duration) -> String {
    format!("{:02}:{:02}", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

/// Formats a duration: `1.2 s`, or `2 min 05 s` from a minute on.
pub fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_kept_and_the_next_one_runs() {
        let mut steps = Steps::start();
        assert_eq!(steps.run("first", || -> Result<()> { bail!("broken") }), None);
        assert_eq!(steps.run("second", || Ok(2)), Some(2));
        let outcomes: Vec<Outcome> = steps.ended.iter().map(|step| step.outcome.clone()).collect();
        assert_eq!(outcomes, [Outcome::Failed, Outcome::Passed]);
    }

    #[cfg(unix)]
    #[test]
    fn lines_of_both_outputs_arrive_and_the_status_is_told() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; printf last; exit 3"]);
        let mut lines = Vec::new();
        let status = read_lines("sh", &mut command, |line| lines.push(line.to_owned())).unwrap();
        lines.sort();
        assert_eq!((lines, status.code()), (vec!["err".into(), "last".into(), "out".into()], Some(3)));
        let error = check_status(&command, status).unwrap_err().to_string();
        assert!(error.contains("sh -c"), "{error}");
    }

    #[test]
    fn a_command_that_is_not_there_is_named() {
        let error = show(&mut Command::new("no-such-program-askdesk")).unwrap_err().to_string();
        assert!(error.contains("`no-such-program-askdesk`"), "{error}");
    }

    #[test]
    fn durations_read_as_a_person_says_them() {
        assert_eq!(seconds(Duration::from_millis(1_240)), "1.2 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
        assert_eq!(clock(Duration::from_secs(605)), "10:05");
    }
}
