//! `cargo xtask try-package`: installs a package in a system of its own and works with it as a user does.

use anyhow::{Context, Result, ensure};

use crate::{
    arguments::TryPackage,
    install,
    prerequisites::Purpose,
    private_session::{self, PrivateFolders},
    probe,
    steps::{self, Steps},
    ui,
    workspace::Workspace,
};

/// The program of the testkit that tries the package.
const PROGRAM: &str = "try-package";

pub fn run(workspace: Workspace, options: &TryPackage) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "packages are tried on Linux only");
    let mut steps = Steps::start();
    let workspace = install::ensure(workspace, Purpose::TryPackage, options.install.yes, &mut steps)?;
    ensure!(
        probe::is_root(&workspace),
        "only root can install a package in a system of its own; run this with sudo"
    );
    ui::install_npm_packages(&workspace, ui::AGENT_CLIS, &mut steps)?;
    steps.try_run("build the trial", || {
        steps::show(workspace.cargo().args(["build", "--package", "askdesk-testkit", "--bin", PROGRAM]))
    })?;
    let folders = PrivateFolders::make()?;
    // Its mounts end with it.
    let mut trial = workspace.command("unshare");
    trial.args(["--mount", "--propagation", "private"]);
    trial.arg(workspace.target_folder()?.join("debug").join(PROGRAM));
    trial.arg("--guide").arg(workspace.root().join("docs/guide/install.md"));
    for (name, value) in [
        ("--package", Some(&options.package)),
        ("--from", options.from.as_ref()),
        ("--update", options.update.as_ref()),
        ("--root", options.root.as_ref()),
    ] {
        if let Some(value) = value {
            trial.arg(name).arg(std::path::absolute(value).context("cannot tell where a package is")?);
        }
    }
    let mut command = private_session::wrap(&workspace, &folders, &trial)?;
    steps.try_run("try the package", || steps::show(&mut command))
}
