//! Sessions: for each running agent a task that owns its link, lets its adapter understand it, and delivers what was
//! decided.
//!
//! The task never waits for a person: what an agent asks goes to the writer with a waiter, and reading goes on.

mod approvals;
mod config_changes;
mod control;
mod delivery;
mod events;
mod late_delivery;
mod messages;
mod pending;
mod resumption;
mod retention;
mod task;
mod tool_permissions;

pub use control::{Sessions, StartSpec};
pub use retention::EVERY as RETENTION_EVERY;
