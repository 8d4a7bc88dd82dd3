//! The difference that is shown leads from one side to the other, byte for byte.

use askdesk_changes::{diff, lines_of};
use proptest::prelude::*;

use super::support::{Desk, read};

fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![&b"a"[..], b"b", b"c\r", b"", b"\xff\xfe"]);
    (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, finished)| {
        let mut text = lines.join(&b'\n');
        if finished && !text.is_empty() {
            text.push(b'\n');
        }
        text
    })
}

proptest! {
    #[test]
    fn applying_the_runs_to_the_old_side_gives_the_new_side(old in text(), new in text()) {
        let (old_lines, new_lines) = (lines_of(&old), lines_of(&new));
        let mut applied: Vec<u8> = Vec::new();
        let mut reversed: Vec<u8> = Vec::new();
        let (mut old_end, mut new_end, mut last) = (0, 0, None);
        for run in diff(&old_lines, &new_lines) {
            prop_assert_eq!((run.old.0, run.new.0), (old_end, new_end), "a gap");
            prop_assert_ne!(last, Some(run.same), "two runs of one kind");
            (old_end, new_end, last) = (run.old.1, run.new.1, Some(run.same));
            // Lines that are the same come from the old side, and the rest from the new one.
            let from_old = old_lines[run.old.0..run.old.1].concat();
            let from_new = new_lines[run.new.0..run.new.1].concat();
            if run.same {
                prop_assert_eq!(&from_old, &from_new);
            }
            applied.extend(if run.same { &from_old } else { &from_new });
            reversed.extend(if run.same { &from_new } else { &from_old });
        }
        prop_assert_eq!((old_end, new_end), (old_lines.len(), new_lines.len()));
        prop_assert_eq!(applied, new);
        prop_assert_eq!(reversed, old);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_file_reverted_part_by_part_is_the_old_one(old in text(), new in text()) {
        prop_assume!(old != new && !old.is_empty() && !new.is_empty());
        let desk = Desk::with_commit(&[("a.txt", &old)]);
        let tracker = desk.begun();
        desk.write("a.txt", &new);
        for _ in 0..60 {
            if std::fs::read(desk.path("a.txt")).unwrap() == old {
                return Ok(());
            }
            let change = read(&tracker, "a.txt");
            let part = super::reverting::first_part(&change);
            tracker.revert(&change.file.id, &change.file.version, Some(part)).unwrap();
        }
        prop_assert!(false, "it never became the old file");
    }
}
