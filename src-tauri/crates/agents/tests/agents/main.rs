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
mod claude_warnings;
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
mod not_understood;
mod opencode;
mod opencode2;
mod opencode_asking;
mod outside_json;
mod pinned_versions;
mod real_claude;
mod real_sign_in;
#[cfg(unix)]
mod supervisor;
#[cfg(target_os = "linux")]
mod terminal;

mod support {
    pub mod claude;
    pub mod codex;
    pub mod opencode;
    pub mod process;
    pub mod server;
}
