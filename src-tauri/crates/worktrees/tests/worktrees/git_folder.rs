//! Folders with a git repository, as a user has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a repository whose branch is `main`, with a user, so that no test needs the config of whoever runs it.
pub fn init(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    set_up(folder);
}

/// Gives a repository a user.
pub fn set_up(folder: &Path) {
    git(folder, &["config", "user.name", "Ada"]);
    git(folder, &["config", "user.email", "ada@example.org"]);
    git(folder, &["config", "commit.gpgsign", "false"]);
}

/// Writes a file, and the folders above it.
pub fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Commits everything in a folder.
pub fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
}

/// Runs git as a user would, apart from their config.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every file below a folder with its content, also those of git.
pub fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                files.push((path.clone(), fs::read(&path).unwrap_or_default()));
            }
        }
    }
    files.sort();
    files
}
