//! Each acceptance case that `docs/cases.md` lists has a test that names it, and no test names another one.

use std::collections::BTreeSet;

use super::{Problem, tree::Source};

pub const LIST: &str = "docs/cases.md";

/// What comes before the name of a test: in Rust, or as a text in TypeScript.
const BEFORE: [&str; 4] = ["fn ", "'", "\"", "`"];

pub fn problems(list: &str, files: &[Source]) -> Vec<Problem> {
    let listed: BTreeSet<u32> = list.lines().filter_map(listed).collect();
    let mut named = BTreeSet::new();
    let mut problems = Vec::new();
    for file in files {
        for case in file.text.lines().flat_map(named_in) {
            if !listed.contains(&case) && named.insert(case) {
                problems.push(Problem::new(&file.path, format!("names case {case}; list it in {LIST}")));
            }
            named.insert(case);
        }
    }
    let without_test = listed.difference(&named);
    problems.extend(without_test.map(|case| Problem::new(LIST, format!("no test names case {case}"))));
    problems
}

/// Returns the number of a row of the list.
fn listed(line: &str) -> Option<u32> {
    line.strip_prefix("| ")?.split_once(" |")?.0.parse().ok()
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
    fn every_case_is_listed_and_has_a_test() {
        let file = |text: &str| Source { path: "a.rs".into(), text: text.into(), declared_for_tests: false };
        let list = "| case | what holds |\n|---|---|\n| 1 | a |\n| 16 | b |\n| 17 | c |\n";
        let all = "fn case_1_and_16_hold() {\n    test('case_17 holds', () => {";
        assert_problems(&problems(list, &[file(all)]), &[]);
        let missing = "async fn case_1_holds() {\n run(\"case_16\"); // see case_17_holds";
        assert_problems(
            &problems(list, &[file(missing)]),
            &["no test names case 16", "no test names case 17"],
        );
        let other = format!("{all}\nfn case_99_holds() {{ }}\nfn case_99_too() {{ }}");
        assert_problems(&problems(list, &[file(&other)]), &["a.rs: names case 99; list it in docs/cases.md"]);
    }
}
