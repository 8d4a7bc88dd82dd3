//! Moments that the files can be put back to.

use askdesk_changes::{MARKS, PutBack};
use askdesk_contract::{ChangeKind, RevertRefused};

use super::support::Desk;

fn paths(since: &askdesk_contract::FilesSince) -> Vec<(&str, ChangeKind)> {
    since.files.iter().map(|file| (file.path.as_str(), file.kind)).collect()
}

#[test]
fn files_are_put_back_to_a_moment_and_what_changed_before_it_stays() {
    let desk = Desk::with_commit(&[("a.txt", b"one\n"), ("gone.txt", b"g\n"), ("same.txt", b"s\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "first turn\n");
    tracker.mark(10, || false).unwrap();
    desk.write("a.txt", "second turn\n");
    desk.write("new/deep.txt", "n\n");
    desk.remove("gone.txt");

    let since = tracker.since((5, 10)).unwrap().unwrap();
    let expected = [
        ("a.txt", ChangeKind::Modified),
        ("gone.txt", ChangeKind::Deleted),
        ("new/deep.txt", ChangeKind::Added),
    ];
    assert_eq!(paths(&since), expected);
    assert!(since.files.iter().all(|file| file.recorded));
    let done = tracker.put_back((5, 10), since.state).unwrap();
    assert_eq!(done, PutBack { files: 3, left: Vec::new() });
    assert_eq!((desk.text("a.txt"), desk.text("gone.txt")), ("first turn\n".to_owned(), "g\n".to_owned()));
    assert!(!desk.path("new/deep.txt").exists());
    assert_eq!(paths(&tracker.since((5, 10)).unwrap().unwrap()), []);
}

#[test]
fn only_a_moment_of_the_span_counts() {
    let desk = Desk::with_commit(&[("a.txt", b"one\n")]);
    let tracker = desk.begun();
    tracker.mark(10, || false).unwrap();
    tracker.mark(30, || true).unwrap();
    desk.write("a.txt", "two\n");
    for span in [(11, 30), (0, 9)] {
        assert_eq!(tracker.since(span).unwrap(), None);
        assert_eq!(tracker.put_back(span, 0), Err(RevertRefused::NotRecorded));
    }
    assert!(tracker.since((10, 29)).unwrap().is_some());
}

#[test]
fn files_that_changed_since_they_were_listed_are_not_put_back() {
    let desk = Desk::with_commit(&[("a.txt", b"one\n")]);
    let tracker = desk.begun();
    tracker.mark(10, || false).unwrap();
    desk.write("a.txt", "two\n");
    let since = tracker.since((0, 10)).unwrap().unwrap();
    desk.write("a.txt", "mine\n");
    assert_eq!(tracker.put_back((0, 10), since.state), Err(RevertRefused::ChangedSince));
    assert_eq!(desk.text("a.txt"), "mine\n");
}

#[test]
fn the_newest_moments_are_kept_with_their_contents_however_often_the_folder_is_listed() {
    let desk = Desk::new();
    desk.write("a.txt", "0\n");
    let tracker = desk.begun();
    let marks = i64::try_from(MARKS).unwrap();
    for time in 1..=marks + 2 {
        desk.write("a.txt", format!("{time}\n"));
        tracker.mark(time, || false).unwrap();
    }
    desk.write("a.txt", "now\n");
    for _ in 0..40 {
        tracker.list().unwrap();
    }
    assert_eq!(tracker.since((1, 2)).unwrap(), None);
    let since = tracker.since((3, 3)).unwrap().unwrap();
    tracker.put_back((3, 3), since.state).unwrap();
    assert_eq!(desk.text("a.txt"), "3\n");
}
