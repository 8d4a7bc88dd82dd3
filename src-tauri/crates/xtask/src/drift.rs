//! `cargo xtask drift`: what the newest agents can say that the pinned ones, and the adapters, don't know.

use std::{fs, process::ExitCode};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    exit_code,
    steps::{self, Steps},
    ui::AGENT_CLIS,
    workspace::Workspace,
};

/// Where the newest ones are installed, below the root.
const NEWEST: &str = "target/drift";

/// Installs the newest agents beside the pinned ones, and compares what they say of themselves.
pub fn run(workspace: &Workspace) -> Result<ExitCode> {
    let mut steps = Steps::start();
    crate::ui::install_npm_packages(workspace, AGENT_CLIS, &mut steps)?;
    steps.try_run("install the newest agents in target/drift", || {
        let folder = workspace.root().join(NEWEST);
        fs::create_dir_all(&folder)?;
        let pinned = workspace.root().join(AGENT_CLIS);
        fs::write(folder.join("package.json"), newest(&fs::read(pinned.join("package.json"))?)?)?;
        fs::copy(pinned.join(".npmrc"), folder.join(".npmrc"))?;
        steps::show(workspace.npm(NEWEST).args(["update", "--no-audit", "--no-fund"]))
            .context("cannot install the newest agents; check the connection and run this again")
    })?;
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--package", "askdesk-agents", "--example", "drift", "--"]);
    let status = cargo.arg(workspace.root().join(NEWEST)).status().context("cannot start cargo")?;
    Ok(exit_code(status.code().unwrap_or(1)))
}

/// The pinned packages at their newest versions, without the older releases, which are aliases.
fn newest(pinned: &[u8]) -> Result<String> {
    let mut package: Value = serde_json::from_slice(pinned)?;
    for list in ["dependencies", "optionalDependencies"] {
        if let Some(packages) = package.get_mut(list).and_then(Value::as_object_mut) {
            packages
                .retain(|_, version| version.as_str().is_some_and(|version| !version.starts_with("npm:")));
            packages.values_mut().for_each(|version| *version = "latest".into());
        }
    }
    Ok(package.to_string())
}
