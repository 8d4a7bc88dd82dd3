//! Compares texts line by line.
//!
//! Only this crate uses `similar`, and only one of its algorithms, on numbered lines. Its simpler functions bring six algorithms
//! for each type that they compare, which made the program 600 KiB larger.

mod unified;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

pub use unified::{MissingNewline, unified};

/// A run of lines, as ranges of both sides, half open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub same: bool,
    pub old: (usize, usize),
    pub new: (usize, usize),
}

/// Splits a text into lines that keep their line breaks.
pub fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Compares two texts. Runs that are the same and runs that differ alternate, and cover both sides.
///
/// After the time limit, a larger difference is returned than the smallest one.
pub fn runs<'a>(old: &[&'a [u8]], new: &[&'a [u8]], limit: Duration) -> Vec<Run> {
    let mut numbers = HashMap::new();
    let [old, new] = [old, new].map(|lines| numbered(lines, &mut numbers));
    let mut runs: Vec<Run> = Vec::new();
    for op in operations(&old, &new, Instant::now() + limit) {
        let (from, to) = (op.old_range(), op.new_range());
        let run = Run {
            same: matches!(op, DiffOp::Equal { .. }),
            old: (from.start, from.end),
            new: (to.start, to.end),
        };
        match runs.last_mut() {
            Some(last) if last.same == run.same => {
                last.old.1 = run.old.1;
                last.new.1 = run.new.1;
            }
            _ => runs.push(run),
        }
    }
    runs
}

/// Numbers lines by their content.
fn numbered<'a>(lines: &[&'a [u8]], numbers: &mut HashMap<&'a [u8], usize>) -> Vec<usize> {
    let number = |line: &&'a [u8]| {
        let next = numbers.len();
        *numbers.entry(*line).or_insert(next)
    };
    lines.iter().map(number).collect()
}

fn operations(old: &[usize], new: &[usize], deadline: Instant) -> Vec<DiffOp> {
    let mut compared = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff_deadline(&mut compared, old, 0..old.len(), new, 0..new.len(), Some(deadline));
    compared.into_inner().into_inner().into_ops()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const LINES: u64 = 100_000;
    const LIMIT: Duration = Duration::from_millis(200);

    fn text(line: impl Fn(u64) -> u64) -> String {
        (0..LINES).map(|at| format!("{}\n", line(at))).collect()
    }

    /// A number that looks random.
    fn scattered(at: u64) -> u64 {
        (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
    }

    #[rstest]
    #[case::all_different(text(|at| at), text(|at| at + LINES))]
    #[case::every_other_line_different(text(|at| at), text(|at| at + at % 2 * LINES))]
    #[case::two_lines_in_random_order(text(|at| scattered(at) % 2), text(|at| scattered(at + LINES) % 2))]
    #[case::four_lines_in_random_order(text(|at| scattered(at) % 4), text(|at| scattered(at + LINES) % 4))]
    #[case::many_lines_in_random_order(text(|at| scattered(at) % 300), text(|at| scattered(at + LINES) % 300))]
    #[case::reversed(text(|at| at), text(|at| LINES - at))]
    #[case::blank_lines_between(text(|at| at % 2 * at), text(|at| at % 2 * (at + LINES)))]
    fn no_difference_of_large_texts_takes_long(#[case] old: String, #[case] new: String) {
        let (old, new) = (lines_of(old.as_bytes()), lines_of(new.as_bytes()));
        let start = Instant::now();
        let runs = runs(&old, &new, LIMIT);
        let took = start.elapsed();
        // Reading and writing all lines comes on top of the limit, without optimization and on a busy machine.
        assert!(took < LIMIT * 25, "{took:?}");
        assert!(runs.iter().any(|run| !run.same));
    }
}
