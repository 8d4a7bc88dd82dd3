//! Each acceptance case that `docs/cases.md` lists has a test that names it, in the places that the list names and in no other.

use std::collections::{BTreeMap, BTreeSet};

use super::{CRATES, Problem, tree::Source};

pub const LIST: &str = "docs/cases.md";

/// What comes before the name of a test: in Rust, or as a text in TypeScript.
const BEFORE: [&str; 4] = ["fn ", "'", "\"", "`"];

pub fn problems(list: &str, files: &[Source]) -> Vec<Problem> {
    let listed: BTreeMap<u32, BTreeSet<&str>> = list.lines().filter_map(row).collect();
    let mut named = BTreeMap::<u32, BTreeMap<&str, &str>>::new();
    for file in files.iter().filter(|file| place(&file.path) != "xtask") {
        for case in file.text.lines().flat_map(named_in) {
            named.entry(case).or_default().entry(place(&file.path)).or_insert(&file.path);
        }
    }
    let mut problems = Vec::new();
    for (case, places) in &named {
        let Some(listed) = listed.get(case) else {
            let file = places.values().next().copied().unwrap_or_default();
            problems.push(Problem::new(file, format!("names case {case}; list it in {LIST}")));
            continue;
        };
        for (place, file) in places.iter().filter(|(place, _)| !listed.contains(*place)) {
            let says = format!(
                "tests case {case} in {place} too; test it where its rule is, or name {place} for it in {LIST}"
            );
            problems.push(Problem::new(*file, says));
        }
    }
    for (case, places) in &listed {
        let found = named.get(case);
        for place in places.iter().filter(|place| !found.is_some_and(|found| found.contains_key(*place))) {
            problems.push(Problem::new(LIST, format!("no test in {place} names case {case}")));
        }
        if places.is_empty() {
            problems.push(Problem::new(LIST, format!("names no place for case {case}")));
        }
    }
    problems
}

/// Returns the number of a row of the list, and the places in its last cell.
fn row(line: &str) -> Option<(u32, BTreeSet<&str>)> {
    let (case, rest) = line.strip_prefix("| ")?.split_once(" |")?;
    let (_, places) = rest.trim_end_matches([' ', '|']).rsplit_once('|')?;
    Some((case.parse().ok()?, places.split(',').map(str::trim).filter(|place| !place.is_empty()).collect()))
}

/// The crate that a test is in, `page`, `window`, or `shell`.
fn place(path: &str) -> &str {
    let in_crate = path.strip_prefix(CRATES).and_then(|rest| rest.split_once('/'));
    match in_crate {
        Some((name, _)) => name,
        None if path.starts_with("ui/") => "page",
        None if path.starts_with("src-tauri/tests/window/") => "window",
        None => "shell",
    }
}

/// Returns the cases in the names of tests of a line: `case_16_…`, `case_47_and_48_…`.
fn named_in(line: &str) -> Vec<u32> {
    let mut cases = Vec::new();
    for (at, _) in line.match_indices("case_") {
        if !BEFORE.iter().any(|before| line[..at].ends_with(before)) {
            continue;
        }
        let mut rest = &line[at + "case_".len()..];
        while let Some((number, after)) = leading_number(rest)
            && after.starts_with(['_', ' '])
        {
            cases.push(number);
            let Some(next) = after.strip_prefix("_and_") else { break };
            rest = next;
        }
    }
    cases
}

fn leading_number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::super::assert_problems;
    use super::*;

    #[test]
    fn every_case_has_a_test_in_each_place_that_the_list_names_and_in_no_other() {
        let file = |path: &str, text: &str| Source {
            path: path.into(),
            text: text.into(),
            declared_for_tests: false,
        };
        let list = "| case | what holds | held in |\n|---|---|---|\n| 1 | a | git |\n| 16 | b | git, window |\n| 17 | c | page |\n";
        let git = "src-tauri/crates/git/tests/git.rs";
        let window = "src-tauri/tests/window/keys.rs";
        let check = |texts: &[(&str, &str)], expected: &[&str]| {
            let files: Vec<Source> = texts.iter().map(|(path, text)| file(path, text)).collect();
            assert_problems(&problems(list, &files), expected);
        };
        let held = [
            (git, "fn case_1_and_16_hold() {"),
            (window, "async fn case_16_holds() {"),
            ("ui/tests/a.test.ts", "test('case_17 holds', () => {"),
        ];
        check(&held, &[]);
        check(&held[..1], &["no test in window names case 16", "no test in page names case 17"]);
        let more = (
            window,
            "fn case_16_holds() {}\n// see case_17_holds\nfn case_1_holds() {}\nfn case_99_holds() {}",
        );
        check(
            &[held[0], more, held[2]],
            &["keys.rs: tests case 1 in window too", "keys.rs: names case 99; list it in docs/cases.md"],
        );
    }
}
