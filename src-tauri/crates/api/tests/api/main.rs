//! The commands as the window calls them, from JSON to JSON, on an engine with the fake agent.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "test helpers may fail the test")]

mod agents_found;
mod attachments;
mod bridge;
mod changes;
mod clients;
mod commands;
#[allow(dead_code, reason = "the domain's own tests have the rest")]
#[path = "../../../domain/tests/domain/support/desks.rs"]
mod desks;
mod dispatch;
#[allow(dead_code, reason = "the worktrees' own tests have the rest")]
#[path = "../../../worktrees/tests/worktrees/git_folder.rs"]
mod git_folder;
mod history;
mod launch_overrides;
mod malformed_input;
mod open_in;
mod past_questions;
mod permissions;
#[allow(dead_code, reason = "the domain's own tests have the rest")]
#[path = "../../../domain/tests/domain/support/questions.rs"]
mod questions;
mod sign_in;
mod updates;
mod usage;
mod worktrees;
