//! Builds the page, and only what changed of it.

use std::fs;

use anyhow::{Context, Result};

use crate::{
    fingerprint::{contents, step_unless_made},
    steps::{self, Steps},
    workspace::Workspace,
};

/// The folder of the page, below the root.
pub const UI: &str = "ui";
/// The folder with the agents' command line tools that tests talk to, below the root.
pub const AGENT_CLIS: &str = "src-tauri/crates/testkit/clis";
/// The folder with the official MCP clients that tests connect to the app, below the root.
pub const MCP_CLIENTS: &str = "src-tauri/crates/testkit/mcp-clients";

/// What of the page's folder is not a source.
const NOT_SOURCES: [&str; 3] = ["node_modules", "dist", "coverage"];

/// Installs the npm packages of a folder as its lockfile says, unless that was done before.
pub fn install_npm_packages(workspace: &Workspace, folder: &str, steps: &mut Steps) -> Result<()> {
    let at = workspace.root().join(folder);
    let lockfile = at.join("package-lock.json");
    let lock = fs::read(&lockfile)
        .with_context(|| format!("cannot read {}; is the clone complete?", lockfile.display()))?;
    step_unless_made(steps, &format!("npm ci in {folder}"), &at.join("node_modules"), lock, || {
        steps::show(workspace.npm(folder).args(["ci", "--no-audit", "--no-fund"])).with_context(|| {
            format!("cannot install the npm packages of {folder}; check the connection and run this again")
        })
    })
}

/// Builds the page, unless its sources are those of the last build.
pub fn build(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    let at = workspace.root().join(UI);
    let sources = contents(&at, &NOT_SOURCES)?;
    step_unless_made(steps, "build the page", &at.join("dist"), sources, || {
        steps::show(workspace.npm(UI).args(["run", "build"])).context("cannot build the page")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_count_and_results_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let sources = |folder| contents(folder, &NOT_SOURCES);
        fs::create_dir_all(path("src")).unwrap();
        fs::create_dir_all(path("dist")).unwrap();
        fs::write(path("src/main.ts"), "one").unwrap();
        let first = sources(folder.path()).unwrap();
        fs::write(path("dist/index.html"), "built").unwrap();
        let with_result = sources(folder.path()).unwrap();
        fs::write(path("src/main.ts"), "two").unwrap();
        let changed = sources(folder.path()).unwrap();
        fs::rename(path("src/main.ts"), path("src/start.ts")).unwrap();
        let renamed = sources(folder.path()).unwrap();
        assert_eq!(first, with_result);
        assert_ne!(first, changed);
        assert_ne!(changed, renamed);
    }
}
