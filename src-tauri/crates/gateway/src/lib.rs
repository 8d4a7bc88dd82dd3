//! The gateway: an HTTP server on 127.0.0.1 where agents that Askdesk didn't start ask the user and wait for the answer.
//!
//! It speaks MCP, Claude Code's hooks and a small JSON API (`/v1`). It decides nothing about a question: that is the engine's
//! job.

mod access_tokens;
pub mod arguments;
mod call;
mod connections;
mod error;
mod guard;
pub mod hook;
mod hook_dialogs;
mod metrics;
mod rate_limit;
mod response_tracking;
pub mod result;
mod routes;
mod self_test;
mod server;
mod state;
mod timeouts;
mod unique_json;

pub use guard::MAX_BODY_BYTES;
pub use rate_limit::{MAX_CALLS, MAX_OPEN_QUESTIONS};
pub use server::{Gateway, GatewayConfig, GatewayError, MAX_CONNECTIONS};
pub use timeouts::Timeouts;
