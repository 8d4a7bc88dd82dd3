//! A repository with worktrees, as a user has it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git_folder;
pub use crate::git_folder::{commit, files, git, set_up, write};
use askdesk_contract::{BranchFate, Loss, WorktreeRefused, WorktreeState};
use askdesk_worktrees::{
    NewWorktree, Users, Workplace, WorktreePlace, check, create, merge, read, rebase, remove,
};
use tempfile::TempDir;

/// Makes a worktree as a session does. Returns where it works, and what a hook wrote that failed.
pub fn make(folder: &Path, new: &NewWorktree) -> Result<(Workplace, Option<String>), WorktreeRefused> {
    let place = check(folder, new)?;
    Ok((place, create(folder, new)?))
}

pub struct Code {
    root: TempDir,
}

impl Code {
    /// A folder without a repository.
    pub fn empty() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("api")).unwrap();
        Self { root }
    }

    /// Its branch `main` is not born yet.
    pub fn without_commit() -> Self {
        let code = Self::empty();
        git_folder::init(&code.folder());
        code
    }

    /// A repository with one commit on `main`.
    pub fn new() -> Self {
        let code = Self::without_commit();
        code.write("a.txt", "one\ntwo\nthree\n");
        code.write("src/lib.rs", "pub fn a() {}\n");
        code.write(".gitignore", "target/\n.env\n");
        code.commit("first");
        code
    }

    pub fn root(&self) -> PathBuf {
        dunce::canonicalize(self.root.path()).unwrap()
    }

    pub fn folder(&self) -> PathBuf {
        self.root().join("api")
    }

    pub fn tree(&self) -> PathBuf {
        self.root().join("api.worktrees/x")
    }

    pub fn write(&self, path: &str, content: &str) {
        write(&self.folder(), path, content);
    }

    pub fn commit(&self, message: &str) {
        commit(&self.folder(), message);
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.folder(), arguments)
    }

    pub fn new_worktree(&self) -> NewWorktree {
        NewWorktree { base: "main".to_owned(), branch: "askdesk/x".to_owned(), path: self.tree() }
    }

    /// Makes a worktree with the branch `askdesk/x`.
    pub fn with_worktree(self) -> Self {
        let (place, failed_hook) = make(&self.folder(), &self.new_worktree()).unwrap();
        let expected = Workplace { repository: self.folder().display().to_string(), folder: self.tree() };
        assert_eq!((&place, failed_hook), (&expected, None));
        assert_eq!(place.folder.as_os_str(), self.tree().as_os_str(), "also as text");
        self
    }

    /// A worktree with one commit that is not merged.
    pub fn with_work() -> Self {
        let code = Self::new().with_worktree();
        write(&code.tree(), "new.txt", "new\n");
        commit(&code.tree(), "work");
        code
    }

    pub fn place(&self) -> WorktreePlace {
        WorktreePlace { repository: self.folder(), path: self.tree(), base: "main".to_owned() }
    }

    pub fn state(&self) -> WorktreeState {
        read(&self.place(), &Users::default()).unwrap()
    }

    pub fn merge(&self, message: Option<&str>) -> Result<(), WorktreeRefused> {
        merge(&self.place(), &Users::default(), &self.state().seen, message)
    }

    pub fn rebase(&self, message: Option<&str>) -> Result<(), WorktreeRefused> {
        rebase(&self.place(), &Users::default(), &self.state().seen, message)
    }

    pub fn remove(&self, agreed: &[Loss], branch: BranchFate) -> Result<(), WorktreeRefused> {
        remove(&self.place(), &Users::default(), &self.state().seen, agreed, branch)
    }

    /// Every branch with the commit it is at.
    pub fn branches(&self) -> Vec<String> {
        let listed =
            self.git(&["for-each-ref", "--format=%(refname:short) %(objectname:short)", "refs/heads"]);
        listed.lines().map(str::to_owned).collect()
    }

    pub fn has_branch(&self, branch: &str) -> bool {
        self.branches().iter().any(|line| line.starts_with(&format!("{branch} ")))
    }

    /// The titles of a branch's commits, the newest first.
    pub fn titles(&self, branch: &str) -> Vec<String> {
        self.git(&["log", "--format=%s", branch]).lines().map(str::to_owned).collect()
    }
}

pub fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

/// The files of a folder, without those of git.
pub fn work_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    files(folder)
        .into_iter()
        .filter(|(path, _)| !path.components().any(|it| it.as_os_str() == ".git"))
        .collect()
}

#[cfg(unix)]
pub fn hook(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(".git/hooks").join(name);
    write(folder, &format!(".git/hooks/{name}"), format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}
