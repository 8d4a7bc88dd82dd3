//! Real programs that speak MCP, registered by `askdesk connect` with an engine whose doors are open: they ask, a person
//! answers, and what they are told is looked at. Models are mocks on loopback; nothing needs a network.
//!
//! Windows names the home folder by itself, whatever the environment says: there these would write into the person's own.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod agents;
mod house;
mod official;
mod patience;
