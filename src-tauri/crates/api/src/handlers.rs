//! The handlers of the commands, by topic. The input of each command in [`askdesk_contract`] says what it does.

mod agents;
mod changes;
mod clients;
mod completion;
mod history;
mod messages;
mod open_in;
mod past_questions;
mod permissions;
mod sessions;
mod settings;
mod sign_in;
mod window;
mod worktrees;
