//! Opens a folder, or a file at a line, in another program of the user's: an editor, or a terminal.
//!
//! [`Search`] finds the installed programs, [`Programs`] builds the arguments for one of them, and [`start`] starts it. The
//! arguments are a list from beginning to end: no shell takes part, and nothing that was joined is ever split again.

mod arguments;
mod command;
mod programs;
mod search;
mod start;
mod target;

pub use programs::Programs;
pub use search::{Os, Search};
pub use start::{Launch, start};
pub use target::{PATH_BYTES, Target};
