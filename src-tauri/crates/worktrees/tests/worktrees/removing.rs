//! Removing worktrees: nothing is lost that the user did not name.

use std::fs;

use askdesk_contract::{
    Blocked, BranchFate, Head, Loss, WorktreeRefused, WorktreeState, WorktreeUnavailable,
};
use askdesk_worktrees::{AgentUse, Users, read, remove};
use rstest::rstest;

use crate::support::{Code, commit, git, set_up, text, work_files, write};

/// Checks that a removal without any agreement names exactly these losses, and loses nothing.
#[track_caller]
fn check_asks(code: &Code, losses: &[Loss]) {
    let before = (work_files(&code.root()), code.branches());
    let refused = WorktreeRefused::WouldLose { losses: losses.to_vec() };
    assert_eq!(code.remove(&[], BranchFate::Stays), Err(refused));
    for one in losses {
        let others = losses.iter().copied().filter(|loss| loss != one).collect::<Vec<_>>();
        let refused = WorktreeRefused::WouldLose { losses: vec![*one] };
        assert_eq!(code.remove(&others, BranchFate::Stays), Err(refused), "all but {one:?}");
    }
    assert_eq!((work_files(&code.root()), code.branches()), before);
}

#[test]
fn case_84_a_clean_worktree_goes_and_its_branch_stays() {
    let code = Code::with_work();
    code.remove(&[], BranchFate::Stays).unwrap();
    assert!(!code.tree().exists());
    assert_eq!(code.titles("askdesk/x"), ["work", "first"]);
    assert_eq!(code.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn case_84_commits_that_are_not_merged_stay_unless_the_user_deletes_their_branch() {
    let code = Code::with_work();
    let state = code.state();
    assert_eq!((state.commits.count, state.losses.len()), (1, 0));
    assert!(state.commits.first[0].ends_with(" work"));
    let refused = WorktreeRefused::WouldLose { losses: vec![Loss::UnmergedCommits] };
    assert_eq!(code.remove(&[], BranchFate::DeletedIfMerged), Err(refused));
    assert!(code.tree().exists() && code.has_branch("askdesk/x"));
    code.remove(&[], BranchFate::Deleted).unwrap();
    assert!(!code.tree().exists() && !code.has_branch("askdesk/x"));
}

#[test]
fn a_branch_that_git_does_not_delete_is_named_after_its_worktree_was_removed() {
    let code = Code::with_work();
    // As another git command that is changing the branch leaves it.
    code.write(".git/refs/heads/askdesk/x.lock", "");
    let refused = WorktreeRefused::BranchLeft { branch: "askdesk/x".to_owned() };
    assert_eq!(code.remove(&[], BranchFate::Deleted), Err(refused));
    assert!(!code.tree().exists() && code.has_branch("askdesk/x"));
}

#[test]
fn case_84_a_merged_branch_goes_without_another_question() {
    let code = Code::with_work();
    code.merge(None).unwrap();
    code.remove(&[], BranchFate::DeletedIfMerged).unwrap();
    assert!(!code.tree().exists() && !code.has_branch("askdesk/x"));
    assert_eq!(code.titles("main"), ["work", "first"]);
}

#[test]
fn case_84_what_is_not_committed_goes_only_if_the_user_says_so() {
    let code = Code::with_work();
    write(&code.tree(), "a.txt", "changed\n");
    check_asks(&code, &[Loss::Uncommitted]);
    write(&code.tree(), "notes.txt", "notes\n");
    check_asks(&code, &[Loss::Uncommitted, Loss::Untracked]);
    let state = code.state();
    assert_eq!(
        (&*state.uncommitted.first, &*state.untracked.first),
        (&["a.txt".to_owned()][..], &["notes.txt".to_owned()][..])
    );
    code.remove(&[Loss::Uncommitted, Loss::Untracked], BranchFate::Stays).unwrap();
    assert!(!code.tree().exists() && code.has_branch("askdesk/x"));
}

#[rstest]
#[case("--skip-worktree")]
#[case("--assume-unchanged")]
fn case_84_changes_that_git_does_not_look_at_go_only_if_the_user_says_so(#[case] mark: &str) {
    let code = Code::with_work();
    git(&code.tree(), &["update-index", mark, "a.txt", "src/lib.rs", "new.txt"]);
    assert_eq!(code.state().losses, [], "no file has changed");
    fs::remove_file(code.tree().join("new.txt")).unwrap();
    write(&code.tree(), "src/lib.rs", "only here\n");
    assert_eq!(code.state().uncommitted.first, ["src/lib.rs"]);
    check_asks(&code, &[Loss::Uncommitted]);
    let seen = code.state().seen;
    write(&code.tree(), "src/lib.rs", "changed once more\n");
    assert_ne!(code.state().seen, seen);
    code.remove(&[Loss::Uncommitted], BranchFate::Stays).unwrap();
    assert!(!code.tree().exists());
}

#[test]
fn case_84_ignored_files_are_listed() {
    let code = Code::with_work();
    write(&code.tree(), ".env", "SECRET=1\n");
    write(&code.tree(), "target/debug/x", "");
    let WorktreeState { ignored, untracked, losses, .. } = code.state();
    assert_eq!(
        (&*ignored.first, untracked.count, losses.len()),
        (&[".env".to_owned(), "target/".to_owned()][..], 0, 0)
    );
}

#[test]
fn case_84_a_worktree_that_has_changed_since_it_was_shown_is_left() {
    let code = Code::with_work();
    let seen = code.state().seen;
    let stale =
        |agreed: &[Loss]| remove(&code.place(), &Users::default(), &seen, agreed, BranchFate::Deleted);
    write(&code.tree(), "a.txt", "changed since\n");
    assert_eq!(stale(&[Loss::Uncommitted]), Err(WorktreeRefused::Changed));
    commit(&code.tree(), "committed since");
    assert_eq!(stale(&[]), Err(WorktreeRefused::Changed));
    assert_eq!(text(code.tree().join("a.txt")), "changed since\n");
    assert!(code.has_branch("askdesk/x"));
}

#[test]
fn case_84_commits_without_a_branch_go_only_if_the_user_says_so() {
    let code = Code::with_work();
    git(&code.tree(), &["checkout", "-q", "--detach"]);
    let state = code.state();
    assert!(matches!(state.head, Some(Head::Detached { .. })));
    assert!(state.losses.is_empty(), "the branch has its commits");
    write(&code.tree(), "b.txt", "b\n");
    commit(&code.tree(), "on no branch");
    check_asks(&code, &[Loss::DetachedCommits]);
    assert_eq!(code.state().commits.count, 1);
    code.remove(&[Loss::DetachedCommits], BranchFate::Deleted).unwrap();
    assert!(code.has_branch("askdesk/x"), "no branch was checked out");
}

#[test]
fn case_84_an_unfinished_rebase_goes_only_if_the_user_says_so() {
    let code = Code::new().with_worktree();
    write(&code.tree(), "a.txt", "theirs\n");
    commit(&code.tree(), "theirs");
    code.write("a.txt", "mine\n");
    code.commit("mine");
    std::process::Command::new("git")
        .args(["rebase", "-q", "main"])
        .current_dir(code.tree())
        .output()
        .unwrap();
    let state = code.state();
    assert_eq!((state.merge, state.rebase), (Some(Blocked::InProgress), Some(Blocked::InProgress)));
    assert!(state.losses.contains(&Loss::InProgress) && state.losses.contains(&Loss::Uncommitted));
    check_asks(&code, &state.losses);
}

#[test]
fn case_84_a_cloned_submodule_goes_only_if_the_user_says_so() {
    let code = Code::new();
    git(&code.root(), &["clone", "-q", "api", "lib"]);
    code.git(&["submodule", "--quiet", "add", "../lib", "lib"]);
    code.commit("with a submodule");
    let code = code.with_worktree();
    assert_eq!(code.state().submodules.count, 0, "empty in a new worktree");
    git(&code.tree(), &["submodule", "--quiet", "update", "--init"]);
    set_up(&code.tree().join("lib"));
    commit(&code.tree().join("lib"), "only here");
    commit(&code.tree(), "the submodule went on");
    assert_eq!(code.state().submodules.first, ["lib"]);
    check_asks(&code, &[Loss::Submodules]);
    code.remove(&[Loss::Submodules], BranchFate::Stays).unwrap();
    assert!(!code.tree().exists());
}

#[test]
fn case_84_a_clone_that_was_added_without_a_submodule_goes_only_if_the_user_says_so() {
    let code = Code::with_work();
    git(&code.tree(), &["clone", "-q", "../../api", "inner"]);
    set_up(&code.tree().join("inner"));
    commit(&code.tree().join("inner"), "only here");
    commit(&code.tree(), "with a clone");
    assert_eq!(code.state().submodules.first, ["inner"]);
    check_asks(&code, &[Loss::Submodules]);
    code.remove(&[Loss::Submodules], BranchFate::Stays).unwrap();
    assert!(!code.tree().exists());
}

#[test]
fn case_84_a_submodule_that_is_no_longer_in_the_index_goes_only_if_the_user_says_so() {
    let code = Code::new();
    git(&code.root(), &["clone", "-q", "api", "lib"]);
    let code = code.with_worktree();
    for path in ["lib", "deep/lib"] {
        git(
            &code.tree(),
            &["submodule", "--quiet", "add", &code.root().join("lib").display().to_string(), path],
        );
    }
    commit(&code.tree(), "with submodules");
    assert_eq!(code.state().submodules.first, ["deep/lib", "lib"]);
    git(&code.tree(), &["rm", "-q", "deep/lib"]);
    commit(&code.tree(), "without one of them");
    assert_eq!(code.state().submodules.first, ["deep/lib", "lib"], "its commits are still there");
    git(&code.tree(), &["rm", "-q", "lib"]);
    commit(&code.tree(), "without both");
    assert_eq!(code.state().submodules.first, ["deep/lib", "lib"]);
    check_asks(&code, &[Loss::Submodules]);
    code.remove(&[Loss::Submodules], BranchFate::Stays).unwrap();
    assert!(!code.tree().exists());
}

#[test]
fn a_repository_inside_the_worktree_is_an_untracked_folder() {
    let code = Code::with_work();
    git(&code.tree(), &["init", "-q", "inner"]);
    write(&code.tree(), "inner/file", "x\n");
    assert_eq!(code.state().untracked.first, ["inner/"]);
    check_asks(&code, &[Loss::Untracked]);
}

#[rstest]
#[case("", "")]
#[case("on a stick", "on a stick")]
fn case_84_a_locked_worktree_is_left_whatever_the_user_agrees_to(#[case] reason: &str, #[case] shown: &str) {
    let code = Code::with_work();
    let tree = code.tree().display().to_string();
    code.git(&["worktree", "lock", "--reason", reason, &tree]);
    let why = Blocked::Locked { reason: shown.to_owned() };
    assert_eq!(code.state().remove, Some(why.clone()));
    let agreed = [Loss::Uncommitted, Loss::Untracked];
    assert_eq!(code.remove(&agreed, BranchFate::Deleted), Err(WorktreeRefused::Blocked { why }));
    assert!(code.tree().exists());
}

#[test]
fn case_84_a_folder_that_a_session_uses_is_left() {
    let code = Code::with_work();
    let seen = code.state().seen;
    let blocked = |users: &Users| {
        let state = read(&code.place(), users).unwrap();
        let removed = remove(&code.place(), users, &seen, &[], BranchFate::Stays);
        assert_eq!(removed, Err(WorktreeRefused::Blocked { why: state.remove.clone().unwrap() }));
        state.remove.unwrap()
    };
    assert_eq!(blocked(&Users { agent: AgentUse::Idle, ..Users::default() }), Blocked::AgentRuns);
    let sessions = vec!["review".to_owned()];
    let others = Users { others: sessions.clone(), ..Users::default() };
    assert_eq!(blocked(&others), Blocked::InUse { sessions });
    assert!(code.tree().exists());
}

#[test]
fn a_folder_that_is_gone_already_is_forgotten_and_its_branch_stays() {
    let code = Code::with_work();
    fs::remove_dir_all(code.tree()).unwrap();
    let state = code.state();
    assert_eq!((state.head.clone(), state.merge, state.remove), (None, Some(Blocked::FolderGone), None));
    code.remove(&[], BranchFate::Stays).unwrap();
    assert_eq!(code.titles("askdesk/x"), ["work", "first"]);
    let state = code.state();
    assert_eq!(state.remove, Some(Blocked::FolderGone), "nothing is left to remove");
}

#[test]
fn case_84_commits_without_a_branch_stay_also_if_the_folder_is_gone() {
    let code = Code::with_work();
    git(&code.tree(), &["checkout", "-q", "--detach"]);
    commit(&code.tree(), "on no branch");
    fs::remove_dir_all(code.tree()).unwrap();
    check_asks(&code, &[Loss::DetachedCommits]);
    assert!(code.state().commits.first[0].ends_with(" on no branch"));
    code.remove(&[Loss::DetachedCommits], BranchFate::Stays).unwrap();
    assert_eq!(code.git(&["worktree", "list"]).lines().count(), 1);
}

#[rstest]
#[case("false")]
#[case("true")]
fn case_84_submodules_stay_also_if_the_folder_is_gone(#[case] relative_paths: &str) {
    let code = Code::new();
    code.git(&["config", "worktree.useRelativePaths", relative_paths]);
    git(&code.root(), &["clone", "-q", "api", "lib"]);
    code.git(&["submodule", "--quiet", "add", "../lib", "lib"]);
    code.commit("with a submodule");
    let code = code.with_worktree();
    git(&code.tree(), &["submodule", "--quiet", "update", "--init"]);
    fs::remove_dir_all(code.tree()).unwrap();
    assert_eq!(code.state().submodules.first, ["lib"]);
    check_asks(&code, &[Loss::Submodules]);
    code.remove(&[Loss::Submodules], BranchFate::Stays).unwrap();
    assert_eq!(code.git(&["worktree", "list"]).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_not_gone() {
    let code = Code::with_work();
    let (folder, moved) = (code.root().join("api.worktrees"), code.root().join("moved"));
    fs::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink(&folder, &folder).unwrap();
    let unreadable = read(&code.place(), &Users::default());
    assert!(matches!(unreadable, Err(WorktreeUnavailable::Failed { .. })), "{unreadable:?}");
    fs::remove_file(&folder).unwrap();
    fs::rename(&moved, &folder).unwrap();
    code.remove(&[], BranchFate::Stays).unwrap();
}

#[test]
fn a_folder_that_is_no_worktree_any_more_is_left() {
    let code = Code::with_work();
    fs::remove_file(code.tree().join(".git")).unwrap();
    assert_eq!(code.state().remove, Some(Blocked::NotAWorktree));
    assert_eq!(code.state().merge, Some(Blocked::NotAWorktree));
    let why = Blocked::NotAWorktree;
    assert_eq!(code.remove(&[], BranchFate::Deleted), Err(WorktreeRefused::Blocked { why }));
    assert_eq!(text(code.tree().join("new.txt")), "new\n");
}

#[test]
fn the_main_worktree_and_its_branch_are_never_removed() {
    let code = Code::new();
    let place = askdesk_worktrees::WorktreePlace { path: code.folder(), ..code.place() };
    let state = read(&place, &Users::default()).unwrap();
    assert_eq!(state.remove, Some(Blocked::NotAWorktree));
    let code = Code::new().with_worktree();
    code.git(&["checkout", "-q", "--detach"]);
    git(&code.tree(), &["checkout", "-q", "main"]);
    code.remove(&[], BranchFate::Deleted).unwrap();
    assert!(code.has_branch("main") && code.has_branch("askdesk/x"));
}

#[test]
fn worktrees_of_a_bare_repository_are_merged_and_removed() {
    let code = Code::new();
    git(&code.root(), &["clone", "-q", "--bare", "api", "bare.git"]);
    let bare = code.root().join("bare.git");
    set_up(&bare);
    crate::support::make(&bare, &code.new_worktree()).unwrap();
    write(&code.tree(), "new.txt", "new\n");
    commit(&code.tree(), "work");
    let place = askdesk_worktrees::WorktreePlace { repository: bare.clone(), ..code.place() };
    let seen = || read(&place, &Users::default()).unwrap().seen;
    askdesk_worktrees::merge(&place, &Users::default(), &seen(), None).unwrap();
    assert_eq!(git(&bare, &["log", "-1", "--format=%s", "main"]).trim(), "work");
    remove(&place, &Users::default(), &seen(), &[], BranchFate::DeletedIfMerged).unwrap();
    assert!(!code.tree().exists());
}
