//! Finds what has changed in a folder since a session began, and shows both sides of each file.
//!
//! It runs the installed git on a private git directory in Askdesk's own data folder. The folder's own repository, if it
//! has one, is only read: its config, hooks, index, and references are neither used nor changed, so nothing that an agent
//! writes into it can make git start a program.

mod budget;
mod compare;
mod counts;
mod git;
mod lines;
mod marks;
mod objects;
mod path_id;
mod relocate;
mod repository;
mod revert;
mod snapshot;
mod tracker;

pub use lines::{diff, lines_of};
pub use marks::{MARKS, PutBack};
pub use path_id::{path_of, path_to_id};
pub use relocate::{moved_path, relocate};
pub use tracker::{FILES_LISTED, Tracker};
