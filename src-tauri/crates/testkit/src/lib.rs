//! Stand-ins for the outside world: an agent program, an agents' server, the model's HTTP API, and the pinned real agent CLIs.
//! No program that is shipped may contain it.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

pub mod clis;
pub mod eliciting_server;
pub mod fake_agent;
pub mod fake_server;
#[cfg(unix)]
pub mod faults;
#[cfg(target_os = "linux")]
pub mod hung_disk;
pub mod mcp_clients;
pub mod mock_api;
#[cfg(unix)]
pub mod read_errors;
#[cfg(unix)]
pub mod small_disk;

/// Finds a program that was built beside the running program or test.
fn find_built_program(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let running = std::env::current_exe().ok()?;
    // Test programs lie in `deps`, one folder below the others.
    running.ancestors().skip(1).take(2).map(|dir| dir.join(&name)).find(|program| program.is_file())
}

/// Finds a program of this crate, and builds it first where cargo has built the tests of one package alone.
fn find_or_build_program(name: &str) -> Result<PathBuf> {
    static BUILDING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = find_built_program(name) {
        return Ok(program);
    }
    let running = std::env::current_exe()?;
    let target = running.ancestors().nth(3).unwrap_or(Path::new("target"));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", env!("CARGO_PKG_NAME")]);
    let built = cargo.args(["--bin", name, "--target-dir"]).arg(target).status()?;
    let missing = || Error::new(ErrorKind::NotFound, format!("cargo did not build {name} ({built})"));
    find_built_program(name).ok_or_else(missing)
}
