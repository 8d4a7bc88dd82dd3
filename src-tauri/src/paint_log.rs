//! Logs when the window painted something, for the benchmarks. Off unless [`PATH_VARIABLE`] is set.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Mutex;

use askdesk_api::dto::NotePainted;

/// Names a file that gets one line of JSON for each paint.
const PATH_VARIABLE: &str = "ASKDESK_TRACE";

/// The log, if it is on.
pub struct PaintLog(Option<Mutex<File>>);

impl PaintLog {
    /// Opens the file that the environment names.
    pub fn from_env() -> Self {
        let path = std::env::var_os(PATH_VARIABLE);
        let file = path.and_then(|path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.inspect_err(|error| tracing::warn!(%error, "the paint log cannot be opened")).ok()
        });
        Self(file.map(Mutex::new))
    }

    pub fn write(&self, painted: &NotePainted) {
        let line = serde_json::json!({ "painted": painted.request, "at_ms": painted.at });
        if let Some(Ok(mut file)) = self.0.as_ref().map(Mutex::lock)
            && let Err(error) = writeln!(file, "{line}")
        {
            tracing::warn!(%error, "the paint log cannot be written");
        }
    }
}
