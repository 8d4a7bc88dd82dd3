//! Runs one agent and leaves nothing of it behind. See the library for the protocol.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod host;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    host::run()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("{} is only used on Linux", askdesk_agent_host::PROGRAM);
    ExitCode::FAILURE
}
