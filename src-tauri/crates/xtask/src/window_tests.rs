//! Runs the window's tests two at a time.
//!
//! They mostly wait (for a delay, a process, a notification), but only one window of a desktop has the keyboard focus. So
//! `cargo test` starts its programs through this one, which gives half of the window's tests a desktop of their own.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{
    private_session::{self, PrivateFolders},
    workspace::Workspace,
};

/// The hidden command with which this program is cargo's runner of test programs.
pub const RUNNER: &str = "run-test-program";

/// The program with the window's tests, as cargo names it before the hash.
const WINDOW: &str = "window-";

/// Makes cargo start test programs through this program.
pub fn run_through(cargo: &mut Command) -> Result<()> {
    let this_program = std::env::current_exe().context("cannot find this program's own file")?;
    let this_program = this_program.to_str().context("the repository's path is not Unicode")?;
    let runner = serde_json::to_string(&[this_program, RUNNER])?;
    cargo.args(["--config", &format!("target.'cfg(unix)'.runner = {runner}")]);
    Ok(())
}

/// Runs a test program; returns its exit code.
pub fn run(workspace: &Workspace, program: &OsStr, arguments: &[OsString]) -> Result<i32> {
    let name = Path::new(program).file_name().unwrap_or(program);
    let tests = match name.to_string_lossy().starts_with(WINDOW) {
        true => list(program, arguments)?,
        false => Vec::new(),
    };
    let [here, beside] = halves(&tests);
    if beside.is_empty() {
        return code(Command::new(program).args(arguments));
    }
    let half = |names: Vec<&str>| {
        let mut half = Command::new(program);
        half.arg("--exact").args(names).args(arguments.iter().filter(|it| is_option(it)));
        half
    };
    let folders = PrivateFolders::make()?;
    let mut beside = private_session::wrap(workspace, &folders, &half(beside))?;
    // Tests read the folder of their package in the working folder.
    beside.current_dir(std::env::current_dir()?).stdin(Stdio::null()).stdout(Stdio::piped());
    let beside = beside.spawn().context("cannot start a second desktop")?;
    let beside = std::thread::spawn(|| beside.wait_with_output());
    let here = code(&mut half(here))?;
    let output = beside.join().map_err(|_| anyhow::anyhow!("a second desktop could not be read"))??;
    // Whole, so that whoever reads the output finds one run after the other.
    io::stdout().write_all(&output.stdout)?;
    Ok(here.max(output.status.code().unwrap_or(1)))
}

fn code(command: &mut Command) -> Result<i32> {
    Ok(command.status().context("cannot start a test program")?.code().unwrap_or(1))
}

fn is_option(argument: &OsStr) -> bool {
    argument.to_string_lossy().starts_with('-')
}

/// Lists the tests that a program would run.
fn list(program: &OsStr, arguments: &[OsString]) -> Result<Vec<String>> {
    let output = Command::new(program).args(arguments).args(["--list", "--format", "terse"]).output()?;
    ensure!(output.status.success(), "cannot list the tests of {}", program.display());
    let lines = String::from_utf8_lossy(&output.stdout);
    Ok(lines.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Splits tests into halves that take about the same time: neighbors are alike.
fn halves(tests: &[String]) -> [Vec<&str>; 2] {
    [0, 1].map(|first| tests.iter().skip(first).step_by(2).map(String::as_str).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_in_one_half() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(halves(&names), [vec!["a", "c"], vec!["b"]]);
        assert_eq!(halves(&names[..1]), [vec!["a"], vec![]]);
    }

    #[cfg(unix)]
    #[test]
    fn another_program_gets_its_arguments_and_keeps_its_exit_code() {
        let arguments = ["-c", "exit $1", "sh", "7"].map(OsString::from);
        assert_eq!(run(&Workspace::new(Path::new("/")), OsStr::new("sh"), &arguments).unwrap(), 7);
    }
}
