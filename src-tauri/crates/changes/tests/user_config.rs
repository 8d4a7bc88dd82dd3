//! What the user's own git config says: what is ignored, and whose repositories are used.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use askdesk_changes::Tracker;
use askdesk_contract::ChangedFiles;
use askdesk_user_environment::{Variables, current, settle};
use tempfile::TempDir;

const OTHER: u32 = 65_534;

/// The home of all tests in this file.
fn home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let home = TempDir::new().unwrap().keep();
        fs::write(home.join("ignored"), ".idea/\n*.user\n").unwrap();
        fs::write(home.join(".gitconfig"), "[core]\nexcludesFile = ~/ignored\n").unwrap();
        let mut variables = Variables::of_process();
        variables.set("HOME", &home);
        variables.remove("XDG_CONFIG_HOME".as_ref());
        settle(variables, current().origin);
        home
    })
}

fn git(folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let mut git = Command::new("git");
    git.args(who).args(arguments).current_dir(folder).env("HOME", home());
    assert!(git.status().unwrap().success(), "git {arguments:?}");
}

/// Tracks a file that the user ignores.
fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q"]);
    fs::write(folder.path().join("a.txt"), "a\n").unwrap();
    fs::write(folder.path().join("tracked.user"), "t\n").unwrap();
    git(folder.path(), &["add", "-f", "-A"]);
    git(folder.path(), &["commit", "-q", "-m", "first"]);
    folder
}

fn begun(folder: &Path) -> (TempDir, Tracker) {
    let store = TempDir::new().unwrap();
    let tracker = Tracker::new(folder.to_owned(), store.path().join("changes/session"));
    fs::create_dir_all(store.path().join("changes/session")).unwrap();
    tracker.begin().unwrap();
    (store, tracker)
}

fn paths(listing: &ChangedFiles) -> Vec<&str> {
    listing.files.iter().map(|file| &*file.path).collect()
}

#[test]
fn case_117_what_the_users_global_list_ignores_is_not_listed() {
    home();
    let folder = repository();
    let (_store, tracker) = begun(folder.path());
    let write = |path: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "new\n").unwrap();
    };
    ["a.txt", ".idea/w.xml", "src/b.user", "src/c.txt", "tracked.user"].into_iter().for_each(write);
    assert_eq!(paths(&tracker.list().unwrap()), ["a.txt", "src/c.txt", "tracked.user"]);
    // A folder's own rules come before the user's, as in git.
    fs::write(folder.path().join(".gitignore"), "!b.user\n").unwrap();
    assert_eq!(
        paths(&tracker.list().unwrap()),
        [".gitignore", "a.txt", "src/b.user", "src/c.txt", "tracked.user"]
    );
}

#[test]
fn case_117_a_repository_of_another_user_is_used_if_the_user_trusts_it() {
    let folder = repository();
    let top = dunce::canonicalize(folder.path()).unwrap();
    let status = Command::new("chown").args(["-R", &OTHER.to_string()]).arg(&top).status().unwrap();
    assert!(status.success(), "only root can give a folder to somebody else");
    fs::write(top.join(".git/info/exclude"), "cache\n").unwrap();
    let (store, tracker) = begun(&top);
    let listing = tracker.list().unwrap();
    assert_eq!(listing.repository_of_other.as_deref(), top.to_str());
    assert!(!store.path().join("changes/session/git/objects/info/alternates").exists());
    fs::write(top.join("a.txt"), "b\n").unwrap();
    assert_eq!(paths(&tracker.list().unwrap()), ["a.txt"]);

    git(Path::new("/"), &["config", "--global", "--add", "safe.directory", top.to_str().unwrap()]);
    let (store, tracker) = begun(&top);
    fs::write(top.join("a.txt"), "c\n").unwrap();
    fs::write(top.join("cache"), "x").unwrap();
    let listing = tracker.list().unwrap();
    assert_eq!((listing.repository_of_other.as_deref(), paths(&listing)), (None, vec!["a.txt"]));
    assert!(store.path().join("changes/session/git/objects/info/alternates").exists());
}
