//! Folders without a repository, with repositories inside, and with files of every kind.

use std::fs;

use askdesk_contract::{Content, Unavailable};

use crate::git_folder::git;

use super::support::{Desk, check, read};

#[test]
fn a_folder_without_a_repository_is_recorded_as_well() {
    let desk = Desk::new();
    desk.write("notes.md", "one\n");
    desk.write(".gitignore", "cache/\n");
    let tracker = desk.begun();
    desk.write("notes.md", "one\ntwo\n");
    desk.write("cache/x", "x");
    desk.write("more.md", "m\n");
    check(&tracker, &["more.md added +1 -0", "notes.md modified +1 -0"]);
    assert!(!desk.path(".git").exists());
}

#[test]
fn an_empty_folder_and_a_repository_without_commits_begin_empty() {
    for desk in [Desk::new(), Desk::with_repository()] {
        let tracker = desk.begun();
        check(&tracker, &[]);
        desk.write("first.txt", "1\n");
        check(&tracker, &["first.txt added +1 -0"]);
    }
}

#[test]
fn a_bare_repository_has_no_files_of_its_own() {
    let desk = Desk::new();
    desk.git(&["init", "-q", "--bare"]);
    let tracker = desk.begun();
    desk.write("beside.txt", "b\n");
    check(&tracker, &["beside.txt added +1 -0"]);
}

#[test]
fn a_repository_that_is_created_or_deleted_meanwhile_changes_nothing_without_its_objects() {
    let desk = Desk::new();
    desk.write("a.txt", "a\n");
    let tracker = desk.begun();
    desk.git(&["init", "-q"]);
    desk.write("a.txt", "b\n");
    desk.commit("by the agent");
    check(&tracker, &["a.txt modified +1 -1"]);
    fs::remove_dir_all(desk.path(".git")).unwrap();
    check(&tracker, &["a.txt modified +1 -1"]);
}

#[test]
fn if_the_repository_is_deleted_with_the_earlier_contents_the_reason_is_given() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    let tracker = desk.begun();
    fs::remove_dir_all(desk.path(".git")).unwrap();
    desk.write("a.txt", "b\n");
    assert_eq!(tracker.list(), Err(Unavailable::BaselineLost));
}

#[test]
fn a_linked_worktree_is_a_repository_of_its_own() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    desk.git(&["worktree", "add", "-q", "../beside", "-b", "side"]);
    let beside = desk.root().join("beside");
    let tracker = desk.tracker_of(&beside);
    tracker.begin().unwrap();
    fs::write(beside.join("a.txt"), "b\n").unwrap();
    desk.write("a.txt", "elsewhere\n");
    check(&tracker, &["a.txt modified +1 -1"]);
}

#[test]
fn a_repository_with_longer_object_ids_works_the_same() {
    let desk = Desk::new();
    desk.git(&["init", "-q", "--object-format=sha256"]);
    desk.write("a.txt", "a\n");
    desk.commit("first");
    let tracker = desk.begun();
    desk.write("a.txt", "b\n");
    check(&tracker, &["a.txt modified +1 -1"]);
    assert_eq!(read(&tracker, "a.txt").parts.len(), 1);
}

#[test]
fn case_117_a_submodule_is_shown_by_its_commit_and_its_changed_files() {
    let desk = Desk::new();
    fs::create_dir(desk.root().join("library")).unwrap();
    let library = desk.root().join("library");
    git(&library, &["init", "-q"]);
    for file in ["old.txt", "same.txt", "gone.txt"] {
        fs::write(library.join(file), "one\n").unwrap();
    }
    fs::write(library.join(".gitignore"), "cache\n").unwrap();
    git(&library, &["add", "-A"]);
    git(&library, &["commit", "-q", "-m", "first"]);
    desk.git(&["init", "-q"]);
    desk.git(&["submodule", "--quiet", "add", "../library", "vendor"]);
    desk.commit("first");
    let tracker = desk.begun();
    check(&tracker, &[]);
    git(&desk.path("vendor"), &["commit", "-q", "--allow-empty", "-m", "second"]);
    fs::write(desk.path("vendor/inside.txt"), "not ours").unwrap();
    fs::write(desk.path("vendor/old.txt"), "another\n").unwrap();
    fs::remove_file(desk.path("vendor/gone.txt")).unwrap();
    fs::write(desk.path("vendor/cache"), "ignored").unwrap();
    let inside = [
        "vendor/gone.txt deleted InRepository",
        "vendor/inside.txt added InRepository",
        "vendor/old.txt modified InRepository",
    ];
    check(&tracker, &[&["vendor modified Repository"], &inside[..]].concat());
    assert_eq!(read(&tracker, "vendor/old.txt").file.content, Content::InRepository);
    let change = read(&tracker, "vendor");
    assert_eq!(change.file.content, Content::Repository);
    assert_ne!(change.before.unwrap().commit, change.now.unwrap().commit);
}

#[test]
fn a_repository_inside_without_commits_is_listed_by_its_files_or_once_it_appears() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    for inner in ["first", "first/deeper"] {
        fs::create_dir(desk.path(inner)).unwrap();
        git(&desk.path(inner), &["init", "-q"]);
    }
    let tracker = desk.begun();
    check(&tracker, &[]);
    desk.write("first/deeper/x.txt", "x\n");
    fs::create_dir(desk.path("second")).unwrap();
    git(&desk.path("second"), &["init", "-q"]);
    check(&tracker, &["first/deeper/x.txt added InRepository", "second added InRepository"]);
}

#[cfg(unix)]
#[test]
fn links_are_shown_by_where_they_lead_and_never_followed() {
    use std::os::unix::fs::symlink;
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    fs::write(desk.root().join("outside.txt"), "secret\n").unwrap();
    symlink("a.txt", desk.path("link")).unwrap();
    let tracker = desk.begun();
    desk.remove("link");
    symlink("../outside.txt", desk.path("link")).unwrap();
    symlink("/nowhere", desk.path("broken")).unwrap();
    symlink(desk.root(), desk.path("folder")).unwrap();
    check(&tracker, &["broken added Link +1 -0", "folder added Link +1 -0", "link modified Link +1 -1"]);
    let shown = format!("{:?}", read(&tracker, "link").parts);
    assert!(shown.contains("../outside.txt") && !shown.contains("secret"), "{shown}");
}

#[cfg(unix)]
#[test]
fn files_become_folders_links_and_pipes() {
    use std::os::unix::fs::symlink;
    let desk =
        Desk::with_commit(&[("one", b"1\n"), ("two", b"2\n"), ("three", b"3\n"), ("dir/four", b"4\n")]);
    let tracker = desk.begun();
    desk.remove("one");
    desk.write("one/inside", "i\n");
    desk.remove("two");
    symlink("three", desk.path("two")).unwrap();
    desk.remove("three");
    std::process::Command::new("mkfifo").arg(desk.path("three")).status().unwrap();
    fs::remove_dir_all(desk.path("dir")).unwrap();
    desk.write("dir", "a file now\n");
    check(
        &tracker,
        &[
            "dir added +1 -0",
            "dir/four deleted +0 -1",
            "one deleted +0 -1",
            "one/inside added +1 -0",
            "three deleted +0 -1",
            "two modified Link +1 -1",
        ],
    );
}

#[cfg(unix)]
#[test]
fn permissions_count_and_unreadable_files_are_counted() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::with_commit(&[("run.sh", b"#!/bin/sh\n")]);
    let tracker = desk.begun();
    fs::set_permissions(desk.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    desk.write("closed.txt", "c\n");
    fs::set_permissions(desk.path("closed.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    let listing = tracker.list().unwrap();
    // Root can read everything.
    let unreadable = u32::from(fs::read(desk.path("closed.txt")).is_err());
    assert_eq!(listing.unreadable, unreadable);
    assert_eq!(super::support::summary(&listing).last().unwrap(), "run.sh permissions +0 -0");
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_are_listed_and_read() {
    use std::os::unix::ffi::OsStrExt as _;
    let desk = Desk::with_commit(&[]);
    let tracker = desk.begun();
    let names: [&[u8]; 7] =
        [b"-rf", b"$(touch x)", b"*.txt", b"a\nb", b"quote\"d' name", b"per%20cent", b"latin-\xe9.txt"];
    for name in names {
        fs::write(desk.folder().join(std::ffi::OsStr::from_bytes(name)), "x\n").unwrap();
    }
    let listing = tracker.list().unwrap();
    assert_eq!(listing.files.len(), names.len());
    for file in &listing.files {
        let change = tracker.read(&file.id, &file.version).unwrap();
        assert_eq!(change.parts.len(), 1, "{}", file.path);
        assert!(names.contains(&askdesk_changes::path_of(&file.id).as_slice()));
    }
    assert!(!desk.path("x").exists());
}

#[test]
fn our_own_data_folder_is_no_change() {
    let desk = Desk::new();
    let store = desk.path("app data/changes/session");
    fs::create_dir_all(&store).unwrap();
    let tracker = askdesk_changes::Tracker::new(desk.folder(), store);
    tracker.begin().unwrap();
    fs::write(desk.path("app data/desk.db"), "x").unwrap();
    desk.write("a.txt", "a\n");
    check(&tracker, &["a.txt added +1 -0"]);
}
