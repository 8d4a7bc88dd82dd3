//! Folders that hold more than a session copies.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::git_folder::git;
use askdesk_changes::Tracker;
use askdesk_contract::{Content, RevertRefused, Unrecorded, WhyUnrecorded};

use super::support::{Desk, check, read};

const MIB: u64 = 1024 * 1024;
/// What a session copies at most when it begins, in bytes.
const BUDGET: u64 = 512 * MIB;

/// Makes a file that takes no room on the disk, unlike any other.
fn sparse(desk: &Desk, path: &str, bytes: u64) {
    desk.write(path, path);
    File::options().write(true).open(desk.path(path)).unwrap().set_len(bytes).unwrap();
}

fn bytes_below(folder: &Path) -> u64 {
    let size = |entry: fs::DirEntry| match entry.metadata().unwrap() {
        metadata if metadata.is_dir() => bytes_below(&entry.path()),
        metadata => metadata.len(),
    };
    fs::read_dir(folder).unwrap().map(|entry| size(entry.unwrap())).sum()
}

fn unrecorded(tracker: &Tracker) -> Vec<(WhyUnrecorded, u32)> {
    tracker.list().unwrap().unrecorded.iter().map(|one| (one.why, one.files)).collect()
}

#[test]
fn case_117_five_gigabytes_of_untracked_files_are_recorded_within_the_budget_and_the_rest_is_named() {
    for desk in [Desk::with_commit(&[("src/main.rs", b"fn main() {}\n")]), Desk::new()] {
        for number in 0..330 {
            sparse(&desk, &format!("data/{number:03}.bin"), 15 * MIB);
        }
        desk.write("notes.md", "one\n");
        let began = Instant::now();
        let tracker = desk.begun();
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
        assert!(bytes_below(&desk.root().join("data")) < BUDGET);
        let listing = tracker.list().unwrap();
        let [Unrecorded { why: WhyUnrecorded::OverBudget, files, paths }] = &listing.unrecorded[..] else {
            panic!("{:?}", listing.unrecorded)
        };
        // The smallest come first, so every note is recorded.
        assert_eq!((*files, paths.len(), &*paths[0]), (330 - 34, 50, "data/034.bin"));
        desk.write("notes.md", "one\ntwo\n");
        File::options().append(true).open(desk.path("data/300.bin")).unwrap().write_all(b"more").unwrap();
        desk.remove("data/301.bin");
        desk.write("data/000.bin", "small");
        check(
            &tracker,
            &[
                "data/000.bin modified Binary",
                "data/300.bin modified OverBudget",
                "data/301.bin deleted OverBudget",
                "notes.md modified +1 -0",
            ],
        );
        let change = read(&tracker, "data/300.bin");
        assert_eq!((change.file.content, change.parts.len()), (Content::OverBudget, 0));
        let reverted = tracker.revert(&change.file.id, &change.file.version, None);
        assert_eq!(reverted, Err(RevertRefused::NotRecorded));
    }
}

#[test]
fn what_is_written_later_is_recorded_within_the_budget_too() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    for number in 0..90 {
        sparse(&desk, &format!("{number:02}.bin"), 15 * MIB);
    }
    let listing = tracker.list().unwrap();
    assert_eq!(listing.totals.files, 90);
    assert_eq!(listing.unrecorded.iter().map(|one| one.files).collect::<Vec<_>>(), [90 - 68]);
    assert!(bytes_below(&desk.root().join("data")) < 2 * BUDGET);
}

#[test]
fn a_repository_inside_with_too_many_files_is_named_and_the_others_are_looked_into() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    for inner in ["huge", "small"] {
        fs::create_dir(desk.path(inner)).unwrap();
        git(&desk.path(inner), &["init", "-q"]);
        desk.write(&format!("{inner}/x.txt"), "x\n");
    }
    for number in 0..50_000 {
        fs::write(desk.path(&format!("huge/{number}")), "").unwrap();
    }
    let tracker = desk.begun();
    let listing = tracker.list().unwrap();
    assert_eq!(listing.unrecorded[0].paths, ["huge", "small/x.txt"]);
    desk.write("small/x.txt", "changed\n");
    desk.write("huge/another.txt", "y\n");
    check(&tracker, &["huge modified InRepository", "small/x.txt modified InRepository"]);
}

#[test]
fn what_the_repository_has_already_costs_nothing() {
    let desk = Desk::with_repository();
    for number in 0..40 {
        sparse(&desk, &format!("{number:02}.bin"), 15 * MIB);
    }
    desk.commit("large files");
    sparse(&desk, "new.bin", 15 * MIB);
    let tracker = desk.begun();
    assert_eq!(unrecorded(&tracker), []);
    assert!(bytes_below(&desk.root().join("data")) < MIB);
    desk.write("39.bin", "small");
    check(&tracker, &["39.bin modified Binary"]);
}

#[cfg(unix)]
#[test]
fn case_117_files_of_git_lfs_are_recorded_as_pointers_and_no_filter_runs() {
    use std::os::unix::fs::PermissionsExt as _;
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n",
        "a".repeat(64),
        3 * MIB
    );
    let desk = Desk::with_commit(&[
        (".gitattributes", b"*.psd filter=lfs diff=lfs merge=lfs -text\n"),
        ("art/fetched.psd", pointer.as_bytes()),
        ("art/pointer.psd", pointer.as_bytes()),
    ]);
    let ran = desk.root().join("ran");
    let trap = desk.root().join("trap.sh");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    for filter in ["clean", "smudge", "process"] {
        desk.git(&["config", &format!("filter.lfs.{filter}"), trap.to_str().unwrap()]);
    }
    desk.write("art/fetched.psd", noise(3 * MIB));
    let tracker = desk.begun();
    assert_eq!(unrecorded(&tracker), [(WhyUnrecorded::Lfs, 1)]);
    assert!(bytes_below(&desk.root().join("data")) < MIB);
    check(&tracker, &[]);
    desk.write("art/fetched.psd", noise(3 * MIB + 1));
    desk.write("art/pointer.psd", pointer.replace("aaaa", "bbbb"));
    // An agent can't hide what it writes by more attributes.
    desk.write(".gitattributes", "* filter=lfs\n");
    desk.write("new.txt", "new\n".repeat(1_000));
    check(
        &tracker,
        &[
            ".gitattributes modified +1 -1",
            "art/fetched.psd modified Lfs",
            "art/pointer.psd modified +1 -1",
            "new.txt added +1000 -0",
        ],
    );
    assert!(!ran.exists());
}

/// Bytes that can't be compressed.
fn noise(bytes: u64) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..bytes).map(next).collect()
}
