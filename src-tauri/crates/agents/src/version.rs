//! The installed version of an agent, and how it fits.

use std::path::Path;
use std::time::Duration;

use askdesk_domain::VersionFit;
use tokio::time::timeout;

use crate::agent::Agent;

/// How long a program may take to print its version.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What is known about the version of an agent's program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundVersion {
    /// None if the program prints no version in time.
    pub version: Option<String>,
    /// None if it can't be compared.
    pub fit: Option<VersionFit>,
}

/// Runs an agent's program with `--version`.
pub async fn found_version(agent: &dyn Agent, program: &Path) -> FoundVersion {
    let program = program.to_owned();
    let probing = tokio::task::spawn_blocking(move || askdesk_version_probe::probe(&program, TIMEOUT));
    // The program may be on a file system that doesn't respond.
    let version = timeout(2 * TIMEOUT, probing).await.ok().and_then(Result::ok).flatten();
    let supported = agent.descriptor().versions.as_ref();
    let fit = supported.zip(version.as_deref()).and_then(|(supported, found)| supported.fit(found));
    FoundVersion { version, fit }
}
