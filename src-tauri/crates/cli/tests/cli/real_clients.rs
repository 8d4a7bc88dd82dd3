//! Real MCP clients, registered with `askdesk connect`: they ask, the test answers, and they report what they received. Their
//! models are mocks on loopback, so nothing needs a network.

mod agents;
mod confirmations;
mod fixture;
mod official;
mod patience;
