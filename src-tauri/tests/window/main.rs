//! Tests in the real window, with real agent processes, clicks and keys.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![cfg(target_os = "linux")]

mod accessibility;
mod accessibility_tree;
mod attention;
mod autostart;
mod changes;
mod clients;
mod clipboard;
mod close_to_tray;
mod completion;
mod counts;
mod deep_links;
mod demo;
mod desktop;
mod drafts;
mod drag_and_drop;
mod fake_tray;
mod finding;
mod first_run;
mod forks;
mod frames_of_fields;
mod full_disk;
mod gallery;
mod gateway;
mod guide;
mod harness;
mod helpers;
mod history;
mod hostile_text;
mod inbox;
mod keys;
mod languages;
mod layouts;
mod left_place;
mod long_task;
mod long_transcript;
mod menu_start;
mod no_notification_daemon;
mod notifications;
mod open_in;
mod outcomes;
mod own_sessions;
mod page_reload;
mod permission_rules;
#[path = "../private_bus.rs"]
mod private_bus;
mod process_stats;
mod question_card;
mod reading;
mod real_claude;
mod real_codex;
mod real_opencode;
mod real_sessions;
mod settings;
mod shortcut;
mod shutdown;
mod sidebar;
mod signing_in;
mod start_failures;
mod steadiness;
mod tray;
mod usage;
mod users_git;
mod worktrees;
