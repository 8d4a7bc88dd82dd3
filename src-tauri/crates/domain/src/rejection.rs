//! Why a command is rejected. Rejections are expected and never a fault of the app.

use serde::{Deserialize, Serialize};

use crate::ended_by::EndedBy;
use crate::error::{DeliveryError, ValidationError};
use crate::id::Timestamp;

/// Why a command changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no request, approval or session with this id.
    #[error("there is no {what} with this ID")]
    NotFound { what: &'static str },
    /// The request or approval has already ended in another way.
    #[error("it has already ended")]
    AlreadyEnded { by: EndedBy, at: Timestamp },
    /// A field breaks a rule.
    #[error("{field}: {rule}")]
    Invalid {
        field: String,
        /// The rule, and the value that breaks it.
        rule: ValidationError,
    },
    /// The session has ended, so it can't be reached.
    #[error("the session has ended")]
    SessionGone,
    /// The agent was asked and refused, or did not answer.
    #[error("{why}")]
    AgentRefused {
        /// The agent's reason, or why there is none.
        why: ChangeRefused,
    },
    /// The agent of this session doesn't support it.
    #[error("this agent doesn't support {what}")]
    Unsupported { what: UnsupportedFeature },
}

/// Why the agent did not make a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refused", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ChangeRefused {
    #[error("{words}")]
    InWords { words: String },
    /// It did not answer in time.
    #[error("The agent didn't respond within {seconds} seconds.")]
    Unanswered {
        /// How long Askdesk waited for it.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        seconds: u64,
    },
    /// Earlier changes are still unanswered.
    #[error("The agent hasn't confirmed earlier changes yet. Try again in a moment.")]
    OthersWait,
    /// It can do this only between turns.
    #[error("The agent is working. Try again once its turn has ended.")]
    Working,
    #[error("{why}")]
    Unreached { why: DeliveryError },
    /// It was to fork a session before a message where no fork can end.
    #[error(
        "The agent can't fork right before this message: it wasn't the first of its turn, is too far back, or isn't in the \
         agent's own history. Fork before another message."
    )]
    NoPlace,
    /// It was to fork a session in which nothing was said yet.
    #[error("The agent has no conversation to fork yet. Send it a message first.")]
    NothingSaid,
}

/// A feature that some agents don't support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UnsupportedFeature {
    /// Attaching images and files.
    #[error("attaching images and files")]
    Attaching,
    /// Continuing a session with the agent's own program in a terminal.
    #[error("continuing a session in a terminal")]
    ContinuingInTerminal,
    /// Making the context smaller when asked.
    #[error("compacting its context")]
    Compacting,
    #[error("stopping a background task alone")]
    StoppingHelper,
    /// Beginning a session with a copy of another one's conversation.
    #[error("forking a session")]
    Forking,
    #[error("signing in")]
    SigningIn,
}

impl Rejection {
    /// Names a field and the rule it breaks.
    pub fn invalid(field: impl Into<String>, rule: impl Into<ValidationError>) -> Self {
        Self::Invalid { field: field.into(), rule: rule.into() }
    }
}
