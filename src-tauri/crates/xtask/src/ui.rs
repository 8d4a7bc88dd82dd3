//! Builds the page, and only what changed of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    fingerprint::{Fingerprint, Hash},
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
    let fingerprint = Fingerprint::in_folder(&at.join("node_modules"), Hash::of(&lock));
    if fingerprint.matches() {
        return Ok(());
    }
    steps.try_run(&format!("npm ci in {folder}"), || {
        steps::show(workspace.npm(folder).args(["ci", "--no-audit", "--no-fund"])).with_context(|| {
            format!("cannot install the npm packages of {folder}; check the connection and run this again")
        })?;
        fingerprint.write()
    })
}

/// Builds the page, unless its sources are those of the last build.
pub fn build(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    let at = workspace.root().join(UI);
    let sources = hash_of_sources(&at).with_context(|| format!("cannot read {}", at.display()))?;
    let fingerprint = Fingerprint::in_folder(&at.join("dist"), sources);
    if fingerprint.matches() {
        return Ok(());
    }
    steps.try_run("build the page", || {
        steps::show(workspace.npm(UI).args(["run", "build"])).context("cannot build the page")?;
        fingerprint.write()
    })
}

fn hash_of_sources(folder: &Path) -> io::Result<Hash> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut hash = Hash::START;
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        hash.add(name.as_os_str().as_encoded_bytes());
        hash.add(&fs::read(&file)?);
    }
    Ok(hash)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if NOT_SOURCES.iter().any(|skipped| name == *skipped) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_count_and_results_do_not() {
        let folder = std::env::temp_dir().join(format!("askdesk-ui-sources-{}", std::process::id()));
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::create_dir_all(folder.join("dist")).unwrap();
        fs::write(folder.join("src/main.ts"), "one").unwrap();
        let first = hash_of_sources(&folder).unwrap();
        fs::write(folder.join("dist/index.html"), "built").unwrap();
        let with_result = hash_of_sources(&folder).unwrap();
        fs::write(folder.join("src/main.ts"), "two").unwrap();
        let changed = hash_of_sources(&folder).unwrap();
        fs::rename(folder.join("src/main.ts"), folder.join("src/start.ts")).unwrap();
        let renamed = hash_of_sources(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(first, with_result);
        assert_ne!(first, changed);
        assert_ne!(changed, renamed);
    }
}
