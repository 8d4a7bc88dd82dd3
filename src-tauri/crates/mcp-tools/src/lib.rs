//! The MCP tools: their names, descriptions and schemas, and the texts that don't depend on a question.
//!
//! The gateway and `askdesk mcp` both use this crate, so that clients see no difference. It doesn't know the engine or the
//! gateway.

mod client;
mod result;
mod roots;
pub mod shown;
mod tool;

pub use client::{Client, Folder};
pub use result::{CANCELED, CallResult, GONE, cut_off, kept, refused, waiting_words};
pub use tool::{LONGEST_LIMIT, SHORTEST_LIMIT, TITLE_CHARS, Tool};
