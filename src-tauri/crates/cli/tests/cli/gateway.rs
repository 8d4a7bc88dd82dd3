//! What these tests share with the gateway's own.

#![allow(dead_code, reason = "the gateway's tests use the rest")]

#[path = "../../../gateway/tests/gateway/fixture.rs"]
pub mod fixture;
#[path = "../../../gateway/tests/gateway/mcp_client.rs"]
pub mod mcp_client;
#[path = "../../../gateway/tests/gateway/real_claude.rs"]
pub mod real_claude;
