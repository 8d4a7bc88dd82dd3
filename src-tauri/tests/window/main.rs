//! The app as a person uses it: the real window, real agent processes, real clicks and keys.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![cfg(target_os = "linux")]

mod accessibility;
mod accessibility_tree;
mod attachments;
mod attention;
mod autostart;
mod clients;
mod close_to_tray;
mod command_errors;
mod deep_links;
mod demo;
mod drafts;
mod external_failures;
mod fake_tray;
mod finished_turns;
mod gallery;
mod gateway;
mod harness;
mod history;
mod hostile_text;
mod inbox;
mod keys;
mod languages;
mod late_answers;
mod long_transcript;
mod no_notification_daemon;
mod notifications;
mod outcomes;
mod page_reload;
mod process_cleanup;
mod process_stats;
mod question_card;
mod question_shapes;
mod real_claude;
mod real_clients;
mod real_sessions;
mod repeated_question;
mod settings;
mod several_sessions;
mod shortcut;
mod shutdown;
mod tray;
