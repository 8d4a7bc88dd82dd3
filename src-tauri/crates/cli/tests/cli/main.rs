//! The program itself, run as a person or a script runs it, against a small desk that keeps to the door's form.
//!
//! Windows names the home folder by itself, whatever the environment says: there these would write into the person's own.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "what tests share may fail the test")]

mod asking;
mod connecting;
mod desk;
mod doctor;
mod hook;
mod shell_files;
mod waiting;
