//! The doors for other people's agents: a server on this machine's own address, where a client of any kind asks the person
//! at the desk and waits for the answer.
//!
//! It knows MCP, HTTP and the token. It decides nothing about a question: that is the engine's.

pub mod arguments;
mod call;
mod connections;
mod denied;
mod desk;
pub mod discovery;
mod guard;
mod handover;
pub mod hook;
mod hook_door;
mod mcp_door;
mod mcp_front;
mod metrics;
pub mod pace;
mod requests;
pub mod result;
mod routes;
mod server;
mod terminals;
pub mod token;
mod trial;
mod v1;

pub use discovery::Discovery;
pub use guard::BODY_BYTES;
pub use server::{CONNECTIONS, DoorError, DoorSpec, Doors, Times};
