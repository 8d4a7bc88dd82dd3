//! Builds the page, and only what changed of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    steps::{self, Steps},
    toolbox::Toolbox,
};

/// The folder of the page, below the root.
pub const UI: &str = "ui";
/// The folder with the agents' command line tools that tests talk to, below the root.
pub const AGENT_CLIS: &str = "src-tauri/crates/testkit/clis";

/// The file that remembers for what a folder was made.
const STAMP: &str = ".askdesk-stamp";
/// What of the page's folder is not a source.
const NOT_SOURCES: [&str; 3] = ["node_modules", "dist", "coverage"];

/// Installs the npm packages of a folder as its lockfile says, unless that was done before.
pub fn install_npm_packages(toolbox: &Toolbox, folder: &str, steps: &mut Steps) -> Result<()> {
    let at = toolbox.root().join(folder);
    let lockfile = at.join("package-lock.json");
    let lock = fs::read(&lockfile)
        .with_context(|| format!("cannot read {}; is the clone complete?", lockfile.display()))?;
    let stamp = Stamp { file: at.join("node_modules").join(STAMP), content: Hash::of(&lock).to_string() };
    if stamp.is_current() {
        return Ok(());
    }
    steps.try_run(&format!("npm ci in {folder}"), || {
        steps::show(toolbox.npm(folder).args(["ci", "--no-audit", "--no-fund"])).with_context(|| {
            format!("cannot install the npm packages of {folder}; check the connection and run this again")
        })?;
        stamp.write()
    })
}

/// Builds the page, unless its sources are those of the last build.
pub fn build(toolbox: &Toolbox, steps: &mut Steps) -> Result<()> {
    let at = toolbox.root().join(UI);
    let sources = hash_of_sources(&at).with_context(|| format!("cannot read {}", at.display()))?;
    let stamp = Stamp { file: at.join("dist").join(STAMP), content: sources.to_string() };
    if stamp.is_current() {
        return Ok(());
    }
    steps.try_run("build the page", || {
        steps::show(toolbox.npm(UI).args(["run", "build"])).context("cannot build the page")?;
        stamp.write()
    })
}

/// A file beside a result that says what the result was made from.
struct Stamp {
    file: PathBuf,
    content: String,
}

impl Stamp {
    fn is_current(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.content)
    }

    fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.content).with_context(|| format!("cannot write {}", self.file.display()))
    }
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

/// FNV-1a in 64 bits: the same on every machine and compiler, which the standard hasher does not promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hash(u64);

impl Hash {
    const START: Self = Self(0xcbf2_9ce4_8422_2325);

    fn of(bytes: &[u8]) -> Self {
        let mut hash = Self::START;
        hash.add(bytes);
        hash
    }

    fn add(&mut self, bytes: &[u8]) {
        // The length keeps "ab", "c" apart from "a", "bc".
        for byte in bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
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
