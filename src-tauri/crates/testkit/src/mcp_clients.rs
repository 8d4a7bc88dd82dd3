//! The official MCP clients that tests connect to the app: pinned in `mcp-clients`, installed below it and below
//! `target`.

use std::path::{Path, PathBuf};

/// What a user has to do when they are missing.
pub const HOW_TO_INSTALL: &str = "run `cargo xtask test`, which installs it";

/// The folder with their lockfiles and with the scripts of ours that use them.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp-clients")
}

/// Finds the MCP Inspector's command line, a program in JavaScript.
pub fn inspector() -> Option<PathBuf> {
    existing(folder().join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"))
}

/// Finds our script for the TypeScript SDKs, if they are installed.
pub fn typescript() -> Option<PathBuf> {
    let packages = folder().join("node_modules/@modelcontextprotocol");
    existing(packages.join("sdk/package.json")).and(existing(packages.join("client/package.json")))?;
    existing(folder().join("ask.mjs"))
}

/// Finds the Python that has the Python SDK.
pub fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/askdesk-python");
    // Written last, once everything is installed.
    existing(target.join(".askdesk-stamp"))?;
    existing(target.join("bin/python"))
}

fn existing(file: PathBuf) -> Option<PathBuf> {
    file.is_file().then_some(file)
}
