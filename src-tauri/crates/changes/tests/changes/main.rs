//! The changes of real folders, most of them with a repository of the installed git.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounded;
#[cfg(unix)]
mod file_modes;
#[allow(dead_code, reason = "the worktrees' own tests have the rest")]
#[path = "../../../worktrees/tests/worktrees/git_folder.rs"]
mod git_folder;
mod hostile;
mod listing;
mod marks;
mod moved_folders;
mod properties;
mod reading;
mod reverting;
mod support;
mod unusual_folders;
