//! `askdesk`: asks and answers questions from a terminal or a script, and registers Askdesk with the apps whose agents should
//! ask. `askdesk mcp` is an MCP server for apps that only support standard input and output.

mod arguments;
mod ask;
mod completions;
mod connect;
mod doctor;
mod exit;
mod hook;
mod http_client;
mod requests;
mod retry;
mod stdio_server;
mod terminal;
mod token;

use std::process::ExitCode;

use arguments::{Arguments, Command, TokenCommand};
use askdesk_client_config::DataFolder;
use askdesk_client_config::discovery::data_folder;
use askdesk_user_environment::Variables;
use clap::Parser;
use exit::{Exit, Failure};

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    if let Command::Environment { mark } = &command {
        let printed = askdesk_user_environment::print(&mut std::io::stdout(), mark, &Variables::of_process());
        return printed.map_or_else(|error| fail(false, &error.into()), |()| ExitCode::SUCCESS);
    }
    let is_hook = matches!(command, Command::Hook);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(is_hook, &error.into()),
    };
    let result = runtime.block_on(run(command));
    // A thread may still be reading standard input, which must not delay the exit.
    runtime.shutdown_background();
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => fail(is_hook, &failure),
    }
}

fn fail(is_hook: bool, failure: &Failure) -> ExitCode {
    // Claude Code shows its own dialog anyway. An error message would only confuse the user.
    if is_hook {
        return ExitCode::SUCCESS;
    }
    eprintln!("askdesk: {failure}");
    failure.exit().into()
}

async fn run(command: Command) -> Result<Exit, Failure> {
    let folder = || data_folder().map(DataFolder::at).map_err(|error| Failure::System(error.to_string()));
    match command {
        Command::Ask(ask) => ask::run(&folder()?, &ask).await,
        Command::List(list) => requests::list(&folder()?, &list).await,
        Command::Answer(answer) => requests::answer(&folder()?, &answer).await,
        Command::Hook => hook::run(&folder()?).await,
        Command::Mcp(mcp) => stdio_server::run(&folder()?, &mcp).await,
        Command::Connect(connect) => connect::connect(&folder()?, &connect).await,
        Command::Disconnect(disconnect) => connect::disconnect(&disconnect),
        Command::Doctor(doctor) => doctor::run(&folder()?, &doctor).await,
        Command::Token { command: TokenCommand::Rotate } => token::rotate(&folder()?).await,
        // It is answered before anything else starts.
        Command::Environment { .. } => Ok(Exit::Success),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { folder } => completions::man(folder.as_deref()),
    }
}
