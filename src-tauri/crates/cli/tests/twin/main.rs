//! The server on standard input and output, spoken to by the library's own client over the pipes of a child.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod at_the_desk;
mod client;
#[path = "../cli/desk.rs"]
mod desk;
mod going;
#[path = "../../../gateway/tests/gateway/house.rs"]
#[allow(dead_code, reason = "the tests of the doors use the rest")]
mod house;
mod pipes;
mod real_claude;
mod restarts;
mod starting;
