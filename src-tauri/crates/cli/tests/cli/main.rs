//! Runs the `askdesk` program as a user, a script or an MCP client does: against a fake app, or against a real gateway.
//!
//! Windows finds the home folder without environment variables, so these tests would write into the user's own files there.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod ask;
mod completions;
mod connect;
mod doctor;
mod fake_app;
mod gateway;
mod hook;
mod real_clients;
mod requests;
mod stdio_server;
