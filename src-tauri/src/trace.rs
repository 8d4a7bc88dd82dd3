//! Notes when the app reached a step of its start, and when the window painted something, for the benchmarks. Off unless
//! [`PATH_VARIABLE`] is set.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Mutex, OnceLock};
use std::time::UNIX_EPOCH;

use askdesk_contract::NotePainted;
use serde_json::{Value, json};
use tauri::webview::PageLoadEvent;

/// Names a file that gets one line of JSON for each step and each paint.
const PATH_VARIABLE: &str = "ASKDESK_TRACE";

/// A step of the start; the name is the one in the trace.
#[derive(Clone, Copy, Debug)]
pub enum Milestone {
    /// `main` has begun.
    Main,
    /// The toolkit runs.
    Setup,
    /// The window and its webview were made.
    WindowMade,
    /// The page began to load.
    PageStarted,
    /// The page asked for what it starts with.
    PageAsked,
    /// The engine has opened its journal.
    EngineOpen,
    /// The page was sent what it starts with.
    PageServed,
    /// The page has loaded, with its scripts.
    PageLoaded,
}

impl Milestone {
    const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Setup => "setup",
            Self::WindowMade => "window_made",
            Self::PageStarted => "page_started",
            Self::PageAsked => "page_asked",
            Self::EngineOpen => "engine_open",
            Self::PageServed => "page_served",
            Self::PageLoaded => "page_loaded",
        }
    }
}

pub fn reached(step: Milestone) {
    if let Some(file) = file() {
        let at_ms = UNIX_EPOCH.elapsed().map_or(0.0, |since| since.as_secs_f64() * 1e3);
        write(file, &json!({ "step": step.name(), "at_ms": at_ms }));
    }
}

pub fn page_load(event: PageLoadEvent) {
    reached(match event {
        PageLoadEvent::Started => Milestone::PageStarted,
        PageLoadEvent::Finished => Milestone::PageLoaded,
    });
}

pub fn painted(painted: &NotePainted) {
    if let Some(file) = file() {
        write(file, &json!({ "painted": painted.request, "at_ms": painted.at }));
    }
}

fn file() -> Option<&'static Mutex<File>> {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let opened = FILE.get_or_init(|| {
        let file = OpenOptions::new().create(true).append(true).open(std::env::var_os(PATH_VARIABLE)?);
        file.inspect_err(|error| tracing::warn!(%error, "the trace cannot be opened")).ok().map(Mutex::new)
    });
    opened.as_ref()
}

fn write(file: &Mutex<File>, line: &Value) {
    if let Ok(mut file) = file.lock()
        && let Err(error) = writeln!(file, "{line}")
    {
        tracing::warn!(%error, "the trace cannot be written");
    }
}
