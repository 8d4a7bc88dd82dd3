//! Work on folders and programs that may be on a file system that doesn't respond.

use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// How long a folder or a program may take to respond before a command fails.
pub const FILES_LIMIT: Duration = Duration::from_secs(10);

/// Runs work on a thread that may block, so that nothing else waits for it. None if it isn't done in time or panics; the thread
/// goes on until the file system responds.
pub async fn on_slow_files<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    timeout(limit, spawn_blocking(work)).await.ok()?.ok()
}
