//! `cargo xtask run` and `dev`: from a clone to the open app.

use std::{
    env,
    ffi::OsString,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{
    arguments::{Dev, Run},
    guide, install,
    prerequisites::Purpose,
    probe,
    steps::{self, Steps, seconds},
    ui,
    workspace::Workspace,
};

/// The program that opens the window.
pub const DESKTOP: &str = "askdesk-desktop";
/// The program that asks and answers in a terminal.
pub const COMMAND_LINE: &str = "askdesk";
/// The program below which agents run on Linux.
pub const AGENT_HOST: &str = "askdesk-agent-host";
/// The exit code where no window can open.
const NO_DISPLAY: u8 = 2;

/// Checks, builds what changed, opens the app and waits until it is closed.
pub fn run(workspace: Workspace, options: &Run) -> Result<ExitCode> {
    if no_display() {
        return Ok(ExitCode::from(NO_DISPLAY));
    }
    let mut steps = Steps::start();
    let workspace = install::ensure(workspace, Purpose::Run, options.install.yes, &mut steps)?;
    ui::install_npm_packages(&workspace, ui::UI, &mut steps)?;
    ui::build(&workspace, &mut steps)?;
    guide::build(&workspace, &mut steps)?;
    let release: &[&str] = if options.release { &["--release"] } else { &[] };
    let program = steps.try_run("build Askdesk", || build(&workspace, release))?;
    eprintln!("Opening Askdesk, {} after the start.", seconds(steps.elapsed()));
    open(&program, &options.arguments)
}

/// Opens the app with the page of a development server, which shows a change to the page at once.
pub fn dev(workspace: Workspace, options: &Dev) -> Result<ExitCode> {
    if no_display() {
        return Ok(ExitCode::from(NO_DISPLAY));
    }
    let mut steps = Steps::start();
    let workspace = install::ensure(workspace, Purpose::Run, options.install.yes, &mut steps)?;
    ui::install_npm_packages(&workspace, ui::UI, &mut steps)?;
    // Without `custom-protocol`, Tauri loads the page from the development server.
    let program = steps.try_run("build Askdesk", || build(&workspace, &["--no-default-features"]))?;
    let server = ui::DevServer::start(&workspace)?;
    eprintln!("Changes in ui/src show in the window. After a change to Rust, close it and run this again.");
    let ended = open(&program, &options.arguments);
    drop(server);
    ended
}

/// Says what to do without a display.
fn no_display() -> bool {
    let missing = cfg!(target_os = "linux") && !probe::has_display();
    if missing {
        eprintln!("{NO_DISPLAY_WORDS}");
    }
    missing
}

const NO_DISPLAY_WORDS: &str = "\
There is no display here, so Askdesk's window can't open: neither DISPLAY nor WAYLAND_DISPLAY is set.
What to do, one of:
  - run `cargo xtask run` in a terminal of a desktop session
  - from another machine with a display: `ssh -X` to this one, and run it there
  - to try it without seeing it: `xvfb-run -a cargo xtask run`
Nothing was installed or built.";

/// Builds the desktop program, with the command line and the agents' watcher beside it, and returns where it is.
fn build(workspace: &Workspace, options: &[&str]) -> Result<PathBuf> {
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--package", "askdesk", "--bin", DESKTOP]);
    // Programs that are connected from the settings run it.
    cargo.args(["--package", "askdesk-cli", "--bin", COMMAND_LINE]);
    if cfg!(target_os = "linux") {
        cargo.args(["--package", AGENT_HOST, "--bin", AGENT_HOST]);
    }
    cargo.arg("--message-format=json-render-diagnostics").args(options);
    // cargo shows its progress on stderr; stdout holds where things were put.
    let mut child = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo; is it in the PATH?")?;
    let mut program = None;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.context("cannot read what cargo says")?;
            program = executable(&line).or(program);
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    steps::check_status(&cargo, status)?;
    program.with_context(|| format!("cargo built no program called {DESKTOP}"))
}

fn executable(line: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_desktop = message.pointer("/target/name").and_then(Value::as_str) == Some(DESKTOP);
    let path = message.get("executable").and_then(Value::as_str)?;
    is_desktop.then(|| PathBuf::from(path))
}

fn open(program: &PathBuf, arguments: &[OsString]) -> Result<ExitCode> {
    let mut desk = Command::new(program);
    desk.args(arguments);
    remove_cargo_environment(&mut desk);
    let status = desk.status().with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        bail!("Askdesk exited with {status}; its output above says why");
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes what `cargo run` set for this program: the app starts agents, and an agent that calls cargo
/// must not find another package's folder and libraries in its environment.
fn remove_cargo_environment(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        if text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    let Some(libraries) = env::var_os("LD_LIBRARY_PATH") else { return };
    let of_the_user: Vec<PathBuf> =
        env::split_paths(&libraries).filter(|path| !is_cargo_folder(path)).collect();
    match env::join_paths(&of_the_user) {
        Ok(kept) if !of_the_user.is_empty() => command.env("LD_LIBRARY_PATH", kept),
        _ => command.env_remove("LD_LIBRARY_PATH"),
    };
}

fn is_cargo_folder(folder: &std::path::Path) -> bool {
    let beside_this_program = env::current_exe()
        .ok()
        .and_then(|file| Some(file.parent()?.to_owned()))
        .is_some_and(|it| folder.starts_with(it));
    beside_this_program
        || folder.components().any(|part| part.as_os_str() == "rustlib" || part.as_os_str() == "toolchains")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_in_what_cargo_says() {
        let table = [
            (
                r#"{"reason":"compiler-artifact","target":{"name":"askdesk-desktop"},"executable":"/t/askdesk-desktop"}"#,
                true,
            ),
            (
                r#"{"reason":"compiler-artifact","target":{"name":"askdesk-desktop"},"executable":null}"#,
                false,
            ),
            (r#"{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}"#, false),
            ("   Compiling askdesk", false),
        ];
        for (line, found) in table {
            assert_eq!(executable(line), found.then(|| PathBuf::from("/t/askdesk-desktop")), "{line}");
        }
    }

    #[test]
    fn the_desk_does_not_inherit_the_package_it_was_built_from() {
        let mut command = Command::new("desk");
        remove_cargo_environment(&mut command);
        // `cargo test` sets these for its tests, as `cargo run` does for what it runs.
        for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
            assert!(command.get_envs().any(|(removed, value)| removed == name && value.is_none()), "{name}");
        }
    }
}
