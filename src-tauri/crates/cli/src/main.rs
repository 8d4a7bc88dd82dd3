//! `askdesk`: asks a person at their desk from a script, answers from a terminal, and registers the desk with the
//! programs whose agents should ask over it. For those that speak MCP over standard input alone it is the server.

mod arguments;
mod ask;
mod connecting;
mod doctor;
mod door;
mod ending;
mod hook;
mod shell_files;
mod terminal;
mod token;
mod twin;
mod wait;
mod waiting;

use std::process::ExitCode;

use arguments::{Arguments, Command, TokenCommand};
use askdesk_client_config::desk::{self, Desk};
use clap::Parser;
use ending::{Ending, Failure};

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    // Claude Code runs it at every question: whatever goes wrong, its own dialog must stand as if it were not there.
    if matches!(command, Command::Hook) {
        if let Ok(folder) = desk::data_folder() {
            hook::run(&Desk::at(folder));
        }
        return ExitCode::SUCCESS;
    }
    match run(command) {
        Ok(ending) => ending.into(),
        Err(failure) => {
            eprintln!("askdesk: {failure}");
            failure.ending().into()
        }
    }
}

fn run(command: Command) -> Result<Ending, Failure> {
    let desk = || desk::data_folder().map(Desk::at).map_err(|why| Failure::System(why.to_string()));
    match command {
        Command::Ask(ask) => ask::run(&desk()?, &ask),
        Command::List(list) => waiting::list(&desk()?, &list),
        Command::Answer(answer) => waiting::answer(&desk()?, &answer),
        Command::Hook => Ok(Ending::Well),
        Command::Mcp(mcp) => twin::run(&desk()?, &mcp),
        Command::Connect(connect) => connecting::connect(&desk()?, &connect),
        Command::Disconnect(disconnect) => connecting::disconnect(&desk()?, &disconnect),
        Command::Doctor(doctor) => doctor::run(&desk()?, &doctor),
        Command::Token { command: TokenCommand::Rotate } => token::rotate(&desk()?),
        Command::Completions { shell } => shell_files::completions(shell),
        Command::Man { folder } => shell_files::man(folder.as_deref()),
    }
}
