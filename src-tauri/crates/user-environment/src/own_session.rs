//! Keeps what Askdesk starts away from the terminal that Askdesk was started from.

use std::process::Command;

/// Gives a program a session of its own, and so a process group. In a session with a terminal, a program that asks the terminal
/// for something from the background, such as an interactive bash, is stopped until it is in the foreground: for ever. It also doesn't get the Ctrl+C of that terminal.
pub fn in_own_session(command: &mut Command) -> std::io::Result<()> {
    use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};
    // Called by itself, it leaves the command to whoever spawns it.
    ProcessSession.pre_spawn(command, &CommandWrap::with_new("", |_| ()))
}
