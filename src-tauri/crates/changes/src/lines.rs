//! Compares two texts line by line.

use std::time::Duration;

use askdesk_line_diff::{Run, runs};

use askdesk_contract::DiffPart;

pub use askdesk_line_diff::lines_of;

/// How long a comparison looks for the smallest difference; after that, it takes a larger one.
const SEARCH: Duration = Duration::from_secs(2);
/// How many characters of a line are shown.
pub(crate) const LINE_CHARS: usize = 4_000;
/// How many lines a file may have whose changes are shown. A row of each line would fill the window's memory.
const SHOWN_LINES: usize = 200_000;
/// How many bytes are searched for a NUL, which no text has. The same number as git's.
const SNIFFED: usize = 8_000;

/// Compares two texts. Runs that are the same and runs that differ alternate, and cover both sides.
pub fn diff(old: &[&[u8]], new: &[&[u8]]) -> Vec<Run> {
    runs(old, new, SEARCH)
}

/// Counts the lines that are added and removed.
pub(crate) fn count(old: &[u8], new: &[u8]) -> (u32, u32) {
    let mut counts = (0, 0);
    for run in diff(&lines_of(old), &lines_of(new)).iter().filter(|run| !run.same) {
        counts.0 += run.new.1 - run.new.0;
        counts.1 += run.old.1 - run.old.0;
    }
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    (number(counts.0), number(counts.1))
}

pub(crate) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(SNIFFED).any(|byte| *byte == 0)
}

/// Whether the window can't hold a row of each line.
pub(crate) fn has_too_many(content: &[u8]) -> bool {
    content.iter().filter(|byte| **byte == b'\n').nth(SHOWN_LINES).is_some()
}

/// Both sides as text for the window.
pub(crate) struct Shown {
    pub(crate) parts: Vec<DiffPart>,
    pub(crate) lossy: bool,
    pub(crate) cut: bool,
}

/// Compares two texts for the window.
pub(crate) fn shown(old: &[u8], new: &[u8]) -> Shown {
    let (old, new) = (lines_of(old), lines_of(new));
    let mut shown = Shown { parts: Vec::new(), lossy: false, cut: false };
    for run in diff(&old, &new) {
        let removed = run.old.0..run.old.1;
        let added = run.new.0..run.new.1;
        let part = if run.same {
            DiffPart::Same { lines: new[added].iter().map(|line| shown.line(line)).collect() }
        } else {
            DiffPart::Changed {
                removed: old[removed].iter().map(|line| shown.line(line)).collect(),
                added: new[added].iter().map(|line| shown.line(line)).collect(),
            }
        };
        shown.parts.push(part);
    }
    shown
}

impl Shown {
    fn line(&mut self, line: &[u8]) -> String {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        self.lossy |= matches!(text, std::borrow::Cow::Owned(_));
        match text.char_indices().nth(LINE_CHARS) {
            Some((end, _)) => {
                self.cut = true;
                text[..end].to_owned()
            }
            None => text.into_owned(),
        }
    }
}
