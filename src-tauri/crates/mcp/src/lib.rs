//! The doors for other people's agents: a server on this machine's own address, where a client of any kind asks the person
//! at the desk and waits for the answer.
//!
//! It knows MCP, HTTP and the token. It decides nothing about a question: that is the engine's.

pub mod arguments;
pub mod hook;
pub mod result;
pub mod tools;
