//! Tests in the real window, with real agent processes, clicks and keys.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![cfg(target_os = "linux")]

mod accessibility;
mod accessibility_tree;
mod attention;
mod autostart;
mod clipboard;
mod close_to_tray;
mod deep_links;
mod desktop;
mod drag_and_drop;
mod fake_tray;
mod finding;
mod forks;
mod full_disk;
mod gallery;
mod gateway;
mod guide;
mod harness;
mod hostile_text;
mod hurried;
mod in_background;
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
mod own_run;
mod own_sessions;
mod page_reload;
#[path = "../private_bus.rs"]
mod private_bus;
mod question_card;
mod reading;
mod real_agent;
mod settings;
mod shortcut;
mod shutdown;
mod sidebar;
mod start_failures;
mod steadiness;
mod tray;
mod typing;
