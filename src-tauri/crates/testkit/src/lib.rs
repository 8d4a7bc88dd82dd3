//! Stand-ins for the outside world: an agent program, the model's HTTP API, and the pinned real agent CLIs.
//!
//! The [`fake_agent`] is also the demo agent of the desktop app, so it builds with no features; everything that
//! only tests want is behind `mock-api`.

pub mod clis;
pub mod fake_agent;
pub mod mcp_clients;
#[cfg(feature = "mock-api")]
pub mod mock_api;
