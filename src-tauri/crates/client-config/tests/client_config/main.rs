//! Connects and disconnects every client in files as users have them, and checks that they come back byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what tests share may fail the test")]

mod diagnostics;
mod errors;
mod fixture;
mod removals;
mod round_trips;
mod texts;
mod wanted_entries;
