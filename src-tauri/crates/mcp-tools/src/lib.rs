//! What a client of MCP is shown of the desk, by whichever way it comes: the tools, what it is told where there is no answer,
//! and what it says of itself.
//!
//! The server in the desk and its twin on standard input both take it from here, so that no client sees a difference. This
//! crate knows no desk: it asks nobody and waits for nobody but the client.

mod client;
mod result;
mod roots;
pub mod shown;
mod tool;

pub use client::{Client, Folder};
pub use result::{CANCELLED, CallResult, GONE, cut_off, kept, refused, waiting_words};
pub use tool::{LONGEST_LIMIT, SHORTEST_LIMIT, TITLE_CHARS, Tool};
