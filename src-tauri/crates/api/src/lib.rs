//! Carries out the commands that the window calls.

mod api;
mod dispatch;
mod export;
mod handlers;
mod host;
mod notification_log;
mod receipts;
mod update_obstacles;

pub use api::{Api, RunningWork, View};
pub use handlers::{PassedBudget, PauseLength};
pub use host::{ClientHost, Host, SaveError, SelfTestError, UpdateAsked};
pub use update_obstacles::update_obstacles;
