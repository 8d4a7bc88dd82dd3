//! The table of the guide that compares Askdesk with the agents' own terminals: what it says works names a test that exists.

use super::{Problem, tree::Source};

pub const TABLE: &str = "docs/guide/agents/terminal.md";
pub const TESTS: &str = "docs/terminal-tests.md";

const AGENTS: [&str; 3] = ["Claude Code", "Codex", "OpenCode"];

/// A row of either table: its name, then its cells.
type Row<'a> = (&'a str, Vec<&'a str>);

pub fn problems(table: &str, tests: &str, files: &[Source]) -> Vec<Problem> {
    let (said, held) = (rows(table), rows(tests));
    let mut problems = Vec::new();
    for (name, cells) in &said {
        let mut report = |what: String| problems.push(Problem::new(TABLE, format!("“{name}”: {what}")));
        let [claude, codex, opencode] = cells[..] else {
            report("needs a cell for each agent".to_owned());
            continue;
        };
        let row = held.iter().find(|(held, cells)| held == name && cells.len() == AGENTS.len() + 1);
        let (of_all, of_each) = row.map_or(("", &[][..]), |(_, cells)| (cells[0], &cells[1..]));
        for (n, (agent, cell)) in AGENTS.into_iter().zip([claude, codex, opencode]).enumerate() {
            let own = names(of_each.get(n).copied().unwrap_or_default());
            match claim(cell) {
                None => report(format!("{agent} is “{cell}”; begin it with yes, partly, no, or —")),
                Some(Claim::Works) if own.is_empty() && names(of_all).is_empty() => {
                    report(format!("{agent} is “{cell}”; name its test in {TESTS}"));
                }
                Some(Claim::Lacks) if !own.is_empty() => {
                    report(format!("{agent} is “{cell}”, but {TESTS} names a test of it"));
                }
                Some(_) => {}
            }
        }
    }
    for (name, cells) in &held {
        let mut report = |what: String| problems.push(Problem::new(TESTS, format!("“{name}”: {what}")));
        if !said.iter().any(|(said, _)| said == name) {
            report(format!("{TABLE} has no such row"));
        }
        for test in cells.iter().flat_map(|cell| names(cell)) {
            if !files.iter().any(|file| has_test(file, test)) {
                report(format!("no test is called `{test}`"));
            }
        }
    }
    problems
}

enum Claim {
    Works,
    Lacks,
}

fn claim(cell: &str) -> Option<Claim> {
    let word = cell.split([':', ' ', ',']).next()?;
    match word {
        "yes" | "partly" => Some(Claim::Works),
        "no" | "—" => Some(Claim::Lacks),
        _ => None,
    }
}

/// Returns the rows of all tables, without their heads.
fn rows(page: &str) -> Vec<Row<'_>> {
    let lines: Vec<&str> = page.lines().collect();
    let is_rule = |line: &str| line.starts_with("|-");
    let rows = lines.iter().enumerate().filter(|(n, line)| {
        let is_head = lines.get(n + 1).is_some_and(|next| is_rule(next));
        line.starts_with("| ") && !is_head
    });
    rows.filter_map(|(_, line)| {
        let mut cells = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim);
        Some((cells.next()?, cells.collect()))
    })
    .collect()
}

/// Returns what stands between backticks.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Whether a file has a test of the name: in Rust, or as a title in TypeScript.
fn has_test(file: &Source, name: &str) -> bool {
    let written = match file.kind() {
        "rs" => format!("fn {name}("),
        "ts" => format!("('{name}'"),
        _ => return false,
    };
    file.text.contains(&written)
}

#[cfg(test)]
mod tests {
    use super::super::assert_problems;
    use super::*;

    const HEAD: &str = "| what | Claude Code | Codex | OpenCode |\n|---|---|---|---|\n";
    const TESTS_HEAD: &str = "| what | each | Claude Code | Codex | OpenCode |\n|---|---|---|---|---|\n";

    fn check(row: &str, tests: &str, expected: &[&str]) {
        let file = |path: &str, text: &str| Source {
            path: path.into(),
            text: text.into(),
            declared_for_tests: false,
        };
        let files =
            [file("a.rs", "async fn one_holds() {"), file("a.test.ts", "  test('two holds', () => {")];
        let found = problems(&format!("{HEAD}{row}\n"), &format!("{TESTS_HEAD}{tests}\n"), &files);
        assert_problems(&found, expected);
    }

    #[test]
    fn what_works_has_a_test_that_exists_and_what_is_missing_has_none() {
        let row = "| diffs | yes | partly: names only | no: use `/diff` |";
        check(row, "| diffs | | `one_holds` | `two holds` | |", &[]);
        check(row, "| diffs | `two holds` | | | |", &[]);
        check(row, "| diffs | | `one_holds` | | |", &["Codex is “partly: names only”; name its test"]);
        check(row, "", &["Claude Code is “yes”; name its test", "Codex is “partly"]);
        check(row, "| diffs | `one_holds` | | | `two holds` |", &["OpenCode is “no: use `/diff`”, but"]);
        check(row, "| diffs | `three_holds` | | | |", &["no test is called `three_holds`"]);
    }

    #[test]
    fn a_row_has_a_claim_for_each_agent_and_no_test_is_left_of_a_row_that_is_gone() {
        check("| diffs | yes | no |", "| diffs | `one_holds` | | | |", &["needs a cell for each agent"]);
        let other = "| diffs | — | no | works |";
        check(other, "| diffs | | | | |", &["OpenCode is “works”; begin it with"]);
        check("| diffs | — | no | no |", "| gone | `one_holds` | | | |", &["has no such row"]);
    }
}
