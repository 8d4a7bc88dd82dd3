//! A repository in which the agent has written what it can: nothing of it may start a program.

use std::fs;

use super::support::{Desk, check, read};

#[cfg(unix)]
#[test]
fn programs_that_the_repository_names_never_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::with_commit(&[("a.txt", b"a\n"), ("b.bin", b"b\n")]);
    let ran = desk.root().join("ran");
    let trap = desk.root().join("trap.sh");
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", ran.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let trapped = trap.display();
    let config = format!(
        "[core]\nfsmonitor = {trapped}\nsshCommand = {trapped}\npager = {trapped}\neditor = {trapped}\nhooksPath = {}\n\
         [diff]\nexternal = {trapped}\n[diff \"trap\"]\ntextconv = {trapped}\ncommand = {trapped}\n\
         [filter \"trap\"]\nclean = {trapped}\nsmudge = {trapped}\nprocess = {trapped}\nrequired = true\n\
         [alias]\nls-files = !{trapped}\ndiff-tree = !{trapped}\n[gpg]\nprogram = {trapped}\n",
        desk.root().display()
    );
    let own = fs::read_to_string(desk.path(".git/config")).unwrap();
    fs::write(desk.path(".git/config"), own + &config).unwrap();
    for hook in ["post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"] {
        for folder in [desk.path(".git/hooks"), desk.root().to_owned()] {
            fs::create_dir_all(&folder).unwrap();
            fs::copy(&trap, folder.join(hook)).unwrap();
        }
    }
    fs::write(desk.path(".gitattributes"), "* filter=trap diff=trap text=auto\n").unwrap();

    let tracker = desk.begun();
    desk.write("a.txt", "b\n");
    desk.write("c.txt", "c\n");
    check(&tracker, &["a.txt modified +1 -1", "c.txt added +1 -0"]);
    assert_eq!(read(&tracker, "a.txt").parts.len(), 1);
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
}

#[test]
fn a_config_that_moves_the_files_elsewhere_or_is_damaged_is_not_followed() {
    let desk = Desk::with_commit(&[("a.txt", b"a\n")]);
    fs::write(desk.root().join("outside.txt"), "o\n").unwrap();
    desk.git(&["config", "core.worktree", &desk.root().display().to_string()]);
    let tracker = desk.begun();
    desk.write("a.txt", "b\n");
    fs::write(desk.root().join("outside.txt"), "changed\n").unwrap();
    fs::write(desk.path(".git/config"), "[core\n\0").unwrap();
    fs::write(desk.path(".git/index"), "damaged").unwrap();
    check(&tracker, &["a.txt modified +1 -1"]);
}
