//! The two gits that are run here; neither has any config but ours.

use std::path::Path;
use std::time::Duration;

pub(crate) use askdesk_git::{Git, GitError, arguments, excludes_file, program};

/// How long one step of git may take.
pub(crate) const STEP: Duration = Duration::from_secs(120);

/// A git that finds the repository of a folder by itself, and reads nothing from it but where it is.
pub(crate) fn discovering(program: &Path, folder: &Path) -> Git {
    Git::closed(program, folder)
}

/// A git with a git directory of ours, whose files are below `top`.
pub(crate) fn private(program: &Path, git_dir: &Path, top: &Path) -> Git {
    Git::closed(program, top).with("GIT_DIR", git_dir).with("GIT_WORK_TREE", top)
}

/// The same git with another index.
pub(crate) fn with_index(git: &Git, index: &Path) -> Git {
    git.with("GIT_INDEX_FILE", index)
}
