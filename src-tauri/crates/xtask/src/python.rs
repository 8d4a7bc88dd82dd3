//! Installs the Python packages that tests lean on, into a folder of the project's own.

use std::fs;

use anyhow::{Context, Result};

use crate::{
    fingerprint::step_unless_made,
    steps::{self, Steps},
    ui::MCP_CLIENTS,
    workspace::Workspace,
};

/// Installs what the list of packages names, unless that was done before.
pub fn install_packages(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    let list = workspace.root().join(MCP_CLIENTS).join("requirements.txt");
    let packages =
        fs::read(&list).with_context(|| format!("cannot read {}; is the clone complete?", list.display()))?;
    // Where `cargo clean` deletes them.
    let folder = workspace.root().join("target").join("askdesk-python");
    step_unless_made(steps, "install the Python packages of the tests", &folder, packages, || {
        let python = if cfg!(windows) { "python" } else { "python3" };
        steps::show(workspace.command(python).args(["-m", "venv", "--clear"]).arg(&folder))
            .context("cannot make a folder for Python packages; is venv installed?")?;
        let own = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        let mut pip = workspace.command(folder.join(own));
        // The list names everything, and nothing has to be built.
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        steps::show(pip.args(["--only-binary", ":all:", "--requirement"]).arg(&list))
            .context("cannot install Python packages; check the connection and run this again")
    })
}
