//! Files as people have them, in every client's own form: what is put in comes out again byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what tests share may fail the test")]

mod entries;
mod person;
mod refusals;
mod round_trips;
mod standings;
mod texts;
