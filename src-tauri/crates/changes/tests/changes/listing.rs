//! Which files are listed, and how their lines are counted.

use askdesk_contract::{ChangeTotals, Unavailable};

use crate::git_folder::files;

use super::support::{Desk, check, summary};

fn sums(totals: ChangeTotals) -> (u32, u32, u32) {
    (totals.files, totals.added, totals.removed)
}

#[test]
fn added_modified_deleted_and_renamed_files_are_listed_with_their_lines() {
    let desk = Desk::with_commit(&[
        ("src/kept.rs", b"fn kept() {}\n"),
        ("src/changed.rs", b"one\ntwo\nthree\n"),
        ("src/gone.rs", b"a\nb\n"),
        ("src/old_name.rs", b"1\n2\n3\n4\n5\n6\n7\n8\n"),
    ]);
    let tracker = desk.begun();
    check(&tracker, &[]);

    desk.write("src/changed.rs", "one\n2\nthree\nfour\n");
    desk.write("src/new/file.rs", "x\ny");
    desk.remove("src/gone.rs");
    std::fs::rename(desk.path("src/old_name.rs"), desk.path("src/name.rs")).unwrap();
    let listing = tracker.list().unwrap();
    assert_eq!(
        summary(&listing),
        [
            "src/changed.rs modified +2 -1",
            "src/gone.rs deleted +0 -2",
            "src/name.rs renamed from src/old_name.rs +0 -0",
            "src/new/file.rs added +2 -0",
        ]
    );
    assert_eq!(sums(listing.totals), (4, 4, 3));
}

#[test]
fn changes_from_before_the_session_do_not_count() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n"), ("b.txt", b"b\n")]);
    desk.write("a.txt", "mine\n");
    desk.write("untracked.txt", "mine too\n");
    desk.git(&["add", "a.txt"]);
    let tracker = desk.begun();
    check(&tracker, &[]);
    desk.write("a.txt", "mine\nand the agent's\n");
    desk.remove("untracked.txt");
    check(&tracker, &["a.txt modified +1 -0", "untracked.txt deleted +0 -1"]);
    desk.write("a.txt", "mine\n");
    desk.write("untracked.txt", "mine too\n");
    check(&tracker, &[]);
}

#[test]
fn commits_of_the_agent_are_still_changes() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "b\n");
    desk.commit("by the agent");
    desk.git(&["checkout", "-q", "--detach"]);
    desk.write("new.txt", "c\n");
    desk.commit("without a branch");
    check(&tracker, &["a.txt modified +1 -1", "new.txt added +1 -0"]);
}

#[test]
fn the_repository_is_not_touched() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    desk.write("a.txt", "b\n");
    let before = files(&desk.path(".git"));
    let tracker = desk.begun();
    desk.write("c.txt", "c\n");
    tracker.list().unwrap();
    assert_eq!(files(&desk.path(".git")), before);
}

#[test]
fn ignored_files_are_left_out_unless_they_are_tracked() {
    let desk = Desk::with_commit(&[(".gitignore", b"target/\n*.log\n"), ("kept.log.txt", b"k\n")]);
    desk.write("forced.log", "1\n");
    desk.git(&["add", "-f", "forced.log"]);
    desk.git(&["commit", "-q", "-m", "forced"]);
    std::fs::write(desk.path(".git/info/exclude"), "private.txt\n").unwrap();
    let tracker = desk.begun();
    desk.write("target/debug/app", "x");
    desk.write("run.log", "x");
    desk.write("private.txt", "x");
    desk.write("forced.log", "2\n");
    check(&tracker, &["forced.log modified +1 -1"]);
}

#[test]
fn a_session_in_a_subfolder_sees_what_is_below_it() {
    let desk = Desk::with_commit(&[
        (".gitignore", b"*.tmp\n"),
        ("top.txt", b"t\n"),
        ("sub/in.txt", b"i\n"),
        ("subway/other.txt", b"o\n"),
    ]);
    let tracker = desk.tracker_of(&desk.path("sub"));
    tracker.begin().unwrap();
    desk.write("top.txt", "changed\n");
    desk.write("subway/other.txt", "changed\n");
    desk.write("sub/in.txt", "changed\n");
    desk.write("sub/deep/new.txt", "n\n");
    desk.write("sub/left_out.tmp", "n\n");
    check(&tracker, &["deep/new.txt added +1 -0", "in.txt modified +1 -1"]);
    let file = &tracker.list().unwrap().files[1];
    assert_eq!(tracker.read(&file.id, &file.version).unwrap().parts.len(), 1);
}

#[test]
fn the_first_recorded_state_is_kept_by_a_later_run() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "a\nb\n");
    check(&tracker, &["a.txt modified +1 -0"]);
    // The app starts again, and the session is resumed.
    let again = desk.begun();
    assert_eq!(again.totals().map(sums), Some((1, 1, 0)));
    desk.write("a.txt", "a\nb\nc\n");
    check(&again, &["a.txt modified +2 -0"]);
}

#[test]
fn without_a_recorded_state_or_a_folder_the_reason_is_given() {
    let desk = Desk::with_repository();
    let tracker = desk.tracker_of(&desk.folder());
    assert_eq!(tracker.list(), Err(Unavailable::NoBaseline));
    assert_eq!(tracker.totals(), None);
    tracker.begin().unwrap();
    std::fs::remove_dir_all(desk.folder()).unwrap();
    assert_eq!(tracker.list(), Err(Unavailable::FolderGone));
    let nowhere = desk.tracker_of(&desk.path("nowhere"));
    std::fs::remove_dir_all(desk.root().join("data/changes/session")).unwrap();
    assert_eq!(nowhere.begin(), Err(Unavailable::FolderGone));
}

#[test]
fn a_listing_that_a_crash_interrupted_does_not_stop_the_next() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    std::fs::write(desk.root().join("data/changes/session/git/index.lock"), "").unwrap();
    desk.write("a.txt", "b\n");
    check(&tracker, &["a.txt modified +1 -1"]);
}

#[test]
fn contents_that_are_no_longer_needed_are_removed() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    for round in 0..64 {
        desk.write("a.txt", format!("{}\n", round + 100));
        check(&tracker, &["a.txt modified +1 -1"]);
    }
    let objects = files(&desk.root().join("data/changes/session/git/objects"));
    assert!(objects.len() < 20, "{}", objects.len());
    let file = &tracker.list().unwrap().files[0];
    assert_eq!(tracker.read(&file.id, &file.version).unwrap().parts.len(), 1);
}

#[test]
fn the_state_differs_even_if_the_sums_stay_the_same() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "b\n");
    let first = tracker.list().unwrap().totals;
    assert_eq!(tracker.list().unwrap().totals, first);
    desk.write("a.txt", "c\n");
    let second = tracker.list().unwrap().totals;
    assert_eq!(sums(second), sums(first));
    assert_ne!(second.state, first.state);
}
