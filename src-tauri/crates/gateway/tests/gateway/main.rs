//! The gateway over real HTTP on loopback, with a real engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod access;
#[cfg(unix)]
mod agents_listed;
mod claude_hook;
#[cfg(unix)]
mod faults;
mod fixture;
mod fuzz;
#[cfg(unix)]
mod managed;
#[cfg(unix)]
mod managed_sessions;
mod mcp;
mod mcp_client;
#[cfg(unix)]
mod real_claude;
#[cfg(unix)]
mod real_claude_hook;
#[cfg(unix)]
mod real_claude_in_session;
mod token_secrecy;
mod v1_asks;
