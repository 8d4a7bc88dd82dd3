//! A worktree is made as planned, or nothing of it stays.

use std::fs;

use askdesk_contract::{PlanFlaw, WorktreeRefused, WorktreeUnavailable};
use askdesk_worktrees::{NewWorktree, find_created};

use crate::support::{Code, git, make, set_up, text, work_files, write};

#[test]
fn a_worktree_has_the_files_of_its_base_and_a_branch_of_its_own() {
    let code = Code::new();
    code.write("a.txt", "mine\n");
    let code = code.with_worktree();
    assert_eq!(text(code.tree().join("a.txt")), "one\ntwo\nthree\n");
    assert_eq!(git(&code.tree(), &["branch", "--show-current"]).trim(), "askdesk/x");
    assert_eq!(text(code.folder().join("a.txt")), "mine\n");
}

#[test]
fn a_session_in_a_subfolder_works_in_the_same_one_of_the_worktree() {
    let code = Code::new();
    let (created, _) = make(&code.folder().join("src"), &code.new_worktree()).unwrap();
    assert_eq!(created.folder, code.tree().join("src"));
    write(&code.folder(), "fresh/file", "");
    let new = NewWorktree { branch: "y".to_owned(), path: code.root().join("y"), ..code.new_worktree() };
    let (created, _) = make(&code.folder().join("fresh"), &new).unwrap();
    assert_eq!(created.folder, code.root().join("y"), "its base has no such folder");
}

#[test]
fn hostile_names_are_names() {
    let code = Code::new();
    let path = code.root().join("it's \"quoted\" $(touch pwned) `x` -rf");
    let new = NewWorktree { base: "main".to_owned(), branch: "a\"b$(touch-pwned)'c;d".to_owned(), path };
    make(&code.folder(), &new).unwrap();
    assert_eq!(text(new.path.join("a.txt")), "one\ntwo\nthree\n");
    assert!(code.has_branch(&new.branch));
    assert!(!code.root().join("pwned").exists() && !code.folder().join("pwned").exists());
    for (branch, path) in [("-d", "x"), ("x", "two\nlines"), ("--detach", "x")] {
        let new =
            NewWorktree { base: "main".to_owned(), branch: branch.to_owned(), path: code.root().join(path) };
        assert!(matches!(make(&code.folder(), &new), Err(WorktreeRefused::Flawed { .. })), "{branch}");
    }
    let dashed = NewWorktree { branch: "ok".to_owned(), path: code.root().join("-x"), ..code.new_worktree() };
    make(&code.folder(), &dashed).unwrap();
    assert!(code.root().join("-x/a.txt").exists());
}

#[test]
fn nothing_is_made_over_something() {
    let code = Code::new().with_worktree();
    let before = (work_files(&code.root()), code.branches());
    let refused = |new: &NewWorktree| match make(&code.folder(), new) {
        Err(WorktreeRefused::Flawed { flaw }) => flaw,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&code.new_worktree()), PlanFlaw::BranchTaken { with: "askdesk/x".to_owned() });
    let taken = NewWorktree { branch: "y".to_owned(), ..code.new_worktree() };
    assert_eq!(refused(&taken), PlanFlaw::PathTaken);
    assert_eq!((work_files(&code.root()), code.branches()), before);
    // Git still knows a worktree whose folder is gone.
    fs::remove_dir_all(code.tree()).unwrap();
    assert_eq!(refused(&taken), PlanFlaw::PathTaken);
}

#[cfg(unix)]
#[test]
fn a_checkout_that_fails_leaves_nothing_behind() {
    let code = Code::new();
    code.write(".gitattributes", "*.big filter=big\n");
    code.write("x.big", "x\n");
    code.commit("with a filter");
    code.git(&["config", "filter.big.smudge", "exit 3"]);
    code.git(&["config", "filter.big.required", "true"]);
    let refused = make(&code.folder(), &code.new_worktree());
    assert!(matches!(refused, Err(WorktreeRefused::Failed { .. })), "{refused:?}");
    assert!(!code.tree().exists() && !code.has_branch("askdesk/x"));
}

#[cfg(unix)]
#[test]
fn case_117_a_failing_hook_keeps_the_worktree() {
    let code = Code::new();
    crate::support::hook(
        &code.folder(),
        "post-checkout",
        "touch made-by-the-hook; echo 'installing…'; echo 'node: not found' >&2; exit 127",
    );
    let (_, failed_hook) = make(&code.folder(), &code.new_worktree()).unwrap();
    assert_eq!(failed_hook.as_deref(), Some("installing…\nnode: not found"));
    assert!(code.has_branch("askdesk/x"));
    assert_eq!(text(code.tree().join("a.txt")), "one\ntwo\nthree\n");
    assert!(code.tree().join("made-by-the-hook").exists());
    let new = NewWorktree {
        branch: "askdesk/silent".to_owned(),
        path: code.root().join("silent"),
        ..code.new_worktree()
    };
    crate::support::hook(&code.folder(), "post-checkout", "exit 3");
    let (_, failed_hook) = make(&code.folder(), &new).unwrap();
    assert_eq!(failed_hook.as_deref(), Some("exit status: 3"));
    crate::support::hook(&code.folder(), "post-checkout", "echo fine");
    let other =
        NewWorktree { branch: "askdesk/y".to_owned(), path: code.root().join("y"), ..code.new_worktree() };
    assert_eq!(make(&code.folder(), &other).unwrap().1, None);
}

#[test]
fn an_empty_repository_and_a_folder_without_one_are_refused() {
    let refused = |code: &Code| make(&code.folder(), &code.new_worktree());
    let why = |why| Err(WorktreeRefused::Unavailable { why });
    assert_eq!(refused(&Code::empty()), why(WorktreeUnavailable::NoRepository));
    let code = Code::without_commit();
    assert!(refused(&code).is_err());
    assert!(!code.tree().exists());
}

#[test]
fn worktrees_of_a_bare_repository_and_of_a_submodule_are_made() {
    let code = Code::new();
    git(&code.root(), &["clone", "-q", "--bare", "api", "bare.git"]);
    let bare = code.root().join("bare.git");
    assert_eq!(make(&bare, &code.new_worktree()).unwrap().0.folder, code.tree());
    git(&code.root(), &["init", "-q", "-b", "main", "outer"]);
    let outer = code.root().join("outer");
    set_up(&outer);
    git(&outer, &["submodule", "--quiet", "add", "../api", "lib"]);
    git(&outer, &["commit", "-q", "-m", "with a submodule"]);
    let new = NewWorktree { path: code.root().join("inner"), ..code.new_worktree() };
    make(&outer.join("lib"), &new).unwrap();
    assert_eq!(text(new.path.join("a.txt")), "one\ntwo\nthree\n");
    assert_eq!(git(&outer, &["status", "--porcelain"]), "");
}

#[test]
fn a_worktree_that_was_made_is_found_again_and_no_other_is() {
    let code = Code::new().with_worktree();
    let new = code.new_worktree();
    assert_eq!(find_created(&code.folder().join("src"), &new).unwrap().folder, code.tree().join("src"));
    let other = NewWorktree { branch: "main".to_owned(), ..new.clone() };
    assert_eq!(find_created(&code.folder(), &other), Err(WorktreeRefused::Changed));
    let main = NewWorktree { path: code.folder(), branch: "main".to_owned(), ..new };
    assert_eq!(find_created(&code.folder(), &main), Err(WorktreeRefused::Changed));
}
