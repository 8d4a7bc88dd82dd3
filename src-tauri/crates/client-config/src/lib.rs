//! Registering the desk with the programs whose agents should ask over it.
//!
//! Each client has files of its own, in which other things stand that are none of our business. So an edit is a pure
//! function from text to text ([`edit`]) that touches nothing but our entry and refuses in words what it does not
//! understand; a [`Plan`] is found out before anything is written, shown to the person, and then done as a whole.
//!
//! This crate knows no window, no server and no engine; it reads and writes files. It waits for nobody but, in [`version`], for
//! a program that is asked which version it is.

mod checkup;
mod client;
pub mod desk;
pub mod edit;
mod file;
mod plan;
mod preview;
mod program;
mod refusal;
mod seen;
mod standing;
mod surroundings;
mod table;
pub mod version;

pub use checkup::{Break, Checkup, Examined, Way, check};
pub use client::{Client, Scope, UnknownClient};
pub use plan::{Change, Done, Note, Plan, connect, disconnect};
pub use preview::Tokens;
pub use program::{beside_or_on_path, hook_command};
pub use refusal::{Refusal, Why};
pub use seen::{Seen, last_question};
pub use standing::{
    Entry, Installed, Limit, Obstacle, Standing, as_connected, installed, limit, obstacles, standings,
};
pub use surroundings::{Place, Surroundings, System};
pub use table::{Door, SERVER, WAIT_SECONDS};
