//! Why a command is refused; expected, and never a fault of the app.

use crate::id::Timestamp;
use crate::request::EndedBy;

/// Why a command changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reject {
    /// No such request, approval or session.
    #[error("there is no {what} with this id")]
    NotFound {
        /// What was looked for.
        what: &'static str,
    },
    /// The request or approval has already ended in another way.
    #[error("it has already ended")]
    AlreadyEnded {
        /// Who or what ended it.
        by: EndedBy,
        /// When.
        at: Timestamp,
    },
    /// A field breaks a rule.
    #[error("{field}: {rule}")]
    Invalid {
        /// The field's path.
        field: String,
        /// The rule, and what came instead.
        rule: String,
    },
    /// The session has ended; nothing can reach it.
    #[error("the session has ended")]
    SessionGone,
    /// The agent was asked and refused, or did not answer.
    #[error("{words}")]
    AgentRefused {
        /// What it said.
        words: String,
    },
    /// The agent of this session cannot do that.
    #[error("{what} is not supported by this agent")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },
}

impl Reject {
    /// Names a field and the rule it breaks.
    pub fn invalid(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), rule: rule.into() }
    }
}
