//! Builds the page, and only what changed of it, or serves it while it changes.

use std::{
    fs,
    net::{Ipv4Addr, TcpStream},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

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

/// Where the development server listens, as `tauri.conf.json` and `vite.config.ts` say.
const DEV_SERVER: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 5173);
const SERVER_TIMEOUT: Duration = Duration::from_secs(30);

/// The development server of the page, killed on drop.
pub struct DevServer(Child);

impl DevServer {
    pub fn start(workspace: &Workspace) -> Result<Self> {
        let free = TcpStream::connect(DEV_SERVER).is_err();
        ensure!(
            free,
            "port {} is in use; close the program that listens there and run this again",
            DEV_SERVER.1
        );
        // Not through npm, whose end would leave the server running.
        let mut vite = workspace.command("node");
        vite.arg("node_modules/vite/bin/vite.js").current_dir(workspace.root().join(UI)).stdin(Stdio::null());
        let mut server = Self(vite.spawn().context("cannot start the development server")?);
        let began = Instant::now();
        while TcpStream::connect(DEV_SERVER).is_err() {
            let ended = server.0.try_wait().context("cannot wait for the development server")?;
            ensure!(ended.is_none(), "the development server ended; its output above says why");
            ensure!(began.elapsed() < SERVER_TIMEOUT, "the development server doesn't answer");
            thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }
}

impl Drop for DevServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
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
