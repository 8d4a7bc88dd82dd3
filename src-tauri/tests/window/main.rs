//! The desk as a person meets it: the real window, the real agent processes, real clicks and keys.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![cfg(target_os = "linux")]

mod again;
mod at_login;
mod attachments;
mod attention;
mod bad_input;
mod bridge;
mod card;
mod clean_end;
mod clients;
mod doors;
mod drafts;
mod ends;
mod examples;
mod finished;
mod gallery;
mod harness;
mod hostile;
mod inbox;
mod keys;
mod languages;
mod late;
mod long_transcript;
mod looks;
mod nobody_shows;
mod notifications;
mod past;
mod process;
mod processes;
mod real_claude;
mod real_clients;
mod real_sessions;
mod reloads;
mod settings;
mod shapes;
mod shortcut;
mod taken_there;
mod to_the_tray;
mod together;
mod tray;
mod tray_host;
mod tree;
