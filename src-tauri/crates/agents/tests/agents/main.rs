//! The agents, their links and the supervisor, against scripts, fake servers and the real `claude`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod any_bytes;
mod claude_config;
mod claude_elicitations;
mod claude_helpers;
mod claude_questions;
mod claude_retries;
mod claude_rules;
mod claude_stream;
mod claude_usage;
mod codex_approvals;
mod codex_questions;
mod codex_recordings;
mod codex_session;
mod commands;
mod contract;
#[cfg(unix)]
mod http_links;
mod json_rpc;
mod links;
mod opencode;
mod opencode_asking;
mod real_claude;
mod real_sign_in;
#[cfg(unix)]
mod supervisor;

mod support {
    pub mod claude;
    pub mod codex;
    pub mod opencode;
    pub mod process;
    pub mod server;
}
