//! Registering the desk with the programs whose agents should ask over it.
//!
//! Each client has files of its own, in which other things stand that are none of our business. So an edit is a pure
//! function from text to text ([`edit`]) that touches nothing but our entry and refuses in words what it does not
//! understand; a [`Plan`] is found out before anything is written, shown to the person, and then done as a whole.
//!
//! This crate knows no window, no server and no engine; it reads and writes files, and waits for nobody.

mod client;
pub mod desk;
pub mod edit;
mod file;
mod plan;
mod refusal;
mod standing;
mod surroundings;
mod table;

pub use client::{Client, Scope, UnknownClient};
pub use plan::{Change, Done, Note, Plan, connect, disconnect};
pub use refusal::{Refusal, Why};
pub use standing::{Entry, Installed, Limit, Obstacle, Standing, installed, limit, obstacles, standings};
pub use surroundings::{Place, Surroundings, System};
pub use table::{Door, SERVER, WAIT_SECONDS};
