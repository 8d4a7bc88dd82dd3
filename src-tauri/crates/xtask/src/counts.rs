//! Counts tests in what `cargo test` and vitest print.

use std::{collections::BTreeSet, fmt, ops::AddAssign};

use anyhow::{Context, Result};
use serde::Deserialize;

/// What a test prints when it cannot run here, followed by `name: reason`.
pub const SKIP_MARK: &str = "askdesk-skip: ";

/// Tests that passed, failed, and could not run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    /// Tests that failed or did not finish.
    pub failed: usize,
    pub skipped: usize,
}

impl Counts {
    pub const PASSED: Self = Self { passed: 1, failed: 0, skipped: 0 };
    /// One check that failed.
    pub const FAILED: Self = Self { passed: 0, failed: 1, skipped: 0 };

    fn total(self) -> usize {
        self.passed + self.failed + self.skipped
    }

    /// Adds a failure if a run failed without a failed test, or if nothing ran.
    ///
    /// A crash of the test program or a file that does not load look like that.
    pub fn with_exit_status(mut self, success: bool, must_run_something: bool) -> Self {
        let unexplained = !success && self.failed == 0;
        let empty = must_run_something && self.total() == 0;
        if unexplained || empty {
            self.failed += 1;
        }
        self
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// A test that said it cannot run here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skip {
    /// The test, as it calls itself.
    pub name: String,
    pub reason: String,
}

/// Reads what a test program prints with `--show-output`.
///
/// libtest prints JSON on nightly Rust alone, and `cargo nextest` is missing on a fresh machine.
///
/// `--show-output` is needed because a test that skips itself counts as passed, and the output of passed tests is not printed
/// otherwise; the rest of that output is hidden again here.
#[derive(Debug, Default)]
pub struct ProgramOutput {
    pub counts: Counts,
    /// Tests that have ended so far.
    pub ended: usize,
    pub skips: BTreeSet<Skip>,
    pub failed_tests: BTreeSet<String>,
    /// What failed tests printed.
    pub failures: Vec<String>,
    part: Part,
}

/// The part of its output that a test program prints.
#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Tests,
    Successes,
    Failures,
}

impl ProgramOutput {
    /// Reads the next line, and returns whether to show it at once: a failure, a test that can't run, or words of the program's own.
    pub fn line(&mut self, line: &str) -> bool {
        if let Some(at) = line.find(SKIP_MARK) {
            let said = &line[at + SKIP_MARK.len()..];
            let (name, reason) = said.split_once(": ").unwrap_or((said, "no reason given"));
            return self.skips.insert(Skip { name: name.trim().into(), reason: reason.trim().into() });
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            self.program_ended(result);
            return false;
        }
        match line {
            "successes:" => self.part = Part::Successes,
            "failures:" => self.part = Part::Failures,
            _ => {}
        }
        let Some(test) = line.strip_prefix("test ").filter(|_| self.part == Part::Tests) else {
            if self.part == Part::Failures {
                self.failures.push(line.to_owned());
            }
            return self.part == Part::Tests && !line.is_empty() && !is_frame(line);
        };
        self.ended += usize::from(test.contains(" ... "));
        let failed = test.strip_suffix(" ... FAILED");
        self.failed_tests.extend(failed.map(str::to_owned));
        failed.is_some() || !test.contains(" ... ")
    }

    fn program_ended(&mut self, result: &str) {
        self.counts = Counts {
            passed: number_before(result, " passed"),
            failed: number_before(result, " failed"),
            skipped: number_before(result, " ignored"),
        };
        // A test that says it skips and then fails has failed.
        let failed = &self.failed_tests;
        self.skips.retain(|skip| {
            !failed.iter().any(|path| path.rsplit("::").next().is_some_and(|last| last == skip.name))
        });
        let moved = self.skips.len().min(self.counts.passed);
        self.counts.passed -= moved;
        self.counts.skipped += moved;
    }
}

/// Whether a line only frames the tests of a program.
fn is_frame(line: &str) -> bool {
    line.strip_prefix("running ").is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
}

fn number_before(text: &str, word: &str) -> usize {
    let Some(end) = text.find(word) else { return 0 };
    let digits = text[..end].rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// What we read of the file that vitest's JSON reporter writes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestReport {
    num_passed_tests: usize,
    num_failed_tests: usize,
    num_pending_tests: usize,
    num_todo_tests: usize,
}

/// Reads the counts of vitest. It reports tests left out by a filter as pending, so `filtered` leaves those uncounted.
pub fn vitest(json: &str, filtered: bool) -> Result<Counts> {
    let report: VitestReport = serde_json::from_str(json).context("cannot read vitest's report")?;
    let skipped = if filtered { 0 } else { report.num_pending_tests + report.num_todo_tests };
    Ok(Counts { passed: report.num_passed_tests, failed: report.num_failed_tests, skipped })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str) -> (ProgramOutput, String) {
        let mut reader = ProgramOutput::default();
        let shown: Vec<&str> = output.lines().filter(|line| reader.line(line)).collect();
        let shown = shown.join("\n");
        (reader, shown)
    }

    fn counts(passed: usize, failed: usize, skipped: usize) -> Counts {
        Counts { passed, failed, skipped }
    }

    #[test]
    fn a_failed_test_is_shown_at_once_and_ignored_tests_count_as_skipped() {
        let (reader, shown) = read(
            "running 17 tests\n\
            test a ... ok\n\
            test b::c ... FAILED\n\
            test d has been running for over 60 seconds\n\
            test e ... ignored, the reason\n\
            test result: FAILED. 14 passed; 1 failed; 2 ignored; 0 measured; 5 filtered out; finished in 0.10s\n",
        );
        assert_eq!((reader.counts, reader.ended), (counts(14, 1, 2), 3));
        assert_eq!(shown, "test b::c ... FAILED\ntest d has been running for over 60 seconds");
    }

    #[test]
    fn a_test_that_skips_itself_counts_once_and_not_as_passed() {
        let (reader, shown) = read(
            "test real_agent ... askdesk-skip: real_agent: the agent is not installed\n\
            successes:\n\
            ---- real_agent stdout ----\n\
            noise of a test that passed\n\
            askdesk-skip: real_agent: the agent is not installed\n\
            successes:\n    real_agent\n\
            test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
        );
        assert_eq!(reader.counts, counts(3, 0, 1));
        let skip = Skip { name: "real_agent".into(), reason: "the agent is not installed".into() };
        assert_eq!(Vec::from_iter(reader.skips), [skip]);
        assert!(shown.contains("askdesk-skip: real_agent") && !shown.contains("noise"), "{shown}");
    }

    #[test]
    fn failures_are_kept_apart_from_successes_and_are_no_skips() {
        let (reader, shown) = read(
            "test desk::window ... FAILED\n\
            successes:\n\
            hidden\n\
            failures:\n\
            askdesk-skip: window: no display\n\
            assertion failed: left == right\n\
            test result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        );
        assert_eq!((reader.counts, reader.skips.len()), (counts(1, 1, 0), 0));
        assert_eq!(reader.failures, ["failures:", "assertion failed: left == right"]);
        assert!(!shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn a_bad_ending_without_a_failed_test_and_an_empty_run_count_as_one_failure() {
        assert_eq!(counts(3, 0, 0).with_exit_status(false, true), counts(3, 1, 0));
        assert_eq!(counts(3, 2, 0).with_exit_status(false, true), counts(3, 2, 0));
        assert_eq!(counts(0, 0, 0).with_exit_status(true, true), counts(0, 1, 0));
        assert_eq!(counts(0, 0, 0).with_exit_status(true, false), counts(0, 0, 0));
    }

    #[test]
    fn vitest_reports_are_counted_and_printed_in_one_form() {
        assert_eq!(counts(7, 0, 1).to_string(), "7 passed, 0 failed, 1 skipped");
        let report = r#"{"numTotalTests":9,"numPassedTests":5,"numFailedTests":1,"numPendingTests":2,"numTodoTests":1}"#;
        assert_eq!(vitest(report, false).unwrap(), counts(5, 1, 3));
        assert_eq!(vitest(report, true).unwrap(), counts(5, 1, 0));
        assert!(format!("{:#}", vitest("{}", false).unwrap_err()).contains("numPassedTests"));
    }
}
