//! The engine's tests, in one binary: each binary links SQLite anew.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "the setup may fail a test")]
#![cfg_attr(not(unix), allow(dead_code, reason = "the tests that use it need a Unix shell"))]

mod attachments;
#[cfg(unix)]
mod crash_recovery;
mod deletion;
mod drafts;
#[cfg(unix)]
mod duplicate_questions;
#[cfg(unix)]
mod file_permissions;
mod files_since;
mod inbound;
mod journal_errors;
#[cfg(unix)]
mod late_delivery;
#[cfg(unix)]
mod long_lines;
mod message_queue;
#[cfg(unix)]
mod moved_folders;
#[cfg(unix)]
mod news;
#[cfg(unix)]
mod no_waiting;
#[cfg(unix)]
mod permission_modes;
#[cfg(unix)]
mod permission_rules;
mod question_history;
mod random_interleavings;
mod real_claude;
#[cfg(unix)]
mod real_codex;
mod real_opencode;
mod requests;
mod retention;
mod search;
#[cfg(unix)]
mod secrets;
#[cfg(unix)]
mod session_end;
mod sessions;
mod support;
#[cfg(unix)]
mod time_limits;
mod undo_window;
mod unreadable_records;
