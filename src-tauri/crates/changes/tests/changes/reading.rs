//! What is shown of one file.

use askdesk_contract::{Content, DiffPart, Unavailable};

use super::support::{Desk, check, read};

fn texts(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn both_sides_are_shown_with_the_lines_that_are_the_same() {
    let desk = Desk::with_commit(&[("a.txt", b"one\ntwo\nthree\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "one\n2\nthree\nfour");
    let change = read(&tracker, "a.txt");
    assert_eq!(
        change.parts,
        [
            DiffPart::Same { lines: texts(&["one"]) },
            DiffPart::Changed { removed: texts(&["two"]), added: texts(&["2"]) },
            DiffPart::Same { lines: texts(&["three"]) },
            DiffPart::Changed { removed: vec![], added: texts(&["four"]) },
        ]
    );
    assert!(!change.unfinished_before && change.unfinished_now && !change.lossy && !change.cut);
}

#[test]
fn a_version_that_is_no_longer_listed_is_outdated() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "b\n");
    let file = tracker.list().unwrap().files.remove(0);
    desk.write("a.txt", "c\n");
    assert!(tracker.read(&file.id, &file.version).is_ok(), "both sides are recorded");
    tracker.list().unwrap();
    assert_eq!(tracker.read(&file.id, &file.version), Err(Unavailable::Outdated));
    assert_eq!(tracker.read("other.txt", &file.version), Err(Unavailable::Outdated));
}

#[test]
fn binary_files_are_not_shown_as_text() {
    let desk = Desk::with_commit(&[("logo.png", b"\x89PNG\0\0old")]);
    let tracker = desk.begun();
    desk.write("logo.png", b"\x89PNG\0\0newer");
    desk.write("data.bin", b"\0\x01");
    check(&tracker, &["data.bin added Binary", "logo.png modified Binary"]);
    let change = read(&tracker, "logo.png");
    assert!(change.parts.is_empty());
    assert_eq!((change.before.unwrap().bytes, change.now.unwrap().bytes), (Some(9), Some(11)));
}

#[test]
fn text_that_is_not_utf_8_is_shown_as_far_as_it_goes() {
    let desk = Desk::with_commit(&[("latin.txt", b"gr\xfc\xdfe\n")]);
    let tracker = desk.begun();
    desk.write("latin.txt", b"gr\xfc\xdfe\nmehr\n");
    let change = read(&tracker, "latin.txt");
    assert!(change.lossy);
    assert_eq!(change.parts[0], DiffPart::Same { lines: texts(&["gr\u{fffd}\u{fffd}e"]) });
}

#[test]
fn long_lines_are_cut_and_line_breaks_of_other_systems_count_as_changes() {
    let desk = Desk::with_commit(&[("a.txt", b"a\nb\n"), (".gitattributes", b"* text=auto\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "a\r\nb\r\n");
    desk.write("min.js", "x".repeat(100_000));
    check(&tracker, &["a.txt modified +2 -2", "min.js added +1 -0"]);
    let DiffPart::Changed { added, .. } = &read(&tracker, "a.txt").parts[0] else { panic!() };
    assert_eq!(added, &["a\r", "b\r"]);
    let minified = read(&tracker, "min.js");
    let DiffPart::Changed { added, .. } = &minified.parts[0] else { panic!() };
    assert!(minified.cut && added[0].len() == 4_000);
}

#[test]
fn a_hundred_thousand_lines_are_compared() {
    let line = |n: usize, edited: bool| format!("line {n} {}\n", if edited { "edited" } else { "as it was" });
    let before = (0..100_000).map(|n| line(n, false)).collect::<String>();
    let now = (0..100_000).map(|n| line(n, n % 10 == 0)).collect::<String>();
    let desk = Desk::with_commit(&[("long.txt", before.as_bytes())]);
    let tracker = desk.begun();
    desk.write("long.txt", now);
    check(&tracker, &["long.txt modified +10000 -10000"]);
    assert_eq!(read(&tracker, "long.txt").parts.len(), 20_000);
}

#[test]
fn a_file_that_is_too_large_is_listed_without_its_content() {
    let desk = Desk::with_commit(&[("small.bin", b"s\n"), (".gitignore", b"ignored.bin\n")]);
    let large = vec![b'x'; 17 * 1024 * 1024];
    desk.write("large.bin", &large);
    desk.write("same.bin", &large);
    desk.write("ignored.bin", &large);
    desk.git(&["add", "-f", "ignored.bin"]);
    let tracker = desk.begun();
    check(&tracker, &[]);
    desk.write("large.bin", "small now\n");
    desk.write("small.bin", &large);
    desk.write("new.bin", &large);
    check(
        &tracker,
        &["large.bin modified TooLarge", "new.bin added TooLarge", "small.bin modified TooLarge"],
    );
    let change = read(&tracker, "new.bin");
    assert_eq!((change.file.content, change.parts.len()), (Content::TooLarge, 0));
}

#[test]
fn a_file_with_too_many_lines_is_counted_and_not_shown() {
    let desk = Desk::with_commit(&[("long.txt", b"a\n")]);
    let tracker = desk.begun();
    desk.write("long.txt", "a\n".repeat(200_000));
    assert_eq!(read(&tracker, "long.txt").parts.len(), 2);
    desk.write("long.txt", "a\n".repeat(200_001));
    check(&tracker, &["long.txt modified TooManyLines +200000 -0"]);
    assert_eq!(read(&tracker, "long.txt").parts.len(), 0);
}
