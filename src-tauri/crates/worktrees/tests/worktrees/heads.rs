//! What is checked out in a folder.

use std::fs;

use askdesk_contract::Head;
use askdesk_worktrees::head;
#[cfg(unix)]
use rstest::rstest;

use crate::support::{Code, git};

fn branch(name: &str) -> Option<Head> {
    Some(Head::Branch { name: name.to_owned() })
}

#[test]
fn the_branch_of_a_folder_is_that_of_its_worktree() {
    let code = Code::new().with_worktree();
    assert_eq!(head(&code.folder()), branch("main"));
    assert_eq!(head(&code.folder().join("src")), branch("main"));
    assert_eq!(head(&code.tree()), branch("askdesk/x"));
    assert_eq!(head(&code.tree().join("src")), branch("askdesk/x"));
}

#[test]
fn a_detached_head_is_shown_by_its_commit() {
    let code = Code::new();
    code.git(&["checkout", "-q", "--detach"]);
    let commit = code.git(&["rev-parse", "HEAD"])[..8].to_owned();
    assert_eq!(head(&code.folder()), Some(Head::Detached { commit }));
}

#[test]
fn a_branch_without_a_commit_and_a_bare_repository_have_a_head_too() {
    assert_eq!(head(&Code::without_commit().folder()), branch("main"));
    let code = Code::new();
    git(&code.root(), &["clone", "-q", "--bare", "api", "api.git"]);
    assert_eq!(head(&code.root().join("api.git")), branch("main"));
}

#[test]
fn a_folder_without_a_repository_and_one_that_is_gone_have_none() {
    let code = Code::empty();
    assert_eq!(head(&code.folder()), None);
    assert_eq!(head(&code.folder().join("gone")), None);
    assert_eq!(head(&Code::new().folder().join("gone")), None);
    fs::write(code.folder().join(".git"), "gitdir: nowhere\n").unwrap();
    assert_eq!(head(&code.folder()), None);
    fs::write(code.folder().join(".git"), "x".repeat(100_000)).unwrap();
    assert_eq!(head(&code.folder()), None);
}

#[test]
fn a_repository_with_another_format_of_references_has_a_head() {
    let code = Code::empty();
    let made = std::process::Command::new("git")
        .args(["init", "-q", "-b", "trunk", "--ref-format=reftable"])
        .current_dir(code.folder())
        .status();
    // Git knows this format since 2.45.
    if made.unwrap().success() {
        assert_eq!(head(&code.folder()), branch("trunk"));
    }
}

/// Reads the head of a folder in which a file is a pipe that nobody writes into, or a device that never ends.
#[cfg(unix)]
#[rstest]
fn a_pipe_or_a_device_is_never_read(
    #[values(".git", ".git/HEAD")] file: &str,
    #[values(true, false)] pipe: bool,
) {
    let code = Code::empty();
    let path = code.folder().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if pipe {
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    } else {
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    }
    let (end, done) = std::sync::mpsc::channel();
    let folder = code.folder();
    std::thread::spawn(move || end.send(head(&folder)));
    assert_eq!(done.recv_timeout(std::time::Duration::from_secs(10)), Ok(None));
}
