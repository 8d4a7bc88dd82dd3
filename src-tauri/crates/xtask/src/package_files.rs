//! `cargo xtask package-files`: builds what packages contain besides the app, before the Tauri CLI bundles them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{
    guide,
    run_command::AGENT_HOST,
    steps::{self, Steps},
    workspace::Workspace,
};

/// Where it is put; `tauri.conf.json` names the files in it.
const FOLDER: &str = "target/package";
/// The shells that get completions, with the names by which each looks for them.
const SHELLS: [(&str, &str); 3] = [("bash", "askdesk"), ("zsh", "_askdesk"), ("fish", "askdesk.fish")];

/// Builds the guide, `askdesk` for release, with its manual pages and completions, and on Linux the agents' watcher.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut steps = Steps::start();
    guide::build(workspace, &mut steps)?;
    steps.try_run("build what packages carry besides the app", || {
        let mut cargo = workspace.cargo();
        cargo.args(["build", "--release", "--locked", "--package", "askdesk-cli"]);
        if cfg!(target_os = "linux") {
            cargo.args(["--package", AGENT_HOST]);
        }
        steps::show(&mut cargo)?;
        let folder = workspace.root().join(FOLDER);
        fs::create_dir_all(folder.join("completions")).context("cannot create target/package")?;
        let copy = |program: &str| -> Result<PathBuf> {
            let built = workspace.root().join("target/release").join(program);
            let own = folder.join(program);
            fs::copy(&built, &own).with_context(|| format!("cannot copy {}", built.display()))?;
            Ok(own)
        };
        if cfg!(target_os = "linux") {
            copy(AGENT_HOST)?;
        }
        let own = copy(&format!("askdesk{}", std::env::consts::EXE_SUFFIX))?;
        steps::show(workspace.command(&own).args(["man", "--folder"]).arg(folder.join("man")))?;
        SHELLS.into_iter().try_for_each(|(shell, name)| {
            completions(workspace, &own, shell, &folder.join("completions").join(name))
        })
    })
}

fn completions(workspace: &Workspace, program: &Path, shell: &str, file: &Path) -> Result<()> {
    let printed = workspace.command(program).args(["completions", shell]).output()?;
    if !printed.status.success() {
        bail!("askdesk made no completions for {shell}: {}", String::from_utf8_lossy(&printed.stderr));
    }
    fs::write(file, printed.stdout).with_context(|| format!("cannot write {}", file.display()))
}
