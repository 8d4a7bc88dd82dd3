//! An rpm package on a system of another package manager: what it holds, whether it runs, and what its removal leaves. The whole
//! trial takes a system that installs rpm packages.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::desk::{Bus, DATA, Desk};
use crate::report::{Report, Result, ensure};
use crate::root::{Root, run};
use crate::trial::{command_line, left_behind, script};

/// A library without which the window can't open.
const NEEDED: &str = "libwebkit2gtk-4.1.so.0()(64bit)";

/// Installs the libraries, which Debian calls otherwise than the package does.
const LIBRARIES: [&str; 6] =
    ["apt-get", "install", "--yes", "libwebkit2gtk-4.1-0", "libayatana-appindicator3-1", "xdg-utils"];

pub async fn try_it(report: &mut Report, package: &Path) -> Option<()> {
    let folder = TempDir::with_prefix("askdesk-root-").ok()?;
    let root = report.step("a system with the libraries", async { system(folder.path()) }).await?;
    report.step("it names the libraries it needs", async { requirements(package) }).await?;
    report.step("install", async { install(folder.path(), package) }).await?;
    report.step("the command line, its pages, and completions", async { command_line(&root) }).await?;
    let _bus = report.step("a session bus", Bus::start(&root)).await?;
    let desk = report.step("start from the menu", Desk::open(&root)).await?;
    report.step("a script's question is answered", script(&root, &desk)).await?;
    report.step("quit", desk.quit()).await?;
    report.step("remove", async { remove(&root, folder.path()) }).await
}

fn system(folder: &Path) -> Result<Root> {
    let root = Root::make_debian(folder)?;
    root.share_display()?;
    root.as_root(LIBRARIES)?;
    Ok(root)
}

fn rpm(folder: &Path) -> Command {
    let mut rpm = Command::new("rpm");
    rpm.arg("--root").arg(folder);
    rpm
}

fn requirements(package: &Path) -> Result<()> {
    let required = run(Command::new("rpm").args(["--query", "--requires", "--package"]).arg(package))?;
    ensure(required.lines().any(|line| line.trim() == NEEDED), || format!("{NEEDED} is not in:\n{required}"))
}

fn install(folder: &Path, package: &Path) -> Result<()> {
    // The libraries are Debian's, which rpm does not know.
    run(rpm(folder).args(["--install", "--nodeps"]).arg(package))?;
    run(rpm(folder).args(["--verify", "--nodeps", "askdesk"])).map(drop)
}

fn remove(root: &Root, folder: &Path) -> Result<()> {
    let said = run(rpm(folder).args(["--erase", "askdesk"]))?;
    ensure(said.contains(DATA), || format!("the removal does not say where the data are:\n{said}"))?;
    left_behind(root)
}
