//! `cargo xtask try-package`: installs a package in a system of its own and works with it as a user does.

use anyhow::{Result, ensure};

use crate::{
    arguments::TryPackage,
    install,
    prerequisites::Purpose,
    private_session::{self, PrivateFolders},
    probe,
    steps::{self, Steps},
    workspace::Workspace,
};

/// Does the trial.
const SCRIPT: &str = ".ci/try-package";

pub fn run(workspace: Workspace, options: &TryPackage) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "packages are tried on Linux only");
    let mut steps = Steps::start();
    let workspace = install::ensure(workspace, Purpose::TryPackage, options.install.yes, &mut steps)?;
    ensure!(
        probe::is_root(&workspace),
        "only root can install a package in a system of its own; run this with sudo"
    );
    steps.try_run("try the package", || {
        case_87_a_package_serves_a_user_from_install_to_removal(&workspace, options)
    })
}

fn case_87_a_package_serves_a_user_from_install_to_removal(
    workspace: &Workspace,
    options: &TryPackage,
) -> Result<()> {
    // Its mounts end with it.
    let mut trial = workspace.command("unshare");
    trial.args(["--mount", "--propagation", "private"]).arg(workspace.root().join(SCRIPT));
    trial.arg("--guide").arg(workspace.root().join("docs/guide/install.md"));
    for (name, value) in [("--from", &options.from), ("--root", &options.root)] {
        if let Some(value) = value {
            trial.arg(name).arg(std::path::absolute(value)?);
        }
    }
    trial.arg(std::path::absolute(&options.package)?);
    let folders = PrivateFolders::make()?;
    steps::show(&mut private_session::wrap(workspace, &folders, &trial)?)
}
