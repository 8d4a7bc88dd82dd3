//! Sessions: a task for each running agent owns its link, passes what arrives to its adapter, and delivers
//! outcomes and decisions.
//!
//! The task never waits for the user: it sends a question to the writer, and continues to read. What the
//! question or a permission is waiting for comes back as a `Resolution`.

mod approvals;
mod configuration;
mod context;
mod control;
mod conversation;
mod held_asks;
mod helpers;
mod late_delivery;
mod messages;
mod pending;
mod requests;
mod result_images;
mod resumption;
mod rules;
mod task;
mod tool_calls;
mod trouble;
mod turn;
mod unusable_lines;

pub use control::fork::Before;
pub use control::{Beginning, FolderLeaving, NotListed, QUIT_LIMIT, Sessions, StartSpec, WorktreeToMake};
