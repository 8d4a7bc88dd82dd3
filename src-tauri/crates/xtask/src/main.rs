//! The commands a contributor types: `cargo xtask run`, `dev`, `test`, `tidy`, `wire`, `guide`, `bench`, `drift`, `dist`,
//! `try-package`.

mod appimage;
mod appstream;
mod arguments;
mod bench;
mod changed_page_tests;
mod changelog;
mod counts;
mod dist;
mod drift;
mod fingerprint;
mod guide;
mod install;
mod licenses;
mod prerequisites;
mod private_session;
mod probe;
mod python;
mod release;
mod run_command;
mod steps;
mod test_command;
mod test_programs;
mod tidy;
mod try_package;
mod ui;
mod update_manifest;
mod windows;
mod wire;
mod workspace;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::Parser;

use crate::{
    arguments::{Arguments, Command, UpdateManifest},
    workspace::Workspace,
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
    let workspace = Workspace::new(&root);
    match command {
        Command::Run(options) => return run_command::run(workspace, &options),
        Command::Dev(options) => return run_command::dev(workspace, &options),
        Command::Test(options) => return test_command::run(workspace, &options),
        Command::Drift => return drift::run(&workspace),
        Command::Tidy => tidy::check(&workspace)?,
        Command::Wire => wire::run(&workspace)?,
        Command::Dist(options) => dist::run(workspace, &options)?,
        Command::TryPackage(options) => try_package::run(workspace, &options)?,
        Command::Guide { out } => guide::run(&workspace, out.as_deref())?,
        Command::TrimAppimage { check: true, file } => appimage::check(&workspace, &file)?,
        Command::TrimAppimage { check: false, file } => appimage::trim(&workspace, &file)?,
        Command::UpdateManifest(UpdateManifest { folder, version, base_url }) => {
            update_manifest::write(&workspace, &folder, &version, &base_url)?;
        }
        Command::ReleaseNotes { version } => release::print_notes(&workspace, &version)?,
        Command::Bench(options) => bench::run(workspace, &options)?,
        Command::InsideSession { command } => {
            return Ok(exit_code(private_session::run_inside(&workspace, &command)?));
        }
        Command::RunTestProgram { program, arguments } => {
            return Ok(exit_code(test_programs::run_limited(&program, &arguments)?));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn exit_code(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Finds the root of the repository, three folders above this package.
fn root() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).map(Path::to_owned).context("this package does not lie in the repository")
}
