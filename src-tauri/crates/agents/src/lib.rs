//! How each agent is started, understood and answered.
//!
//! An [`Adapter`] is sans-IO: what an agent sends goes in, and out come [`AgentEvent`]s and what is to be written. A
//! [`Link`] moves bytes and owns processes. Neither knows the other, the journal or the screen.

pub mod adapter;
pub mod agent;
pub mod catalog;
pub mod claude;
pub mod connection;
pub mod demo;
pub mod error;
pub mod event;
pub mod frame;
pub mod late;
pub mod launch;
pub mod line;
pub mod link;
pub mod question_json;
pub mod supervisor;
pub mod version;

pub use adapter::{Act, Adapter, Attached, EncodeError, Inbound, Open, Outbound, Output, QuestionRefusal};
pub use agent::{Agent, Prepared, Start};
pub use catalog::{Catalog, installed_agents};
pub use connection::{Connection, Hello, JsonRpcConnection, JsonRpcRules, Routed, Seat};
pub use demo::Demo;
pub use error::WriteError;
pub use event::{AgentEvent, Asked, Unusable};
pub use frame::{FrameIn, FrameOut, RpcError};
pub use late::late_words;
pub use launch::{LaunchPlan, expand_home};
pub use line::MAX_LINE;
pub use link::{
    Address, AttachedPlan, Link, LinkEnd, LinkEvent, LinkEvents, LinkPlan, Links, NewConnection, SharedPlan,
};
pub use supervisor::{AgentProcess, Exit, Lines};
pub use version::ask_version;
