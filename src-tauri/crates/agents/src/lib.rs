//! How each agent is started, understood and answered.
//!
//! An adapter is sans-IO: bytes of the agent go in, [`AgentEvent`]s come out, and what is to be written comes out as a
//! line. The [`supervisor`] alone owns a process. Neither knows sessions, clocks or the screen.

pub mod claude;
pub mod error;
pub mod event;
pub mod launch;
pub mod line;
pub mod question_json;
pub mod supervisor;
pub mod version;

pub use claude::{Attached, BARE_GRACE, ClaudeStream, ControlRequest, EncodeError, Encoded};
pub use claude::{ClaudeOptions, claude_launch, find_claude};
pub use claude::{claude_resume, late_words, no_longer_has};
pub use error::WriteError;
pub use event::{AgentEvent, Asked, Unusable};
pub use launch::LaunchPlan;
pub use line::MAX_LINE;
pub use supervisor::{AgentProcess, Exit, Lines, Output};
pub use version::ask_version;
