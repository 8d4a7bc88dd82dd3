//! Reads the source files of the tree.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result};

use crate::workspace::files_below;

/// Where sources lie, below the root.
const SOURCES: [&str; 3] = ["src-tauri", "ui/src", "ui/tests"];
/// What holds no source of ours.
const SKIPPED: [&str; 4] = ["node_modules", "target", "dist", "gen"];
/// What a source file's name ends in.
const KINDS: [&str; 6] = ["rs", "ts", "js", "mjs", "svelte", "css"];

/// A source file, with its path below the root in forward slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: String,
    pub text: String,
    /// Whether the file above it declares it as a module of tests.
    pub declared_for_tests: bool,
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

    /// The modules in files of their own that it declares for tests alone, as paths.
    fn modules_for_tests(&self) -> Vec<String> {
        let folder = match self.path.rsplit_once('/') {
            Some((folder, "lib.rs" | "main.rs")) => folder,
            _ => self.path.trim_end_matches(".rs"),
        };
        let lines: Vec<&str> = self.text.lines().map(str::trim).collect();
        let declarations = lines.windows(2).filter(|pair| is_for_tests(pair[0]));
        let names = declarations.filter_map(|pair| pair[1].strip_suffix(';')?.rsplit_once("mod "));
        names.map(|(_, name)| format!("{folder}/{name}.rs")).collect()
    }

    /// Whether it belongs to tests alone.
    pub fn is_test(&self) -> bool {
        let stem = self.name().split('.').next().unwrap_or_default();
        let rust = self.kind() == "rs" && (stem == "tests" || stem.ends_with("_tests"));
        rust || self.declared_for_tests || self.path.split('/').any(|part| part == "tests")
    }
}

/// Whether an attribute keeps what follows to tests: `#[cfg(test)]`, also with conditions more.
pub fn is_for_tests(line: &str) -> bool {
    let condition = line.trim().strip_prefix("#[cfg(");
    condition.is_some_and(|it| it.starts_with("test)") || it.starts_with("all(test,"))
}

/// Reads every source file below the root.
pub fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    // The page's folder may be missing in a tree that is only half checked out; its build says so.
    for folder in SOURCES.map(|folder| root.join(folder)).iter().filter(|folder| folder.is_dir()) {
        for file in files_below(folder, &SKIPPED)? {
            let parents = file.strip_prefix(folder)?.parent().into_iter().flatten();
            let is_hidden = parents.into_iter().any(|name| name.as_encoded_bytes().starts_with(b"."));
            if !is_hidden && file.extension().is_some_and(|ending| KINDS.iter().any(|kind| ending == *kind)) {
                sources.push(read(root, &file)?);
            }
        }
    }
    let for_tests: BTreeSet<String> = sources.iter().flat_map(Source::modules_for_tests).collect();
    for source in &mut sources {
        source.declared_for_tests = for_tests.contains(&source.path);
    }
    Ok(sources)
}

fn read(root: &Path, file: &Path) -> Result<Source> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let below = file.strip_prefix(root).unwrap_or(file);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    Ok(Source { path: parts.join("/"), text, declared_for_tests: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into(), declared_for_tests: false }
    }

    #[test]
    fn a_module_declared_for_tests_is_found_where_it_lies() {
        let declaration =
            "mod a;\n#[cfg(all(test, feature = \"ts\"))]\nmod wire;\n#[cfg(test)]\npub mod tests {\n";
        assert_eq!(source("x/src/lib.rs", declaration).modules_for_tests(), ["x/src/wire.rs"]);
        assert_eq!(source("x/src/api.rs", declaration).modules_for_tests(), ["x/src/api/wire.rs"]);
        let product = "#[cfg(not(test))]\nmod clock;\n#[cfg(unix)]\nmod test;\n";
        assert_eq!(source("x/src/lib.rs", product).modules_for_tests(), Vec::<String>::new());
    }

    #[test]
    fn tests_are_told_by_their_place_and_name() {
        for path in
            ["src-tauri/tests/window.rs", "x/src/a/tests.rs", "x/src/claude_tests.rs", "ui/tests/a.test.ts"]
        {
            assert!(source(path, "").is_test(), "{path}");
        }
        for path in ["x/src/tests_of_time.rs", "ui/src/latest.ts", "x/src/lib.rs"] {
            assert!(!source(path, "").is_test(), "{path}");
        }
    }

    #[test]
    fn hidden_folders_are_not_read() {
        let root = tempfile::tempdir().unwrap();
        for file in ["ui/src/shown.ts", "ui/src/.history/old.ts"] {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let read: Vec<String> = sources(root.path()).unwrap().into_iter().map(|it| it.path).collect();
        assert_eq!(read, ["ui/src/shown.ts"]);
    }
}
