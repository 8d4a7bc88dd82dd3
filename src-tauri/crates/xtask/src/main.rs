//! The commands a contributor types: `cargo xtask run`, `test`, `tidy`, `wire`, `package-files`, `bench`.

mod arguments;
mod bench;
mod counts;
mod install;
mod package_files;
mod prerequisites;
mod private_session;
mod probe;
mod python;
mod run_command;
mod stamp;
mod steps;
mod test_command;
mod tidy;
mod toolbox;
mod ui;
mod wire;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::Parser;

use crate::{
    arguments::{Arguments, Command},
    toolbox::Toolbox,
};

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<ExitCode> {
    let command = Arguments::parse().command;
    let root = root()?;
    let toolbox = Toolbox::of_the_system(&root);
    match command {
        Command::Run(options) => return run_command::run(toolbox, &options),
        Command::Test(options) => return test_command::run(toolbox, &options),
        Command::Tidy => tidy::check(&toolbox)?,
        Command::Wire => wire::run(&toolbox)?,
        Command::PackageFiles => package_files::run(&toolbox)?,
        Command::Bench(install) => bench::run(toolbox, install.yes)?,
        Command::InsideSession { command } => {
            let code = private_session::run_inside(&toolbox, &command)?;
            return Ok(u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds the root of the repository, three folders above this package.
fn root() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).map(Path::to_owned).context("this package does not lie in the repository")
}
