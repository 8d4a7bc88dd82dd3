//! The agents, their links and the supervisor, against scripts and fake servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod any_bytes;
mod contract;
mod fake_agent;
#[cfg(unix)]
mod http_links;
mod json_rpc;
mod late_answers;
mod links;
mod long_texts;
mod not_understood;
mod opencode_silence;
mod outside_json;
mod pinned_versions;
mod real_sign_in;
#[cfg(unix)]
mod supervisor;
#[cfg(target_os = "linux")]
mod terminal;
mod transcripts;

mod support {
    pub mod claude;
    pub mod codex;
    pub mod opencode;
    pub mod process;
    pub mod server;
}
