use std::path::Path;
use std::time::Duration;

use tokio::time::timeout;

/// How long a program may take to print its version.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a program with `--version`. Returns `None` if it prints no version in time.
pub async fn ask_version(program: &Path) -> Option<String> {
    let program = program.to_owned();
    let probing = tokio::task::spawn_blocking(move || askdesk_version_probe::probe(&program, TIMEOUT));
    // The program may be on a file system that doesn't respond.
    timeout(2 * TIMEOUT, probing).await.ok()?.ok().flatten()
}
