//! Moves a damaged file out of the way.

use std::io;
use std::path::{Path, PathBuf};

use askdesk_domain::Timestamp;

/// Renames a file, and the logs that SQLite keeps beside a database; returns the new name. Overwrites nothing.
pub fn quarantine(path: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let mut kept = with_suffix(path, &format!(".damaged-{}", now.millis()));
    let mut more = 1;
    while kept.exists() {
        kept = with_suffix(path, &format!(".damaged-{}-{more}", now.millis()));
        more += 1;
    }
    // The database goes last: a crash on the way must not leave an old log beside a fresh database.
    for beside in ["-wal", "-shm"] {
        let from = with_suffix(path, beside);
        if from.exists() {
            std::fs::rename(from, with_suffix(&kept, beside))?;
        }
    }
    std::fs::rename(path, &kept)?;
    Ok(kept)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
