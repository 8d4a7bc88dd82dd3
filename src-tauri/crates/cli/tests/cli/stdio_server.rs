//! `askdesk mcp`, through the library's own client over the pipes of a child process.

mod app_start;
mod calls;
mod client_exit;
mod mcp_client;
mod pipes;
mod real_claude;
mod restarts;
