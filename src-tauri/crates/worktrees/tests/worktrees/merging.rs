//! Merging and rebasing: either it is done, or nothing has changed.

use askdesk_contract::{Blocked, WorktreeRefused};
use askdesk_worktrees::{Users, merge};

use rstest::rstest;

use crate::support::{Code, commit, git, text, work_files, write};

/// Runs an action, and checks that it is refused and that no branch and no file has changed.
#[track_caller]
fn check_refused(
    code: &Code,
    act: impl FnOnce(&Code) -> Result<(), WorktreeRefused>,
    expected: &WorktreeRefused,
) {
    let before = (work_files(&code.root()), code.branches());
    assert_eq!(act(code), Err(expected.clone()));
    assert_eq!((work_files(&code.root()), code.branches()), before);
    for folder in [code.folder(), code.tree()] {
        assert!(!git(&folder, &["status"]).contains("in progress"));
    }
}

fn conflict() -> WorktreeRefused {
    WorktreeRefused::Conflict { files: vec!["a.txt".to_owned()] }
}

/// Both branches have changed the same line.
fn in_conflict() -> Code {
    let code = Code::new().with_worktree();
    write(&code.tree(), "a.txt", "one\nTWO\nthree\n");
    commit(&code.tree(), "theirs");
    code.write("a.txt", "one\nzwei\nthree\n");
    code.commit("mine");
    code
}

#[test]
fn case_84_a_branch_is_merged_where_its_base_is_checked_out() {
    let code = Code::with_work();
    code.write("a.txt", "not committed\n");
    code.merge(None).unwrap();
    assert_eq!(code.titles("main"), ["work", "first"]);
    assert_eq!(text(code.folder().join("new.txt")), "new\n");
    assert_eq!(text(code.folder().join("a.txt")), "not committed\n");
    assert_eq!(code.state().merge, Some(Blocked::NothingToMerge));
}

#[test]
fn case_84_branches_that_went_apart_are_merged_with_a_commit() {
    let code = Code::with_work();
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    code.merge(None).unwrap();
    assert_eq!(code.titles("main")[0], "Merge branch 'askdesk/x' into main");
    assert_eq!(text(code.folder().join("new.txt")), "new\n");
    assert_eq!(text(code.folder().join("src/lib.rs")), "pub fn b() {}\n");
}

#[test]
fn case_84_a_base_that_is_checked_out_nowhere_is_merged_without_a_folder() {
    let code = Code::with_work();
    code.git(&["checkout", "-q", "-b", "elsewhere"]);
    code.merge(None).unwrap();
    assert_eq!(code.titles("main"), ["work", "first"]);
    assert!(!code.folder().join("new.txt").exists());

    // Both have gone on.
    write(&code.tree(), "more.txt", "more\n");
    commit(&code.tree(), "more work");
    code.git(&["checkout", "-q", "main"]);
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    code.git(&["checkout", "-q", "elsewhere"]);
    code.merge(None).unwrap();
    assert_eq!(code.titles("main")[0], "Merge branch 'askdesk/x' into main");
    assert_eq!(code.git(&["show", "main:more.txt"]), "more\n");
    assert_eq!(code.git(&["show", "main:src/lib.rs"]), "pub fn b() {}\n");
}

#[rstest]
#[case("--squash")]
#[case("--no-commit")]
#[case("--no-commit --no-ff")]
fn case_84_a_merge_is_made_whatever_the_options_of_the_base_say(#[case] options: &str) {
    let code = Code::with_work();
    code.git(&["config", "branch.main.mergeOptions", options]);
    code.merge(None).unwrap();
    assert!(code.titles("main").contains(&"work".to_owned()));
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    write(&code.tree(), "more.txt", "more\n");
    commit(&code.tree(), "more work");
    code.merge(None).unwrap();
    assert!(code.titles("main").contains(&"more work".to_owned()));
    assert_eq!(code.state().commits.count, 0);
    assert_eq!(code.git(&["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn a_merge_without_a_folder_is_signed_if_the_user_signs() {
    let code = Code::with_work();
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    code.git(&["checkout", "-q", "-b", "elsewhere"]);
    crate::support::hook(
        &code.folder(),
        "sign",
        "cat > /dev/null; printf '\\n[GNUPG:] SIG_CREATED \\n' >&2; echo signed by Ada",
    );
    let signer = code.folder().join(".git/hooks/sign").display().to_string();
    code.git(&["config", "gpg.program", &signer]);
    code.git(&["config", "commit.gpgSign", "true"]);
    code.merge(None).unwrap();
    assert!(code.git(&["cat-file", "-p", "main"]).contains("gpgsig signed by Ada"));
}

#[test]
fn case_84_a_conflict_changes_nothing_and_names_the_files() {
    let code = in_conflict();
    check_refused(&code, |code| code.merge(None), &conflict());
    check_refused(&code, |code| code.rebase(None), &conflict());
    code.git(&["checkout", "-q", "-b", "elsewhere"]);
    check_refused(&code, |code| code.merge(None), &conflict());
}

#[test]
fn case_84_changes_in_the_way_of_a_merge_stay_and_are_named() {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "one\ntwo\nthree\nfour\n");
    commit(&code.tree(), "more");
    let folder = code.folder().display().to_string();
    code.write("a.txt", "mine\n");
    let in_the_way = |files: &[&str]| WorktreeRefused::InTheWay {
        folder: folder.clone(),
        files: files.iter().map(ToString::to_string).collect(),
    };
    check_refused(&code, |code| code.merge(None), &in_the_way(&["a.txt"]));
    code.git(&["checkout", "-q", "a.txt"]);
    code.write("new.txt", "untracked, and mine\n");
    check_refused(&code, |code| code.merge(None), &in_the_way(&["new.txt"]));
    // Git itself would overwrite an ignored file.
    code.write(".git/info/exclude", "new.txt\n");
    check_refused(&code, |code| code.merge(None), &in_the_way(&["new.txt"]));
}

#[rstest]
#[case("--skip-worktree")]
#[case("--assume-unchanged")]
fn case_84_changes_that_git_does_not_look_at_are_in_the_way_too(#[case] mark: &str) {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "theirs\n");
    commit(&code.tree(), "theirs");
    code.git(&["update-index", mark, "a.txt"]);
    code.write("a.txt", "only here\n");
    let folder = code.folder().display().to_string();
    let in_the_way = WorktreeRefused::InTheWay { folder, files: vec!["a.txt".to_owned()] };
    check_refused(&code, |code| code.merge(None), &in_the_way);
}

#[test]
fn case_84_what_is_not_committed_is_committed_only_if_the_user_says_so() {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "one\n2\nthree\n");
    write(&code.tree(), "added by the agent.txt", "x\n");
    check_refused(&code, |code| code.merge(None), &WorktreeRefused::Uncommitted);
    check_refused(&code, |code| code.merge(Some("  ")), &WorktreeRefused::Uncommitted);
    let message = "All of it\n\n--amend $(reboot)";
    code.merge(Some(message)).unwrap();
    assert_eq!(code.titles("main"), ["All of it", "work", "first"]);
    assert_eq!(text(code.folder().join("added by the agent.txt")), "x\n");
    assert!(code.git(&["log", "-1", "--format=%b"]).contains("--amend $(reboot)"));
}

#[test]
fn a_refusal_after_the_commit_says_that_the_changes_were_committed() {
    let code = Code::with_work();
    code.write("a.txt", "changed in the base, too\n");
    code.commit("meanwhile");
    write(&code.tree(), "a.txt", "changed by the agent\n");
    for act in [Code::merge, Code::rebase] {
        write(&code.tree(), "a.txt", format!("{}again\n", text(code.tree().join("a.txt"))));
        let before = code.titles("main");
        let refused = act(&code, Some("Of the agent")).unwrap_err();
        let why = Box::new(WorktreeRefused::Conflict { files: vec!["a.txt".to_owned()] });
        assert_eq!(refused, WorktreeRefused::AfterCommit { why });
        assert_eq!(code.titles("main"), before);
        assert_eq!(git(&code.tree(), &["log", "-1", "--format=%s"]).trim(), "Of the agent");
        assert_eq!(git(&code.tree(), &["status", "--porcelain"]), "");
    }
}

#[cfg(unix)]
#[test]
fn a_commit_whose_command_fails_afterwards_is_said_to_be_made() {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "by the agent\n");
    crate::support::hook(&code.folder(), "post-commit", "kill -9 $PPID");
    let refused = code.merge(Some("Of the agent")).unwrap_err();
    assert!(matches!(refused, WorktreeRefused::AfterCommit { .. }), "{refused:?}");
    assert_eq!(code.titles("askdesk/x")[0], "Of the agent");
    assert_eq!(code.titles("main"), ["first"]);
}

#[test]
fn changes_in_the_way_after_the_commit_say_that_the_changes_were_committed() {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "by the agent\n");
    code.write("a.txt", "mine\n");
    let (folder, files) = (code.folder().display().to_string(), vec!["a.txt".to_owned()]);
    let why = Box::new(WorktreeRefused::InTheWay { folder, files });
    assert_eq!(code.merge(Some("Of the agent")), Err(WorktreeRefused::AfterCommit { why }));
    assert_eq!(code.titles("askdesk/x")[0], "Of the agent");
    assert_eq!(code.titles("main"), ["first"]);
    assert_eq!(text(code.folder().join("a.txt")), "mine\n");
}

#[test]
fn case_84_a_repository_inside_the_worktree_is_never_committed_as_a_link() {
    let code = Code::with_work();
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    write(&code.tree(), "notes.txt", "notes\n");
    git(&code.tree(), &["clone", "-q", "../../api", "deep/inner"]);
    let refused = WorktreeRefused::NestedRepositories { folders: vec!["deep/inner".to_owned()] };
    check_refused(&code, |code| code.merge(Some("all")), &refused);
    check_refused(&code, |code| code.rebase(Some("all")), &refused);
}

#[test]
fn case_84_a_worktree_that_has_changed_since_it_was_shown_is_left() {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "first edit\n");
    let seen = code.state().seen;
    assert_eq!(code.state().seen, seen, "nothing has changed");
    let stale = |code: &Code| merge(&code.place(), &Users::default(), &seen, Some("all"));
    // The same file, changed again.
    write(&code.tree(), "a.txt", "second edit, which is longer\n");
    check_refused(&code, stale, &WorktreeRefused::Changed);
    write(&code.tree(), "a.txt", "first edit\n");
    commit(&code.tree(), "another commit");
    check_refused(&code, stale, &WorktreeRefused::Changed);
}

#[test]
fn a_base_in_the_middle_of_something_is_left() {
    let code = in_conflict();
    code.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
    code.write("a.txt", "one\ndeux\nthree\n");
    code.commit("topic");
    code.git(&["checkout", "-q", "main"]);
    std::process::Command::new("git")
        .args(["rebase", "-q", "topic"])
        .current_dir(code.folder())
        .output()
        .unwrap();
    assert!(code.git(&["status"]).contains("rebas"));
    let folder = code.folder().display().to_string();
    let before = code.branches();
    assert_eq!(code.merge(None), Err(WorktreeRefused::BaseBusy { folder }));
    assert_eq!(code.branches(), before);
}

#[test]
fn a_branch_is_rebased_onto_its_base() {
    let code = Code::with_work();
    assert_eq!(code.state().rebase, Some(Blocked::UpToDate));
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    write(&code.tree(), "a.txt", "changed\n");
    check_refused(&code, |code| code.rebase(None), &WorktreeRefused::Uncommitted);
    code.rebase(Some("changes")).unwrap();
    assert_eq!(code.titles("askdesk/x"), ["changes", "work", "meanwhile", "first"]);
    assert_eq!(code.state().behind, 0);
    code.merge(None).unwrap();
    assert_eq!(code.titles("main"), ["changes", "work", "meanwhile", "first"]);
}

#[test]
fn case_84_a_branch_with_merge_commits_is_not_rebased() {
    let code = Code::with_work();
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    git(&code.tree(), &["merge", "-q", "--no-commit", "main"]);
    write(&code.tree(), "only in the merge.txt", "x\n");
    commit(&code.tree(), "with a file of its own");
    assert_eq!(code.state().rebase, Some(Blocked::UpToDate));
    code.write("src/lib.rs", "pub fn c() {}\n");
    code.commit("once more");
    let why = Blocked::MergeCommits;
    assert_eq!(code.state().rebase.as_ref(), Some(&why));
    check_refused(&code, |code| code.rebase(None), &WorktreeRefused::Blocked { why });
    code.merge(None).unwrap();
    assert_eq!(text(code.folder().join("only in the merge.txt")), "x\n");
}

#[test]
fn case_84_ignored_files_in_the_way_of_a_rebase_stay_and_are_named() {
    let code = Code::with_work();
    let in_the_way = WorktreeRefused::InTheWay {
        folder: code.tree().display().to_string(),
        files: vec![".env".to_owned(), "target/x".to_owned()],
    };
    // One commit adds a file, and the next deletes it again.
    write(&code.tree(), "target/x", "of a commit\n");
    git(&code.tree(), &["add", "-f", "target/x"]);
    commit(&code.tree(), "add a file");
    git(&code.tree(), &["rm", "-q", "target/x"]);
    commit(&code.tree(), "delete it");
    code.write(".env", "of the base\n");
    code.git(&["add", "-f", ".env"]);
    code.commit("with an ignored file");
    write(&code.tree(), "target/x", "only here\n");
    write(&code.tree(), ".env", "only here\n");
    check_refused(&code, |code| code.rebase(None), &in_the_way);
    std::fs::remove_file(code.tree().join(".env")).unwrap();
    std::fs::remove_dir_all(code.tree().join("target")).unwrap();
    write(&code.tree(), "target-2/x", "not in the way\n");
    code.write(".git/info/exclude", "target-2\n");
    code.rebase(None).unwrap();
    assert_eq!(text(code.tree().join(".env")), "of the base\n");
}

#[test]
fn a_detached_head_and_a_base_that_is_gone_block_both() {
    let code = Code::with_work();
    git(&code.tree(), &["checkout", "-q", "--detach"]);
    let state = code.state();
    assert_eq!((state.merge, state.rebase), (Some(Blocked::Detached), Some(Blocked::Detached)));
    git(&code.tree(), &["checkout", "-q", "askdesk/x"]);
    code.git(&["branch", "-m", "main", "renamed"]);
    let gone = Some(Blocked::BaseGone { base: "main".to_owned() });
    let state = code.state();
    assert_eq!((state.merge, state.rebase), (gone.clone(), gone));
    assert_eq!(state.commits.first.len(), 1, "compared with the other branches");
}

#[cfg(unix)]
#[test]
fn a_hook_of_the_user_can_refuse_and_nothing_has_changed() {
    let code = Code::with_work();
    code.write("src/lib.rs", "pub fn b() {}\n");
    code.commit("meanwhile");
    crate::support::hook(&code.folder(), "commit-msg", "echo 'no ticket number' >&2; exit 1");
    let failed = |error: &str| WorktreeRefused::Failed { error: error.to_owned() };
    let refused = failed("no ticket number\nNot committing merge; use 'git commit' to complete the merge.");
    check_refused(&code, |code| code.merge(None), &refused);
    write(&code.tree(), "a.txt", "changed\n");
    let before = (work_files(&code.root()), code.branches());
    assert_eq!(code.merge(Some("all")), Err(failed("no ticket number")));
    assert_eq!((work_files(&code.root()), code.branches()), before);
}
