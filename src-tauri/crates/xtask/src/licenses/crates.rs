//! The crates that are linked into the three programs of a package, with SQLite and Rust's own library.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{Part, accepted::Accepted, texts};
use crate::{run_command::AGENT_HOST, workspace::Workspace};

/// The packages whose programs are installed.
const PROGRAMS: [&str; 3] = ["askdesk", "askdesk-cli", AGENT_HOST];
/// The feature of the app that only packages have.
const UPDATER: &str = "updater";
/// The crate that contains SQLite, and the file in it that begins with SQLite's terms.
const SQLITE: (&str, &str) = ("libsqlite3-sys", "sqlite3/sqlite3.h");

/// What cargo knows about all packages of the lock file.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    name: String,
    version: String,
    license: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    /// None for packages of this workspace.
    source: Option<String>,
    manifest_path: PathBuf,
    features: serde_json::Map<String, serde_json::Value>,
}

impl Metadata {
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let printed = output(workspace.cargo().args([
            "metadata",
            "--locked",
            "--all-features",
            "--format-version",
            "1",
        ]))?;
        serde_json::from_str(&printed).context("cannot read what cargo metadata prints")
    }

    /// Finds a package; `version` is needed where the lock file has several.
    pub fn package(&self, name: &str, version: Option<&str>) -> Result<&Package> {
        let wanted = |it: &&Package| it.name == name && version.is_none_or(|version| it.version == version);
        self.packages.iter().find(wanted).with_context(|| format!("cargo metadata doesn't list {name}"))
    }
}

impl Package {
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    /// Names its holders where it has no license text of its own.
    fn credit(&self) -> String {
        let authors = self.authors.join(", ");
        let holders = if authors.is_empty() { format!("the authors of {}", self.name) } else { authors };
        format!("Copyright (c) {holders}")
    }

    pub fn part(&self, accepted: &Accepted, texts_in: &Path) -> Result<Part> {
        let (name, source) = (
            format!("{} {}", self.name, self.version),
            format!("https://crates.io/crates/{}/{}", self.name, self.version),
        );
        let Some(license) = self.license.clone() else { bail!("the crate {name} names no license") };
        let texts = texts::of_folder(texts_in, &accepted.choose(&name, &license)?, &self.credit())?;
        Ok(Part { name, license, source, texts })
    }
}

/// Lists everything that is linked for the system of this computer, without what only builds or tests it.
pub fn linked(workspace: &Workspace, metadata: &Metadata, accepted: &Accepted) -> Result<Vec<Part>> {
    let mut trees = String::new();
    for program in PROGRAMS {
        let mut cargo = workspace.cargo();
        cargo.args([
            "tree",
            "--locked",
            "--edges",
            "normal,no-proc-macro",
            "--prefix",
            "none",
            "--package",
            program,
        ]);
        if metadata.package(program, None)?.features.contains_key(UPDATER) {
            cargo.args(["--features", UPDATER]);
        }
        trees.push_str(&output(&mut cargo)?);
    }
    let mut parts = Vec::new();
    for (name, version) in named(&trees) {
        let package = metadata.package(name, Some(version))?;
        if package.source.is_some() {
            parts.push(package.part(accepted, package.folder())?);
        }
    }
    if parts.is_empty() {
        bail!("cargo tree names no crate");
    }
    parts.push(sqlite(metadata)?);
    parts.push(standard_library(workspace, accepted)?);
    Ok(parts)
}

/// Reads the lines of trees, each like `serde v1.0.0 (*)`.
fn named(trees: &str) -> BTreeSet<(&str, &str)> {
    let words = trees.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, words.next()?.strip_prefix('v')?))
    });
    words.collect()
}

fn sqlite(metadata: &Metadata) -> Result<Part> {
    let (name, file) = SQLITE;
    let file = metadata.package(name, None)?.folder().join(file);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let terms = first_comment(&text).filter(|text| text.contains("disclaims copyright"));
    let terms = terms.with_context(|| format!("{} doesn't begin with SQLite's terms", file.display()))?;
    Ok(Part {
        name: "SQLite".into(),
        license: "public domain".into(),
        source: "https://sqlite.org/copyright.html".into(),
        texts: vec![terms],
    })
}

fn standard_library(workspace: &Workspace, accepted: &Accepted) -> Result<Part> {
    let version = output(workspace.command("rustc").arg("--version"))?;
    let version = version.split(' ').nth(1).unwrap_or_default();
    let (name, license) = (format!("Rust standard library {version}"), "MIT OR Apache-2.0".to_owned());
    let credit = "Copyright (c) The Rust Project Contributors";
    let texts = texts::standard(&accepted.choose(&name, &license)?, credit)?;
    let source = format!("https://github.com/rust-lang/rust/tree/{version}/library");
    Ok(Part { name, license, source, texts })
}

/// Returns the comment that a source text begins with, without its marks.
pub fn first_comment(text: &str) -> Option<String> {
    let (comment, _) = text.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let lines = comment.lines().map(|line| line.trim().trim_matches(['*', '!']).trim());
    Some(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start a program")?;
    if !output.status.success() {
        bail!(
            "`{}` failed: {}",
            crate::steps::command_line(command),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_names_each_crate_once() {
        let trees = "askdesk v0.2.0 (/desk)\nserde v1.0.1\nitoa v1.0.0\nserde v1.0.1 (*)\n\nserde v0.9.0\n";
        let expected = [("askdesk", "0.2.0"), ("itoa", "1.0.0"), ("serde", "0.9.0"), ("serde", "1.0.1")];
        assert_eq!(named(trees), expected.into());
    }

    #[test]
    fn the_first_comment_is_read_without_its_marks() {
        let script = "/*!\n * clip.js v2\n *\n * Licensed MIT\n */\n/* more */ go()";
        assert_eq!(first_comment(script).unwrap(), "clip.js v2\n\nLicensed MIT");
        assert_eq!(first_comment("'use strict'; /* no */"), None);
    }

    #[test]
    fn the_crates_of_this_computers_programs_have_texts_and_build_tools_are_left_out() {
        let workspace = Workspace::new(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap());
        let accepted = Accepted::read(include_str!("../../../../../deny.toml")).unwrap();
        let parts = linked(&workspace, &Metadata::read(&workspace).unwrap(), &accepted).unwrap();
        let has =
            |name: &str| parts.iter().any(|part| part.name.starts_with(name) && !part.texts[0].is_empty());
        for name in ["tauri ", "serde ", "clap ", "rusqlite ", "SQLite", "Rust standard library 1."] {
            assert!(has(name), "{name}");
        }
        for name in ["askdesk", "tauri-build ", "serde_derive ", "proptest ", "mdbook", "spdx "] {
            assert!(!has(name), "{name}");
        }
    }
}
