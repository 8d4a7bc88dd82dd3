//! The page tests that run with `--quick`.
//!
//! Nearly every page test opens the whole window, so it imports everything. A change concerns the tests that are changed
//! themselves and those that import a changed file by name; the others are left to the whole run.

use std::{collections::BTreeSet, fs};

use anyhow::{Context, Result};

use crate::{steps, workspace::Workspace};

/// Files that all tests share. What they say is checked by types, or by the test of the catalogs.
const SHARED: [&str; 3] = ["ui/src/testing/", "ui/src/generated/", MESSAGES];
const MESSAGES: &str = "ui/src/shared/messages/";
const OF_MESSAGES: &str = "messages.test.ts";

/// Names the test files that uncommitted changes concern, relative to `ui`.
pub fn of_uncommitted(workspace: &Workspace) -> Result<Vec<String>> {
    let mut git = workspace.command("git");
    git.args(["status", "--porcelain", "--untracked-files=all", "--no-renames", "-z", "--", "ui"]);
    let status = git.current_dir(workspace.root()).output().context("cannot start git")?;
    steps::check_status(&git, status.status)?;
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    let changed: Vec<&str> = status.split('\0').filter_map(|line| line.get(3..)).collect();
    let mut tests = Vec::new();
    for entry in fs::read_dir(workspace.root().join("ui/tests")).context("cannot read ui/tests")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.ts") {
            tests.push((name, fs::read_to_string(entry.path())?));
        }
    }
    Ok(concerned(&changed, &tests).into_iter().map(|name| format!("tests/{name}")).collect())
}

/// Chooses among the names and contents of tests.
fn concerned(changed: &[&str], tests: &[(String, String)]) -> BTreeSet<String> {
    let imports = changed.iter().filter(|file| !SHARED.iter().any(|shared| file.starts_with(shared)));
    let imports: Vec<String> = imports
        .filter_map(|file| file.strip_prefix("ui/src/"))
        .map(|file| format!("'../src/{}'", file.strip_suffix(".ts").unwrap_or(file)))
        .collect();
    let speaks = changed.iter().any(|file| file.starts_with(MESSAGES));
    let is_concerned = |(name, text): &&(String, String)| {
        changed.contains(&&*format!("ui/tests/{name}"))
            || (speaks && name == OF_MESSAGES)
            || imports.iter().any(|import| text.contains(import))
    };
    tests.iter().filter(is_concerned).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_its_own_test_and_those_that_import_the_file() {
        let test = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let tests = [
            test("keys.test.ts", "import { keys } from '../src/shared/keys';"),
            test(
                "card.test.ts",
                "import Card from '../src/panel/Card.svelte';\nimport '../src/testing/builders';",
            ),
            test("window.test.ts", "import { openPage } from './open';"),
            test(OF_MESSAGES, ""),
        ];
        for (changed, expected) in [
            (&["ui/src/shared/keys.ts"][..], &["keys.test.ts"][..]),
            (&["ui/src/panel/Card.svelte", "ui/tests/window.test.ts"], &["card.test.ts", "window.test.ts"]),
            (&["ui/src/testing/builders.ts", "ui/src/generated/wire.ts", "ui/src/shared/key.ts"], &[]),
            (&["ui/src/shared/messages/en/settings.ts"], &[OF_MESSAGES]),
        ] {
            assert_eq!(Vec::from_iter(concerned(changed, &tests)), expected, "{changed:?}");
        }
    }
}
