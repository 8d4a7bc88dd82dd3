//! Worktrees of real repositories in every state that a user may leave them in.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod creating;
mod git_folder;
mod heads;
mod merging;
mod planning;
mod removing;
mod support;
