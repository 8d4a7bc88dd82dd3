//! How each agent is started, understood and answered.
//!
//! An [`Adapter`] is sans-IO: what an agent sends goes in, and out come [`AgentEvent`]s and what is to be written. A
//! [`Link`] moves bytes and owns processes. Neither knows the other, the journal or the screen.

mod abridge;
pub mod adapter;
pub mod agent;
mod bounds;
pub mod catalog;
pub mod claude;
pub mod codex;
pub mod connection;
pub mod demo;
mod elicitation;
pub mod event;
pub mod event_queue;
mod json;
pub mod late_answers;
pub mod launch;
pub mod line_decoder;
pub mod line_writer;
pub mod link;
pub mod link_event;
mod not_understood;
mod open_calls;
pub mod opencode;
pub mod own_sessions;
mod program_file;
pub mod question_json;
pub mod rpc;
mod secrets;
mod sign_in;
mod sign_in_probe;
pub mod supervisor;
mod tool_input;
pub mod tool_result;
pub mod version;

pub use adapter::{
    Action, Adapter, Attached, EncodeError, Inbound, Open, Outbound, Output, Partial, QuestionRefusal,
};
pub use agent::{Agent, PermissionFile, PermissionList, Plan, SessionPlan, Start};
pub use catalog::{Catalog, installed_agents};
pub use connection::{
    Connection, Handshake, HttpMethod, HttpRequest, JsonRpcConnection, JsonRpcRules, MemberId, Routed,
};
pub use demo::Demo;
pub use event::{
    AgentEvent, ApprovalAsked, Asked, Configuration, Conversation, Helpers, InputError, Requests, Retry,
    RetryBegins, Trouble, WHOLE_LINE,
};
pub use event_queue::ProcessEvents;
pub use late_answers::LateMessage;
pub use launch::{LaunchPlan, expand_home};
pub use line_writer::WriteError;
pub use link::{
    Address, AttachedPlan, HttpPlan, Link, LinkEvents, LinkPlan, Links, NewConnection, SharedPlan,
};
pub use link_event::{Exit, LinkEnd, LinkEvent};
pub use opencode::OpenCode;
pub use own_sessions::{OwnSession, OwnSessions, PastConversation, Said, Unanswered, ask_server};
pub use rpc::{RpcError, RpcIn, RpcMessage, RpcOut};
pub use secrets::Secrets;
pub use sign_in::SignIn;
pub use sign_in_probe::SignInProbe;
pub use supervisor::AgentProcess;
pub use tool_result::ResultImage;
pub use version::{FoundVersion, found_version};
