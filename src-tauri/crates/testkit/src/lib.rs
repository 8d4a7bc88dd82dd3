//! Stand-ins for the outside world: an agent program, an agents' server, the model's HTTP API, and the pinned real agent CLIs.
//!
//! The [`fake_agent`] is also the demo agent of the desktop app, so it builds with no features; everything that
//! only tests want is behind `mock-api`.

pub mod clis;
pub mod fake_agent;
#[cfg(feature = "mock-api")]
pub mod fake_server;
pub mod mcp_clients;
#[cfg(feature = "mock-api")]
pub mod mock_api;

/// Finds a program that was built beside the running program or test.
fn find_built_program(name: &str) -> Option<std::path::PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let running = std::env::current_exe().ok()?;
    // Test programs lie in `deps`, one folder below the others.
    running.ancestors().skip(1).take(2).map(|dir| dir.join(&name)).find(|program| program.is_file())
}
