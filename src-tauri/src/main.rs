//! Starts the desktop app, or the demo agent it brings along.

// A release build on Windows opens no console window of its own.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == askdesk_desktop::DEMO_AGENT) {
        return askdesk_testkit::fake_agent::main(args);
    }
    askdesk_desktop::rendering::prefer_software();
    askdesk_desktop::run()
}
