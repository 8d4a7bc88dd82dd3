//! Tests that run in their own process: a umask and a kill affect a whole process.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDER: &str = "ASKDESK_TEST_FOLDER";

/// The folder from the parent process; none in the process that runs all tests.
pub fn handed_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// A command that runs one test of this binary. `module` is the test's `module_path!()`.
///
/// A shell sets the umask.
pub fn run_alone(umask: &str, module: &str, test: &str, folder: &Path) -> Command {
    let (_binary, module) = module.split_once("::").unwrap();
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!("umask {umask}; exec \"$0\" --exact {module}::{test}"))
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, folder);
    command
}

/// Runs one test of this binary in a process that kills itself at a step of [`askdesk_engine`]'s fault injection.
pub fn kill_at(step: &str, module: &str, test: &str, folder: &Path) {
    let child = run_alone("022", module, test, folder)
        .env("ASKDESK_DIE_AT", step)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(child.signal(), Some(9), "{step} was never reached: {child}");
}
