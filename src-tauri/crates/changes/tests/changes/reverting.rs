//! Putting back what a file held before.

use std::fs;

use askdesk_changes::Tracker;
use askdesk_contract::{DiffPart, FileChange, RevertRefused, ShownPart};

use super::support::{Desk, check, read};

/// The first run of lines that differ.
pub fn first_part(change: &FileChange) -> ShownPart {
    let found = change.parts.iter().enumerate().find_map(|(place, part)| match part {
        DiffPart::Changed { removed, added } => Some((place, removed.len(), added.len())),
        DiffPart::Same { .. } => None,
    });
    let (part, removed, added) = found.expect("nothing differs");
    let number = |count: usize| u32::try_from(count).unwrap();
    ShownPart { part: number(part), removed: number(removed), added: number(added) }
}

fn revert(tracker: &Tracker, path: &str) -> Result<(), RevertRefused> {
    let change = read(tracker, path);
    tracker.revert(&change.file.id, &change.file.version, None)
}

#[test]
fn every_kind_of_change_is_reverted_to_what_was_there_before() {
    let desk = Desk::with_commit(&[
        ("changed.txt", b"committed\n"),
        ("gone/deep.txt", b"g\n"),
        ("old.txt", b"1\n2\n3\n4\n5\n"),
        ("logo.png", b"\0old"),
    ]);
    desk.write("changed.txt", "mine, not committed\n");
    let tracker = desk.begun();
    desk.write("changed.txt", "the agent's\n");
    fs::remove_dir_all(desk.path("gone")).unwrap();
    fs::rename(desk.path("old.txt"), desk.path("new.txt")).unwrap();
    desk.write("logo.png", b"\0new");
    desk.write("extra.txt", "x\n");
    for path in ["changed.txt", "gone/deep.txt", "new.txt", "logo.png", "extra.txt"] {
        revert(&tracker, path).unwrap();
    }
    check(&tracker, &[]);
    assert_eq!(desk.text("changed.txt"), "mine, not committed\n");
    assert_eq!(desk.text("gone/deep.txt"), "g\n");
    assert!(!desk.path("extra.txt").exists() && !desk.path("new.txt").exists());
}

#[test]
fn one_part_of_a_file_is_reverted_and_the_rest_stays() {
    let desk = Desk::with_commit(&[("a.txt", b"1\n2\n3\n4\n5\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "one\n2\n3\n4\nfive\n");
    let change = read(&tracker, "a.txt");
    tracker.revert(&change.file.id, &change.file.version, Some(first_part(&change))).unwrap();
    assert_eq!(desk.text("a.txt"), "1\n2\n3\n4\nfive\n");
    // Its version is another one now.
    let again = tracker.revert(&change.file.id, &change.file.version, Some(first_part(&change)));
    assert_eq!(again, Err(RevertRefused::ChangedSince));
}

#[test]
fn a_file_that_changed_since_it_was_shown_is_left_alone() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n"), ("b.txt", b"b\n"), ("c.txt", b"1\n2\n3\n4\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "shown\n");
    desk.remove("b.txt");
    fs::rename(desk.path("c.txt"), desk.path("d.txt")).unwrap();
    let listing = tracker.list().unwrap();
    desk.write("a.txt", "newer\n");
    desk.write("b.txt", "back again\n");
    desk.write("c.txt", "another\n");
    let refused = |index: usize| {
        let file = &listing.files[index];
        tracker.revert(&file.id, &file.version, None).unwrap_err()
    };
    assert_eq!(refused(0), RevertRefused::ChangedSince);
    assert!(matches!(refused(1), RevertRefused::Exists { .. }));
    assert!(matches!(refused(2), RevertRefused::Exists { .. }));
    assert_eq!((desk.text("a.txt"), desk.text("b.txt")), ("newer\n".to_owned(), "back again\n".to_owned()));
    assert_eq!((desk.text("c.txt"), desk.text("d.txt")), ("another\n".to_owned(), "1\n2\n3\n4\n".to_owned()));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept_and_links_on_the_way_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let desk = Desk::with_commit(&[("run.sh", b"#!/bin/sh\n"), ("dir/in.txt", b"i\n")]);
    fs::set_permissions(desk.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("run.sh", desk.path("link")).unwrap();
    let tracker = desk.begun();
    desk.write("run.sh", "#!/bin/bash\n");
    desk.remove("link");
    desk.write("link", "a file\n");
    revert(&tracker, "run.sh").unwrap();
    revert(&tracker, "link").unwrap();
    check(&tracker, &[]);
    let mode = fs::metadata(desk.path("run.sh")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, fs::read_link(desk.path("link")).unwrap()), (0o750, "run.sh".into()));

    fs::set_permissions(desk.path("run.sh"), fs::Permissions::from_mode(0o640)).unwrap();
    revert(&tracker, "run.sh").unwrap();
    assert_eq!(fs::metadata(desk.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);

    // The agent replaced the folder by a link to somewhere else.
    fs::create_dir(desk.root().join("elsewhere")).unwrap();
    fs::rename(desk.path("dir"), desk.root().join("moved")).unwrap();
    symlink(desk.root().join("elsewhere"), desk.path("dir")).unwrap();
    assert!(matches!(revert(&tracker, "dir/in.txt"), Err(RevertRefused::NotAFolder { .. })));
    assert_eq!(fs::read_dir(desk.root().join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn what_was_not_recorded_cannot_be_reverted() {
    let desk = Desk::with_commit(&[]);
    let tracker = desk.begun();
    desk.write("large.bin", vec![b'x'; 17 * 1024 * 1024]);
    assert_eq!(revert(&tracker, "large.bin"), Err(RevertRefused::NotRecorded));
    assert!(desk.path("large.bin").exists());
}
