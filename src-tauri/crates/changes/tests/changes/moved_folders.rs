//! Recorded states that follow their folder to another place.

use std::fs;

use askdesk_changes::{Tracker, relocate};

use crate::support::{Desk, summary};

#[test]
fn a_record_follows_a_renamed_repository_with_the_contents_that_are_only_there() {
    let desk = Desk::with_commit(&[("a.txt", b"one\n"), ("src/b.txt", b"two\n")]);
    drop(desk.begun());
    desk.write("a.txt", "changed\n");
    let (moved, store) = (desk.root().join("moved"), desk.root().join("data/changes/session"));
    fs::rename(desk.folder(), &moved).unwrap();
    assert!(relocate(&store, &moved).unwrap());
    let tracker = Tracker::new(moved.clone(), store);
    let listing = tracker.list().unwrap();
    assert_eq!(summary(&listing), ["a.txt modified +1 -1"]);
    let file = &listing.files[0];
    tracker.revert(&file.id, &file.version, None).unwrap();
    assert_eq!(fs::read_to_string(moved.join("a.txt")).unwrap(), "one\n");
}

#[test]
fn a_record_of_a_folder_in_a_repository_follows_when_the_repository_is_moved() {
    let desk = Desk::with_commit(&[("src/b.txt", b"two\n")]);
    let store = desk.root().join("data/changes/session");
    desk.tracker_of(&desk.path("src")).begin().unwrap();
    desk.write("src/b.txt", "changed\n");
    let moved = desk.root().join("moved");
    fs::rename(desk.folder(), &moved).unwrap();
    assert!(relocate(&store, &moved.join("src")).unwrap());
    let listing = Tracker::new(moved.join("src"), store).list().unwrap();
    assert_eq!(summary(&listing), ["b.txt modified +1 -1"]);
}

#[test]
fn a_record_of_a_folder_that_left_its_repository_cant_follow() {
    let desk = Desk::with_commit(&[("src/b.txt", b"two\n")]);
    let store = desk.root().join("data/changes/session");
    desk.tracker_of(&desk.path("src")).begin().unwrap();
    let moved = desk.root().join("elsewhere");
    fs::rename(desk.path("src"), &moved).unwrap();
    assert!(!relocate(&store, &moved).unwrap());
}
