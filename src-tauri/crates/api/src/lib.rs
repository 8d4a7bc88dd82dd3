//! The commands that the window calls: their list, inputs, outputs, error codes and handlers.

mod api;
mod command_list;
mod commands;
pub mod dto;
pub mod error;
mod export;
mod handlers;
mod host;
mod notification_log;
mod setting_error;
mod update_obstacles;
#[cfg(all(test, feature = "ts"))]
mod wire_types;

pub use api::{Api, RunningWork, View};
pub use commands::read_input;
pub use dto::{UnappliedReason, UnappliedSetting};
pub use error::{Detail, Error, ErrorCode};
pub use handlers::{PassedBudget, PauseLength};
pub use host::{ClientHost, Host, Pending, SaveError, SelfTestError, UpdateAsked};
pub use update_obstacles::update_obstacles;
