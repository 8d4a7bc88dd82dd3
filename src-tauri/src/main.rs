//! Starts the desktop app, or the demo agent it brings along.

// A release build on Windows opens no console window of its own.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == askdesk_desktop::DEMO_AGENT) {
        return askdesk_demo_agent::main(args);
    }
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(text) = askdesk_desktop::arguments::printed(arguments.iter().map(OsString::as_os_str)) {
        // Nobody may be reading.
        let _ = std::io::stdout().write_all(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    askdesk_desktop::rendering::prefer_software();
    askdesk_desktop::run()
}
