//! The demo agent as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    askdesk_demo_agent::main(std::env::args_os().skip(1))
}
