//! Carries out the commands that the window calls.

mod api;
mod dispatch;
mod export;
mod handlers;
mod host;
mod receipts;

pub use api::Api;
pub use host::{ClientHost, Host, SaveError, SelfTestError, UpdateAsked};
