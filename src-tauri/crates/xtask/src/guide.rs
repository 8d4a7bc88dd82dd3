//! `cargo xtask guide`: builds the guide in `docs/` as a static site, and only if it changed where the app needs it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    fingerprint::{contents, step_unless_made},
    steps::{self, Steps},
    workspace::Workspace,
};

/// The package that builds the site.
const PACKAGE: &str = "askdesk-guide";
/// Where the site is put; `tauri.conf.json` names it as a resource of the app.
const FOLDER: &str = "target/guide";
const SOURCES: [&str; 2] = ["docs", "src-tauri/crates/guide"];
const STEP: &str = "build the guide";

/// Builds the site in a folder.
pub fn run(workspace: &Workspace, out: Option<&Path>) -> Result<()> {
    let out = match out {
        Some(out) => std::path::absolute(out).context("cannot tell where the folder of `--out` is")?,
        None => workspace.root().join(FOLDER),
    };
    Steps::start().try_run(STEP, || build_in(workspace, &out))
}

/// Builds the site for the app, unless its sources are those of the last build.
pub fn build(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    let folders = SOURCES.map(|folder| contents(&workspace.root().join(folder), &[]));
    let sources: Vec<Vec<(PathBuf, Vec<u8>)>> = folders.into_iter().collect::<Result<_>>()?;
    // It names the version of mdBook.
    let lock = fs::read(workspace.root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let out = workspace.root().join(FOLDER);
    step_unless_made(steps, STEP, &out, (sources, lock), || build_in(workspace, &out))
}

/// Tests what builds the site. It is not tested with the other packages, because cargo would choose other features of what
/// they share, and build mdBook twice.
pub fn test(workspace: &Workspace) -> Result<()> {
    steps::show(workspace.cargo().args(["test", "--quiet", "--package", PACKAGE]))
}

/// The argument that leaves the package out of a command on the whole workspace.
pub const LEFT_OUT: [&str; 2] = ["--exclude", PACKAGE];

fn build_in(workspace: &Workspace, out: &Path) -> Result<()> {
    steps::show(workspace.cargo().args(["run", "--quiet", "--package", PACKAGE, "--"]).arg(out))
        .context("cannot build the guide")
}
