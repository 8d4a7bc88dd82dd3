//! Suggestions for a new worktree, and what is wrong with what the user writes instead.

use std::path::PathBuf;

use askdesk_contract::{Head, PlanFlaw, WorktreePlan, WorktreeUnavailable};
use askdesk_worktrees::{PlanWanted, plan};
use rstest::rstest;

use crate::support::{Code, files, git, set_up, write};

fn planned(code: &Code, wanted: &PlanWanted) -> WorktreePlan {
    plan(&code.folder(), wanted).unwrap()
}

fn message(text: &str) -> PlanWanted {
    PlanWanted { message: text.to_owned(), ..PlanWanted::default() }
}

#[test]
fn a_branch_a_folder_and_a_base_are_suggested_and_nothing_is_written() {
    let code = Code::new();
    code.git(&["branch", "older"]);
    code.git(&["checkout", "-q", "-b", "feature"]);
    let before = files(&code.folder());
    let root = code.root();
    let expected = WorktreePlan {
        repository: root.join("api").display().to_string(),
        head: Head::Branch { name: "feature".to_owned() },
        base: "feature".to_owned(),
        branch: "askdesk/add-rate-limits".to_owned(),
        path: root.join("api.worktrees/askdesk-add-rate-limits").display().to_string(),
        branches: ["feature", "main", "older"].map(str::to_owned).to_vec(),
        unlisted: 0,
        submodules: false,
        flaws: Vec::new(),
    };
    assert_eq!(planned(&code, &message("Add rate limits")), expected);
    assert_eq!(plan(&code.folder().join("src"), &message("Add rate limits")).unwrap(), expected);
    assert_eq!(files(&code.folder()), before);
}

#[test]
fn a_suggestion_is_free_as_branch_and_as_folder() {
    let code = Code::new();
    code.git(&["branch", "askdesk/x"]);
    write(&code.root(), "api.worktrees/askdesk-x-2/file", "");
    let plan = planned(&code, &message("x"));
    assert_eq!(plan.branch, "askdesk/x-3");
    let wanted = PlanWanted { branch: Some("askdesk/x-2".to_owned()), ..message("x") };
    let plan = planned(&code, &wanted);
    assert!(plan.path.ends_with("askdesk-x-2-2"), "{}", plan.path);
    assert_eq!(plan.flaws, []);
}

#[test]
fn a_plan_in_a_worktree_is_one_for_its_repository() {
    let code = Code::new().with_worktree();
    let plan = plan(&code.tree(), &message("go on")).unwrap();
    assert_eq!(plan.repository, code.folder().display().to_string());
    assert_eq!(plan.base, "askdesk/x");
    assert_eq!(plan.path, code.root().join("api.worktrees/askdesk-go-on").display().to_string());
}

#[test]
fn a_detached_head_is_based_on_the_usual_branch() {
    let code = Code::new();
    code.git(&["checkout", "-q", "--detach"]);
    let plan = planned(&code, &message("x"));
    assert!(matches!(plan.head, Head::Detached { .. }));
    assert_eq!(plan.base, "main");
}

#[test]
fn a_bare_repository_can_have_worktrees() {
    let code = Code::new();
    git(&code.root(), &["clone", "-q", "--bare", "api", "bare.git"]);
    let bare = code.root().join("bare.git");
    let plan = plan(&bare, &message("x")).unwrap();
    assert_eq!((plan.base.as_str(), &plan.flaws), ("main", &Vec::new()));
    assert_eq!(plan.path, code.root().join("bare.worktrees/askdesk-x").display().to_string());
}

#[test]
fn a_submodule_is_a_repository_of_its_own_and_its_worktrees_are_outside() {
    let code = Code::new();
    git(&code.root(), &["init", "-q", "-b", "main", "outer"]);
    let outer = code.root().join("outer");
    set_up(&outer);
    git(&outer, &["submodule", "--quiet", "add", "../api", "lib"]);
    git(&outer, &["commit", "-q", "-m", "with a submodule"]);
    let of_outer = plan(&outer, &message("x")).unwrap();
    assert!(of_outer.submodules);
    let of_inner = plan(&outer.join("lib"), &message("x")).unwrap();
    assert!(!of_inner.submodules);
    assert_eq!(of_inner.repository, outer.join("lib").display().to_string());
    assert_eq!(of_inner.path, code.root().join("outer-lib.worktrees/askdesk-x").display().to_string());
}

#[test]
fn without_a_repository_or_a_commit_there_is_a_reason() {
    let plan_of = |code: &Code| plan(&code.folder(), &message("x"));
    assert_eq!(plan_of(&Code::empty()), Err(WorktreeUnavailable::NoRepository));
    assert_eq!(plan_of(&Code::without_commit()), Err(WorktreeUnavailable::NoCommit));
    let code = Code::new();
    assert_eq!(plan(&code.folder().join(".git"), &message("x")), Err(WorktreeUnavailable::NoRepository));
    assert_eq!(plan(&code.folder().join("gone"), &message("x")), Err(WorktreeUnavailable::FolderGone));
}

#[test]
fn a_missing_remote_makes_no_difference() {
    let code = Code::new();
    code.git(&["remote", "add", "origin", "/nowhere/at/all.git"]);
    code.git(&["config", "branch.main.remote", "origin"]);
    code.git(&["config", "branch.main.merge", "refs/heads/main"]);
    assert_eq!(planned(&code, &message("x")).flaws, []);
    let code = code.with_worktree();
    assert_eq!(code.state().behind, 0);
}

#[rstest]
#[case("", PlanFlaw::BranchInvalid)]
#[case("-x", PlanFlaw::BranchInvalid)]
#[case("a b", PlanFlaw::BranchInvalid)]
#[case("a\nb", PlanFlaw::BranchInvalid)]
#[case("main", PlanFlaw::BranchTaken { with: "main".to_owned() })]
#[case("main/x", PlanFlaw::BranchTaken { with: "main".to_owned() })]
fn a_branch_that_cannot_be_made_is_named(#[case] branch: &str, #[case] flaw: PlanFlaw) {
    let wanted = PlanWanted { branch: Some(branch.to_owned()), ..PlanWanted::default() };
    assert_eq!(planned(&Code::new(), &wanted).flaws, [flaw]);
}

#[rstest]
#[case("elsewhere/x", PlanFlaw::PathRelative)]
#[case("", PlanFlaw::PathRelative)]
#[case("/tmp/a\nb", PlanFlaw::PathInvalid)]
fn a_path_that_cannot_be_made_is_named(#[case] path: &str, #[case] flaw: PlanFlaw) {
    let wanted = PlanWanted { path: Some(PathBuf::from(path)), ..PlanWanted::default() };
    assert_eq!(planned(&Code::new(), &wanted).flaws, [flaw]);
}

#[test]
fn a_folder_that_holds_something_is_taken_and_an_empty_one_is_not() {
    let code = Code::new();
    let flaws =
        |path: PathBuf| planned(&code, &PlanWanted { path: Some(path), ..PlanWanted::default() }).flaws;
    assert_eq!(flaws(code.folder()), [PlanFlaw::PathTaken]);
    assert_eq!(flaws(code.folder().join("a.txt")), [PlanFlaw::PathTaken]);
    assert_eq!(flaws(code.folder().join(".git/x")), [PlanFlaw::PathInGitDir]);
    std::fs::create_dir(code.root().join("empty")).unwrap();
    assert_eq!(flaws(code.root().join("empty")), []);
}

#[test]
fn a_base_that_is_gone_is_named() {
    let wanted = PlanWanted { base: Some("gone".to_owned()), ..PlanWanted::default() };
    assert_eq!(planned(&Code::new(), &wanted).flaws, [PlanFlaw::BaseGone { base: "gone".to_owned() }]);
}
