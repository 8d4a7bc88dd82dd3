//! The repository: its root, and the programs that run in it.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

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

    pub fn find(&self, program: &str) -> Option<PathBuf> {
        let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
        env::split_paths(&self.path)
            .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{program}{ending}"))))
            .find(|candidate| is_program(candidate))
    }

    /// Prepares a program to be started at the root of the repository.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let program = program.as_ref();
        let found = program.to_str().and_then(|name| self.find(name));
        let mut command = Command::new(found.as_deref().map_or(program, Path::as_os_str));
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

    /// Returns what a program prints; none if it is missing or fails.
    pub fn output(&self, program: &str, arguments: &[&str]) -> Option<String> {
        self.find(program)?;
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

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
