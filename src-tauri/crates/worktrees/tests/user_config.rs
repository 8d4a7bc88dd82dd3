//! Whose repositories the user trusts, by their own git config.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

use askdesk_user_environment::{Variables, current, settle};
use askdesk_worktrees::{NewWorktree, PlanWanted, WorktreeUnavailable, check, create, plan};
use tempfile::TempDir;

const OTHER: &str = "65534";

#[test]
fn case_117_a_repository_of_another_user_has_worktrees_if_the_user_trusts_it() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join(".gitconfig"), "[user]\nname = Ada\nemail = ada@example.org\n").unwrap();
    let mut variables = Variables::of_process();
    variables.set("HOME", home.path());
    variables.remove("XDG_CONFIG_HOME".as_ref());
    settle(variables, current().origin);
    let git = |folder: &Path, arguments: &[&str]| {
        let run = Command::new("git").args(arguments).current_dir(folder).env("HOME", home.path()).status();
        assert!(run.unwrap().success(), "git {arguments:?}");
    };
    let root = TempDir::new().unwrap();
    let top = root.path().canonicalize().unwrap().join("shop");
    fs::create_dir(&top).unwrap();
    git(&top, &["init", "-q", "-b", "main"]);
    git(&top, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let given = Command::new("chown").args(["-R", OTHER]).arg(&top).status().unwrap();
    assert!(given.success(), "only root can give a folder to somebody else");

    let path = top.to_str().unwrap().to_owned();
    let wanted = PlanWanted { message: "Fix it".to_owned(), ..PlanWanted::default() };
    assert_eq!(plan(&top, &wanted), Err(WorktreeUnavailable::OfOtherUser { path: path.clone() }));
    // Trust that the repository asks for itself doesn't count.
    let own = fs::read_to_string(top.join(".git/config")).unwrap();
    fs::write(top.join(".git/config"), format!("{own}[safe]\ndirectory = *\n")).unwrap();
    assert_eq!(plan(&top, &wanted), Err(WorktreeUnavailable::OfOtherUser { path: path.clone() }));

    git(root.path(), &["config", "--global", "--add", "safe.directory", &path]);
    let planned = plan(&top, &wanted).unwrap();
    let new = NewWorktree { base: planned.base, branch: planned.branch, path: planned.path.into() };
    let place = check(&top, &new).unwrap();
    create(&top, &new).unwrap();
    assert_eq!((&place.repository, place.folder.is_dir()), (&path, true));
}
