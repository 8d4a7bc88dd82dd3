//! Reads the source files of the tree.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// Where sources lie, below the root.
const SOURCES: [&str; 2] = ["src-tauri", "ui/src"];
/// What holds no source of ours.
const SKIPPED: [&str; 4] = ["node_modules", "target", "dist", "gen"];
/// What a source file's name ends in.
const KINDS: [&str; 6] = ["rs", "ts", "js", "mjs", "svelte", "css"];

/// A source file, with its path below the root in forward slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it lies.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Source {
    /// The ending of its name.
    pub fn kind(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether a tool wrote it.
    pub fn is_generated(&self) -> bool {
        self.path.split('/').any(|part| part == "generated")
    }

    /// Whether it belongs to tests alone.
    pub fn is_test(&self) -> bool {
        let stem = self.name().split('.').next().unwrap_or_default();
        let rust = self.kind() == "rs" && (stem == "tests" || stem.ends_with("_tests"));
        let page = self.name().contains(".test.") || self.name().contains(".spec.");
        rust || page || self.path.split('/').any(|part| part == "tests")
    }
}

/// Reads every source file below the root.
pub fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    for folder in SOURCES {
        // The page's folder may be missing in a tree that is only half checked out; its build says so.
        if root.join(folder).is_dir() {
            collect(&root.join(folder), &mut files)?;
        }
    }
    files.sort();
    files.iter().map(|file| read(root, file)).collect()
}

fn read(root: &Path, file: &Path) -> Result<Source> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let below = file.strip_prefix(root).unwrap_or(file);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    Ok(Source { path: parts.join("/"), text })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED.contains(&name) && !name.starts_with('.') {
                collect(&path, files)?;
            }
        } else if path.extension().and_then(|it| it.to_str()).is_some_and(|it| KINDS.contains(&it)) {
            files.push(path);
        }
    }
    Ok(())
}
