//! The doors over real HTTP on loopback, with a real engine behind them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

mod clients;
mod fuzz;
mod house;
mod lines;
#[cfg(unix)]
mod real_claude;
#[cfg(unix)]
mod real_terminal;
mod refusals;
mod terminals;
