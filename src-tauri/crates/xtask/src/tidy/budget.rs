//! How many lines each crate, the shell, and the page may have: `docs/lines.md` lists it.

use std::collections::BTreeMap;

use super::{CRATES, Problem, sources::product_lines, tree::Source};

pub const LIST: &str = "docs/lines.md";

/// A crate whose lines serve tests alone.
const TESTKIT: &str = "testkit";

/// Lines of the product and of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lines {
    product: usize,
    tests: usize,
}

/// Compares the lines of each place with the list. Generated files don't count.
pub fn problems(list: &str, files: &[Source]) -> Vec<Problem> {
    let listed: BTreeMap<&str, Lines> = list.lines().filter_map(row).collect();
    let mut counted = BTreeMap::<&str, Lines>::new();
    for file in files.iter().filter(|file| !file.is_generated()) {
        let place = place(&file.path);
        let product = if place == TESTKIT { 0 } else { product_lines(file) };
        let lines = counted.entry(place).or_default();
        lines.product += product;
        lines.tests += file.text.lines().count() - product;
    }
    let over = |place: &str, what: &str, has: usize, may: usize| {
        let says = format!(
            "{place} has {has} lines of {what} and may have {may}; shorten it, or raise the number and say why"
        );
        (has > may).then(|| Problem::new(LIST, says))
    };
    let mut problems = Vec::new();
    for (place, has) in &counted {
        let Some(may) = listed.get(place) else {
            let says = format!(
                "lacks {place}, which has {} lines of product and {} of tests",
                has.product, has.tests
            );
            problems.push(Problem::new(LIST, says));
            continue;
        };
        problems.extend(over(place, "product", has.product, may.product));
        problems.extend(over(place, "tests", has.tests, may.tests));
    }
    let gone = listed.keys().filter(|place| !counted.contains_key(*place));
    problems.extend(gone.map(|place| Problem::new(LIST, format!("lists {place}, which is not there"))));
    problems
}

/// Reads a row of the list: `| engine | 12100 | 9000 |`.
fn row(line: &str) -> Option<(&str, Lines)> {
    let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
    let [place, product, tests, ..] = cells[..] else { return None };
    Some((place, Lines { product: product.parse().ok()?, tests: tests.parse().ok()? }))
}

/// The crate that a file belongs to, `page`, or `shell`.
fn place(path: &str) -> &str {
    let in_crate = path.strip_prefix(CRATES).and_then(|rest| rest.split_once('/'));
    match in_crate {
        Some((name, _)) => name,
        None if path.starts_with("ui/") => "page",
        None => "shell",
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_problems;
    use super::*;

    #[test]
    fn a_place_has_no_more_lines_than_it_may() {
        let file = |path: &str, text: &str| Source {
            path: path.into(),
            text: text.into(),
            declared_for_tests: false,
        };
        let files = [
            file("src-tauri/crates/git/src/lib.rs", "one\ntwo\n#[cfg(test)]\nmod tests {\n}\n"),
            file("src-tauri/crates/git/tests/git.rs", "four\n"),
            file("src-tauri/crates/testkit/src/lib.rs", "one\ntwo\n"),
            file("ui/src/generated/wire.ts", "one\ntwo\n"),
            file("ui/src/main.ts", "one\n"),
        ];
        let list = |rows: &str| format!("| place | product | tests |\n|---|---|---|\n{rows}");
        let enough = list("| git | 2 | 4 |\n| testkit | 0 | 2 |\n| page | 1 | 0 |\n");
        assert_problems(&problems(&enough, &files), &[]);
        let less = list("| git | 1 | 3 |\n| testkit | 0 | 2 |\n| old | 1 | 1 |\n");
        assert_problems(
            &problems(&less, &files),
            &[
                "git has 2 lines of product and may have 1",
                "git has 4 lines of tests",
                "lacks page",
                "lists old",
            ],
        );
    }
}
