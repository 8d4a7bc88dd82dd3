//! Runs test programs side by side, each within a time limit.
//!
//! They mostly wait: for a delay, a process, a notification. Only one window of a desktop has the keyboard focus, so the window's tests
//! run in parts, each on a desktop of its own.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::{
    counts::ProgramOutput,
    private_session::{self, PrivateFolders},
    steps::{self, seconds},
    workspace::Workspace,
};

/// The hidden command that runs a program within [`LIMIT`].
pub const SUBCOMMAND: &str = "run-test-program";

/// How long one program may run: about four times what the slowest one needs on two cores.
const LIMIT: Duration = Duration::from_secs(30 * 60);
const POLL: Duration = Duration::from_millis(100);
/// How often a running program is mentioned.
const MENTION: Duration = Duration::from_secs(30);

/// The program with the window's tests.
const WINDOW: &str = "window";
/// How many tests of the window run one after the other on a desktop, and on how many desktops at a time.
const ON_ONE_DESKTOP: usize = 12;
const DESKTOPS: usize = 2;
/// The other programs that take longest, which start first.
const LONG: [&str; 6] = ["engine", "askdesk_engine", "agents", "gateway", "domain", "askdesk_file_search"];

/// A program that `cargo test --no-run` has built.
#[derive(Debug, PartialEq, Eq)]
pub struct TestProgram {
    /// The target's name.
    pub name: String,
    file: PathBuf,
    /// The folder of its package, in which cargo would start it.
    package: PathBuf,
}

impl TestProgram {
    /// Reads a line of `cargo test --message-format=json`; none if it names no test program.
    pub fn from_message(line: &str) -> Option<Self> {
        let Artifact { reason, target, profile, executable, manifest_path } =
            serde_json::from_str(line).ok()?;
        let file = executable.filter(|_| reason == "compiler-artifact" && profile.test)?;
        Some(Self { name: target.name, file, package: manifest_path.parent()?.to_owned() })
    }

    /// Reads what `cargo test --no-run --message-format=json-render-diagnostics` builds.
    pub fn built_by(cargo: &mut Command) -> Result<Vec<Self>> {
        let mut programs = Vec::new();
        let status = steps::read_lines("cargo", cargo, |line| match Self::from_message(line) {
            Some(program) => programs.push(program),
            None if line.starts_with('{') => {}
            None => eprintln!("{line}"),
        })?;
        ensure!(status.success(), "the tests do not compile");
        Ok(programs)
    }

    fn rank(&self) -> usize {
        LONG.iter().position(|name| *name == self.name).unwrap_or(LONG.len())
    }

    /// Lists the tests that a filter leaves.
    fn tests(&self, options: &RunOptions<'_>) -> Result<Vec<String>> {
        let output = options
            .command(&self.file)
            .args(options.filter)
            .args(["--list", "--format", "terse"])
            .current_dir(&self.package)
            .output()
            .with_context(|| format!("cannot start {}", self.file.display()))?;
        ensure!(output.status.success(), "cannot list the tests of {}", self.file.display());
        let lines = String::from_utf8_lossy(&output.stdout);
        Ok(lines.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }
}

/// What we read of cargo's messages.
#[derive(Deserialize)]
struct Artifact {
    reason: String,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// A run of a program, or of a part of its tests.
struct Job {
    name: String,
    command: Command,
    /// Kept until the program has ended.
    _folders: PrivateFolders,
}

/// What a run of a program printed, and whether it succeeded.
pub struct EndedProgram {
    pub name: String,
    pub output: ProgramOutput,
    pub succeeded: bool,
}

/// Which tests run, and how.
#[derive(Default)]
pub struct RunOptions<'a> {
    pub filter: Option<&'a str>,
    /// Whether the window's engine is behind JSON.
    pub in_json: bool,
    /// Starts a program of another system.
    pub runner: Option<&'a Command>,
    /// The tests that don't run.
    pub left_out: &'a [&'a str],
}

impl RunOptions<'_> {
    fn command(&self, program: &Path) -> Command {
        let Some(runner) = self.runner else { return Command::new(program) };
        let mut command = Command::new(runner.get_program());
        command.envs(runner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.arg(program);
        command
    }
}

/// Runs all tests that a filter leaves.
pub fn run_all(
    workspace: &Workspace,
    mut programs: Vec<TestProgram>,
    options: &RunOptions<'_>,
) -> Result<Vec<EndedProgram>> {
    programs.sort_by_key(TestProgram::rank);
    let [mut of_window, mut others] = [VecDeque::new(), VecDeque::new()];
    for program in &programs {
        let jobs = if program.name == WINDOW { &mut of_window } else { &mut others };
        jobs.extend(jobs_of(workspace, program, options)?);
        if options.in_json {
            for job in jobs.iter_mut() {
                job.command.env("ASKDESK_ENGINE", "json");
            }
        }
    }
    let jobs = Mutex::new([of_window, others]);
    let ended = Mutex::new(Vec::new());
    let next = |has_desktop: bool| {
        let [of_window, others] = &mut *jobs.lock().unwrap_or_else(PoisonError::into_inner);
        has_desktop.then(|| of_window.pop_front()).flatten().or_else(|| others.pop_front())
    };
    thread::scope(|scope| {
        for worker in 0..cores() + 1 {
            let (next, ended) = (&next, &ended);
            scope.spawn(move || {
                while let Some(job) = next(worker < DESKTOPS) {
                    let result = run_job(job);
                    ended.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                }
            });
        }
    });
    ended.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
}

/// Prepares the runs of a program: none if it has no test, several if each needs a desktop.
fn jobs_of(workspace: &Workspace, program: &TestProgram, options: &RunOptions<'_>) -> Result<Vec<Job>> {
    let tests = program.tests(options)?;
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let window = program.name == WINDOW;
    let parts = if window { tests.len().div_ceil(ON_ONE_DESKTOP) } else { 1 };
    let part = |number: usize| {
        let this_program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut command = workspace.command(this_program);
        let started = options.command(&program.file);
        command.arg(SUBCOMMAND).arg(started.get_program()).args(started.get_args()).arg("--show-output");
        command.envs(started.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if window {
            // Neighbors are alike, so the parts take about the same time.
            command.arg("--exact").args(tests.iter().skip(number).step_by(parts));
        } else {
            command.args(options.filter);
            command.args(options.left_out.iter().flat_map(|test| ["--skip", test]));
        }
        let folders = PrivateFolders::make()?;
        if program.package == workspace.root() {
            command = private_session::wrap_apart(workspace, &folders, &command)?;
        } else {
            folders.apply_to(&mut command);
        }
        command.current_dir(&program.package).env("CARGO_MANIFEST_DIR", &program.package);
        let name = match parts {
            1 => program.name.clone(),
            _ => format!("{} {}", program.name, number + 1),
        };
        Ok(Job { name, command, _folders: folders })
    };
    (0..parts).map(part).collect()
}

fn cores() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}

fn run_job(Job { name, mut command, .. }: Job) -> Result<EndedProgram> {
    let mut output = ProgramOutput::default();
    let began = Instant::now();
    let mut mentioned = began;
    let status = steps::read_lines(&name, &mut command, |line| {
        if output.line(line) {
            eprintln!("{line}");
        }
        if mentioned.elapsed() >= MENTION {
            mentioned = Instant::now();
            eprintln!("    … {name}: {} tests after {}", output.ended, seconds(began.elapsed()));
        }
    })?;
    eprintln!("    {name}: {} in {}", output.counts, seconds(began.elapsed()));
    for line in &output.failures {
        eprintln!("{line}");
    }
    Ok(EndedProgram { name, output, succeeded: status.success() })
}

/// Runs a program within the limit; returns its exit code.
pub fn run_limited(program: &OsStr, arguments: &[OsString]) -> Result<i32> {
    run_within(Command::new(program).args(arguments), LIMIT)
}

fn run_within(command: &mut Command, limit: Duration) -> Result<i32> {
    let mut child = command.spawn().context("cannot start a test program")?;
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait().context("cannot wait for a test program")? {
            return Ok(status.code().unwrap_or(1));
        }
        thread::sleep(POLL);
    }
    child.kill().context("cannot end a test program")?;
    child.wait().context("cannot wait for a test program")?;
    let name = Path::new(command.get_program()).display();
    anyhow::bail!("{name} did not end within {} and was killed", seconds(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_among_cargos_messages() {
        let message = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"x","manifest_path":"/r/crates/engine/Cargo.toml",
                "target":{{"kind":["test"],"name":"engine"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let program = TestProgram {
            name: "engine".into(),
            file: "/t/engine-1".into(),
            package: "/r/crates/engine".into(),
        };
        assert_eq!(TestProgram::from_message(&message(true, "\"/t/engine-1\"")), Some(program));
        let others = [message(false, "\"/t/engine\""), message(true, "null"), "   Compiling x".into()];
        for line in others {
            assert_eq!(TestProgram::from_message(&line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_keeps_its_exit_code_and_one_that_hangs_is_ended() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(run_within(&mut shell("exit 7"), LIMIT).unwrap(), 7);
        let error = run_within(&mut shell("exec sleep 600"), Duration::from_millis(200)).unwrap_err();
        assert!(error.to_string().contains("did not end within 0.2 s"), "{error}");
    }
}
