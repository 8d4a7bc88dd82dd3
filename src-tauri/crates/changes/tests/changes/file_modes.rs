//! Case 78: what a session's folder held can be read by its owner only, whatever the umask is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::Desk;

const ALONE: &str = "ASKDESK_TEST_ALONE";

/// Lists everything in a folder that others may use.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let about = fs::symlink_metadata(&path).unwrap();
        let mode = about.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            found.push(format!("{} {mode:o}", path.display()));
        }
        if about.is_dir() {
            found.extend(open_to_others(&path));
        }
    }
    found
}

#[test]
fn case_78_nobody_else_can_read_what_is_recorded_of_a_folder_under_any_umask() {
    let test = "file_modes::case_78_nobody_else_can_read_what_is_recorded_of_a_folder_under_any_umask";
    if std::env::var_os(ALONE).is_none() {
        for umask in ["000", "022", "077"] {
            // A umask is of the whole process.
            let run = format!("umask {umask}; exec \"$0\" --exact {test}");
            let own = std::env::current_exe().unwrap();
            let output =
                Command::new("/bin/sh").args(["-c", &run]).arg(own).env(ALONE, "1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "with umask {umask}: {said}");
        }
        return;
    }
    let desk = Desk::with_commit(&[("a.txt", b"one\n"), ("deep/b.txt", b"two\n")]);
    let tracker = desk.begun();
    desk.write("a.txt", "changed\n");
    desk.write("new.txt", "new\n");
    let listed = tracker.list().unwrap();
    assert_eq!(listed.files.len(), 2);
    let store = desk.root().join("data/changes/session");
    assert!(store.join("git").is_dir());
    assert_eq!(open_to_others(&store), Vec::<String>::new());
}
