//! Hooks of a real repository: which run, and how they end.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use askdesk_git::{Git, GitError, arguments, program};

fn repository() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let program = program().unwrap();
    let git = Git::of_user(&program, folder.path());
    git.run(&arguments(&["init", "-q", "-b", "main"], &[]), Vec::new(), Duration::from_secs(10)).unwrap();
    (folder, program)
}

fn hook(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(".git/hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn commit(git: &Git, limit: Duration) -> Result<Vec<u8>, GitError> {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let words = [&who[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat();
    git.run(&arguments(&words, &[]), Vec::new(), limit)
}

#[test]
fn a_hook_of_the_user_runs_only_in_a_git_of_the_user() {
    let (folder, program) = repository();
    hook(folder.path(), "pre-commit", "touch ran");
    commit(&Git::closed(&program, folder.path()), Duration::from_secs(10)).unwrap();
    assert!(!folder.path().join("ran").exists());
    commit(&Git::of_user(&program, folder.path()), Duration::from_secs(10)).unwrap();
    assert!(folder.path().join("ran").exists());
}

#[test]
fn a_hook_that_hangs_ends_with_the_time_limit_and_with_everything_it_started() {
    let (folder, program) = repository();
    let held = folder.path().join("held");
    assert!(Command::new("mkfifo").arg(&held).status().unwrap().success());
    // Read to its end once every process that holds it has ended.
    let read = std::thread::spawn({
        let held = held.clone();
        move || fs::read(held)
    });
    hook(folder.path(), "pre-commit", &format!("exec 9>'{}'; sleep 60 & sleep 60", held.display()));
    let began = Instant::now();
    let result = commit(&Git::of_user(&program, folder.path()), Duration::from_millis(500));
    assert!(matches!(result, Err(GitError::TimedOut { .. })), "{result:?}");
    read.join().unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_program_that_a_hook_leaves_behind_delays_nothing() {
    let (folder, program) = repository();
    hook(folder.path(), "post-commit", "sleep 20 &");
    let began = Instant::now();
    commit(&Git::of_user(&program, folder.path()), Duration::from_secs(30)).unwrap();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn nothing_is_ever_asked() {
    let (folder, program) = repository();
    hook(folder.path(), "pre-commit", r#"[ "$GIT_TERMINAL_PROMPT$GIT_EDITOR" = 0true ] && touch quiet"#);
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    // Without a message, git opens an editor.
    let words = [&who[..], &["commit", "-q", "--allow-empty", "--allow-empty-message"]].concat();
    let git = Git::of_user(&program, folder.path());
    git.run(&arguments(&words, &[]), Vec::new(), Duration::from_secs(10)).unwrap();
    assert!(folder.path().join("quiet").exists());
}

#[test]
fn a_hook_may_write_more_than_is_read() {
    let (folder, program) = repository();
    hook(folder.path(), "pre-commit", "seq 1 100000 >&2 && touch written");
    commit(&Git::of_user(&program, folder.path()), Duration::from_secs(30)).unwrap();
    assert!(folder.path().join("written").exists());
}

#[test]
fn git_removes_its_lock_files_after_the_time_limit() {
    let (folder, program) = repository();
    hook(folder.path(), "pre-commit", "test -e .git/index.lock && touch locked; sleep 60");
    fs::write(folder.path().join("a.txt"), "a\n").unwrap();
    let git = Git::of_user(&program, folder.path());
    git.run(&arguments(&["add", "a.txt"], &[]), Vec::new(), Duration::from_secs(10)).unwrap();
    let words = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-a", "-m", "x"];
    let result = git.run(&arguments(&words, &[]), Vec::new(), Duration::from_secs(2));
    assert!(matches!(result, Err(GitError::TimedOut { .. })), "{result:?}");
    assert!(folder.path().join("locked").exists() && !folder.path().join(".git/index.lock").exists());
}
