//! The repository: its root, and the programs that run in it.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::Value;
use walkdir::WalkDir;

/// The root of the repository and the `PATH` on which programs are found.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    path: OsString,
}

impl Workspace {
    /// Uses the `PATH` of this process.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), path: env::var_os("PATH").unwrap_or_default() }
    }

    /// Puts the Node that the project has fetched in front of the `PATH`.
    pub fn with_local_node(&self) -> Result<Self> {
        let own = local_node_folder(&self.root).join("node_modules").join(".bin");
        let path = env::join_paths(std::iter::once(own).chain(env::split_paths(&self.path)))
            .context("the PATH of this terminal cannot be extended")?;
        Ok(Self { root: self.root.clone(), path })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn has(&self, program: &str) -> bool {
        self.find(program.as_ref()).is_some()
    }

    fn find(&self, program: &OsStr) -> Option<PathBuf> {
        which::which_in_global(program, Some(&self.path)).ok()?.next()
    }

    /// Prepares a program to be started at the root of the repository.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let program = program.as_ref();
        let mut command = Command::new(self.find(program).unwrap_or_else(|| program.into()));
        command.env("PATH", &self.path).current_dir(&self.root);
        command
    }

    /// Prepares the cargo that built this program.
    pub fn cargo(&self) -> Command {
        self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Prepares npm in a folder below the root.
    pub fn npm(&self, folder: &str) -> Command {
        let mut npm = self.command("npm");
        npm.current_dir(self.root.join(folder)).env("npm_config_update_notifier", "false");
        npm
    }

    /// Returns the folder in which cargo builds, which the user may have set elsewhere.
    pub fn target_folder(&self) -> Result<PathBuf> {
        let mut cargo = self.cargo();
        cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
        let output = cargo.output().context("cannot start cargo; is it in the PATH?")?;
        let metadata: Value =
            serde_json::from_slice(&output.stdout).context("cannot read `cargo metadata`")?;
        let folder =
            metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
        Ok(folder.into())
    }

    /// Returns what a program prints; none if it is missing or fails.
    pub fn output(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub fn succeeds(&self, program: &str, arguments: &[&str]) -> bool {
        self.output(program, arguments).is_some()
    }
}

/// Where the fetched Node is. `cargo clean` deletes it, and it is fetched again.
pub fn local_node_folder(root: &Path) -> PathBuf {
    root.join("target").join("askdesk-node")
}

/// Lists the files below a folder in a fixed order, leaving out files and folders with these names.
pub fn files_below(folder: &Path, skipped: &[&str]) -> Result<Vec<PathBuf>> {
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !skipped.iter().any(|name| entry.file_name() == *name))
        .filter(|entry| !entry.as_ref().is_ok_and(|it| it.file_type().is_dir()))
        .map(|entry| Ok(entry.context("cannot list a folder")?.into_path()))
        .collect()
}
