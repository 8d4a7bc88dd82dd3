//! Writes down when things were painted, for measurements; does nothing unless it is asked to.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Arc, Mutex};

use askdesk_api::desk::Painted;
use askdesk_api::dto::NotePainted;

/// Names a file that gets a line of JSON each time the window says that something was painted.
const TRACE: &str = "ASKDESK_TRACE";

/// Makes the function that is told of everything painted.
pub fn painted() -> Painted {
    let file = std::env::var_os(TRACE).map(|path| OpenOptions::new().create(true).append(true).open(path));
    match file {
        Some(Ok(file)) => {
            let file = Mutex::new(file);
            Arc::new(move |painted| write(&file, &painted))
        }
        Some(Err(error)) => {
            tracing::warn!(%error, "the trace file cannot be written");
            Arc::new(|_| {})
        }
        None => Arc::new(|_| {}),
    }
}

fn write(file: &Mutex<std::fs::File>, painted: &NotePainted) {
    let line = serde_json::json!({ "painted": painted.request, "at_ms": painted.at });
    if let Ok(mut file) = file.lock()
        && let Err(error) = writeln!(file, "{line}")
    {
        tracing::warn!(%error, "the trace file cannot be written");
    }
}
