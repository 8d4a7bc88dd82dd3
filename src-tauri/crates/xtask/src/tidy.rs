//! `cargo xtask tidy`: the rules of the tree that no compiler checks.

mod agents;
mod budget;
mod cases;
mod edges;
mod layers;
mod modules;
mod sources;
mod terminal;
mod tree;
mod versions;

use std::{collections::BTreeSet, fmt, fs};

use anyhow::{Context, Result, bail};

use crate::{changelog, workspace::Workspace};

const CRATES: &str = "src-tauri/crates/";
const SHELL: &str = "src-tauri/src/";
/// The version of every package, which `Cargo.toml` in the root names.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A place where a rule is broken, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    location: String,
    message: String,
}

impl Problem {
    fn new(location: impl Into<String>, message: impl Into<String>) -> Self {
        Self { location: location.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// Checks every rule on the repository, and fails when one is broken.
pub fn check(workspace: &Workspace) -> Result<()> {
    let metadata = workspace
        .cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .context("cannot start cargo")?;
    if !metadata.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&metadata.stderr).trim());
    }
    let packages = edges::packages(&String::from_utf8_lossy(&metadata.stdout))?;
    let files = tree::sources(workspace.root())?;

    for long in files.iter().filter_map(sources::note_on_length) {
        eprintln!("note: {long}");
    }
    let mut problems = edges::problems(&packages);
    let shell = modules::modules(SHELL, &files)?;
    problems.extend(layers::problems(&shell, &[]));
    for name in crates(&files) {
        let modules = modules::modules(&format!("{CRATES}{name}/src/"), &files)?;
        problems.extend(layers::problems(&modules, layers::of(name)));
    }
    for file in &files {
        problems.extend(sources::problems(file));
        problems.extend(agents::problems(file));
    }
    let read = |page: &'static str| fs::read_to_string(workspace.root().join(page)).context(page);
    problems.extend(cases::problems(&read(cases::LIST)?, &files));
    problems.extend(budget::problems(&read(budget::LIST)?, &files));
    problems.extend(terminal::problems(&read(terminal::TABLE)?, &read(terminal::TESTS)?, &files));
    let mut versioned = Vec::new();
    for (file, places) in versions::FILES {
        versioned.push((file, places, read(file)?));
    }
    problems.extend(versions::problems(VERSION, &versioned, &changelog::read(workspace)?)?);
    for problem in &problems {
        eprintln!("{problem}");
    }
    if !problems.is_empty() {
        bail!("{} rule(s) of the tree are broken; each line above says where", problems.len());
    }
    eprintln!("tidy: {} packages and {} source files keep the rules", packages.len(), files.len());
    Ok(())
}

/// The names of the folders that hold the crates.
fn crates(files: &[tree::Source]) -> BTreeSet<&str> {
    files.iter().filter_map(|file| Some(file.path.strip_prefix(CRATES)?.split_once('/')?.0)).collect()
}

/// Compares problems with a part of the text of each, in order.
#[cfg(test)]
fn assert_problems(found: &[Problem], expected: &[&str]) {
    let found: Vec<String> = found.iter().map(Problem::to_string).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, words) in found.iter().zip(expected) {
        assert!(found.contains(words), "{found}");
    }
}

/// Checks what a rule says about a file.
#[cfg(test)]
fn check_rule(rule: fn(&tree::Source) -> Vec<Problem>, path: &str, text: &str, expected: &[&str]) {
    let source = tree::Source { path: path.into(), text: text.into(), declared_for_tests: false };
    assert_problems(&rule(&source), expected);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn this_repository_keeps_the_rules() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        check(&Workspace::new(root)).unwrap();
    }
}
