use std::time::Duration;

use crate::{Run, runs};

/// How long a comparison looks for the smallest difference; after that, it takes a larger one.
const SEARCH: Duration = Duration::from_millis(200);
/// How many unchanged lines are shown before and after a change.
const CONTEXT: usize = 3;

/// Whether a diff says that a text ends without a line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingNewline {
    Noted,
    /// For a part of a file, where a missing line break at the end means nothing.
    Ignored,
}

/// Returns the hunks of a unified diff, without file names. Empty if the texts are the same.
pub fn unified(old: &str, new: &str, missing_newline: MissingNewline) -> String {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let [old_bytes, new_bytes] =
        [&old, &new].map(|lines| lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>());
    let runs = runs(&old_bytes, &new_bytes, SEARCH);
    let divides = |run: &Run| run.same && run.old.1 - run.old.0 > 2 * CONTEXT;
    let mut diff = String::new();
    for hunk in runs.split(divides) {
        let changes = || hunk.iter().filter(|run| !run.same);
        let (Some(first), Some(last)) = (changes().next(), changes().next_back()) else { continue };
        let before = first.old.0.min(CONTEXT);
        let after = (old.len() - last.old.1).min(CONTEXT);
        let from = range(first.old.0 - before, last.old.1 + after);
        let to = range(first.new.0 - before, last.new.1 + after);
        diff.push_str(&format!("@@ -{from} +{to} @@\n"));
        let mut print = |mark, lines: &[&str]| push(&mut diff, mark, lines, missing_newline);
        let mut printed = first.old.0 - before;
        for change in changes() {
            print(' ', &old[printed..change.old.0]);
            print('-', &old[change.old.0..change.old.1]);
            print('+', &new[change.new.0..change.new.1]);
            printed = change.old.1;
        }
        print(' ', &old[printed..last.old.1 + after]);
    }
    diff
}

/// Writes a range of lines as a header does: an empty one begins at the line before it, and a count of one is left out.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{end}"),
        count => format!("{},{count}", start + 1),
    }
}

fn push(diff: &mut String, mark: char, lines: &[&str], missing_newline: MissingNewline) {
    for line in lines {
        diff.push(mark);
        diff.push_str(line);
        if !line.ends_with('\n') {
            let noted = missing_newline == MissingNewline::Noted;
            diff.push_str(if noted { "\n\\ No newline at end of file\n" } else { "\n" });
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Numbers a line per row, except that some rows have other text.
    fn rows(count: usize, changed: &[usize]) -> String {
        (1..=count).map(|row| format!("{row}{}\n", if changed.contains(&row) { "!" } else { "" })).collect()
    }

    #[rstest]
    #[case::same("a\nb", "a\nb", "")]
    #[case::both_empty("", "", "")]
    #[case::added_to_nothing("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n")]
    #[case::all_removed("a\n", "", "@@ -1 +0,0 @@\n-a\n")]
    #[case::inserted("a\nc\n", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n+b\n c\n")]
    #[case::changed("a\r\n", "b\r\n", "@@ -1 +1 @@\n-a\r\n+b\r\n")]
    #[case::three_lines_of_context(&rows(9, &[]), &rows(9, &[5]),
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+5!\n 6\n 7\n 8\n")]
    #[case::near_changes_share_a_hunk(&rows(8, &[]), &rows(8, &[1, 8]),
        "@@ -1,8 +1,8 @@\n-1\n+1!\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+8!\n")]
    #[case::distant_changes_have_hunks_of_their_own(&rows(9, &[]), &rows(9, &[1, 9]),
        "@@ -1,4 +1,4 @@\n-1\n+1!\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+9!\n")]
    fn a_change_is_printed_as_hunks(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
        assert_eq!(unified(old, new, MissingNewline::Noted), expected);
    }

    #[rstest]
    #[case(MissingNewline::Noted, "@@ -1,2 +1,2 @@\n-a\n+b\n x\n\\ No newline at end of file\n")]
    #[case(MissingNewline::Ignored, "@@ -1,2 +1,2 @@\n-a\n+b\n x\n")]
    fn a_missing_line_break_is_noted_only_for_whole_files(
        #[case] missing: MissingNewline,
        #[case] expected: &str,
    ) {
        assert_eq!(unified("a\nx", "b\nx", missing), expected);
    }
}
