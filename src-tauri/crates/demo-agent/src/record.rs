//! The record of every line read and written, for tests and measurements.
//!
//! One JSON object a line: `{"t_ns": …, "dir": "in"|"out", "line": "…"}`. `t_ns` is the system's monotonic clock, the
//! same in every process of the machine; `line` is the text without its line end, bytes that are no UTF-8 replaced.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

/// The environment variable that names the file; empty is none.
pub const RECORD_ENV: &str = "ASKDESK_FAKE_RECORD";

/// Which way a line went.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    In,
    Out,
}

/// A file that lines are appended to; does nothing when there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record(Option<Arc<Mutex<File>>>);

impl Record {
    pub(crate) fn from_env() -> Result<Self, String> {
        let Some(path) = std::env::var_os(RECORD_ENV).filter(|path| !path.is_empty()) else {
            return Ok(Self::default());
        };
        let file = File::options().create(true).append(true).open(&path).map_err(|error| {
            format!("{RECORD_ENV}: {} cannot be written ({error})", Path::new(&path).display())
        })?;
        Ok(Self(Some(Arc::new(Mutex::new(file)))))
    }

    /// Appends one line; a full disk must not change what the agent does, so a failure is only told.
    pub(crate) fn append(&self, t_ns: u64, direction: Direction, line: &[u8]) {
        let Some(file) = &self.0 else { return };
        let dir = match direction {
            Direction::In => "in",
            Direction::Out => "out",
        };
        let mut text = json!({"t_ns": t_ns, "dir": dir, "line": String::from_utf8_lossy(line)}).to_string();
        text.push('\n');
        let written = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
        if let Err(error) = written {
            eprintln!("fake-agent: the record cannot be written ({error})");
        }
    }
}

/// Reads the system's monotonic clock in nanoseconds.
#[cfg(unix)]
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Reads a clock in nanoseconds; the one of the wall where no shared monotonic clock can be read safely.
#[cfg(not(unix))]
pub fn monotonic_ns() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
