//! Registers Askdesk in the configuration files of the apps whose agents should ask.
//!
//! These files hold settings that aren't ours. An edit is therefore a pure function from text to text ([`edit`]) that changes
//! only our entry and refuses what it doesn't understand. A [`Plan`] computes every change before the first write, so it can be
//! shown first and then applied as a whole.
//!
//! The crate also holds what every client of the gateway needs to find it: the data folder, the discovery file and the tokens.

mod client_match;
mod confirmation;
mod diagnostics;
pub mod discovery;
pub mod edit;
mod entries;
mod env;
mod error;
mod file;
mod hook_command;
mod plan;
mod preview;
mod scope;
mod shown;
mod status;
pub mod token;

pub use client_match::{SeenClient, last_question};
pub use confirmation::confirm;
pub use diagnostics::{ConnectionProblem, ConnectionState, Diagnosis, DiagnosticInput, diagnose};
pub use discovery::DataFolder;
pub use entries::{BACKGROUND_HEADER, Endpoint, SERVER, SESSION_HEADER, SESSION_VARIABLE, WAIT_SECONDS};
pub use env::{ConfigPath, Env, Os};
pub use error::{FileError, FileErrorKind};
pub use file::texts_of;
pub use hook_command::{find_askdesk, hook_command};
pub use plan::{Change, Note, Plan, connect, disconnect};
pub use preview::TokenDisplay;
pub use scope::Scope;
pub use status::{
    EntryState, FileStatus, Installed, WaitLimit, as_connected, file_statuses, installed, installed_versions,
    obstacles, wait_limit,
};
pub use token::Token;
