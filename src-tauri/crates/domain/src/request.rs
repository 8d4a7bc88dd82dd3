//! Requests: one call of an agent with its questions, from the moment it is asked to its single end.

use serde::{Deserialize, Serialize};

use crate::answer::Answers;
use crate::ended_by::EndedBy;
use crate::error::DeliveryError;
use crate::id::{AnswerId, HelperId, NativeRef, RequestId, SessionId, Timestamp};
use crate::question::Question;
use crate::rejection::Rejection;
use crate::session::Session;

/// A time limit, which only the asker can set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Limit {
    pub at: Timestamp,
    /// What happens then, in the asker's own words.
    pub then: String,
}

/// One call of an agent with its questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Request {
    pub id: RequestId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// The subagent or connected app that asks, if it is not the session itself.
    pub asked_by: Option<String>,
    /// The helper of the agent that asks; none if the agent itself or a connected app asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub helper: Option<HelperId>,
    /// At least one question.
    pub questions: Vec<Question>,
    pub asked_at: Timestamp,
    /// A time limit, if one was set.
    pub limit: Option<Limit>,
    #[serde(default, skip_serializing_if = "Asker::waits")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Asker>"))]
    pub asker: Asker,
    /// Open, or how it ended.
    pub state: RequestState,
}

/// What an asker does until it has the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Asker {
    /// Its call stays open.
    #[default]
    Waits,
    /// Its call has ended. The answer is sent as a message, into the running turn or as the beginning of one.
    GoesOn,
    /// Its call stays open in the background of its client. The answer is the call's result, which the client hands on as a
    /// notification, not as the user's words.
    InBackground,
}

impl Asker {
    pub const fn waits(&self) -> bool {
        matches!(self, Self::Waits)
    }
}

impl Request {
    pub fn is_open(&self) -> bool {
        matches!(self.state, RequestState::Open)
    }

    /// Returns how the request ended, if it did.
    pub fn ended(&self) -> Option<&Ended> {
        match &self.state {
            RequestState::Open => None,
            RequestState::Ended(ended) => Some(ended),
        }
    }

    /// Returns whether a subagent asks, and not the session's own agent or app.
    pub fn is_by_subagent(&self, session: &Session) -> bool {
        self.asked_by.is_some() && self.asked_by.as_deref() != session.origin.client()
    }

    /// Returns whether only the user can move it on: it is open, or its outcome couldn't be delivered.
    pub fn needs_user(&self) -> bool {
        self.ended().is_none_or(|ended| matches!(ended.delivery, Some(Delivery::Failed { .. })))
    }

    /// Returns whether the request still concerns the user: it is open, or its outcome has not reached the agent.
    pub fn is_live(&self) -> bool {
        match &self.state {
            RequestState::Open => true,
            RequestState::Ended(ended) => match ended.delivery {
                Some(Delivery::Pending | Delivery::Failed { .. }) => true,
                // Only an answer is useful to an agent that has moved on.
                Some(Delivery::Parked) => ended.outcome.can_come_late(),
                Some(Delivery::Delivered { .. }) | None => false,
            },
        }
    }

    /// Returns whether it ended without the user, who can still answer it.
    pub fn is_missed(&self) -> bool {
        self.ended().is_some_and(|ended| matches!(ended.outcome, Outcome::Orphaned { .. } | Outcome::Expired))
    }
}

/// Whether a request is open or has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RequestState {
    /// Awaits an outcome.
    Open,
    Ended(Ended),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Ended {
    pub outcome: Outcome,
    pub at: Timestamp,
    /// How far the outcome has traveled to the agent; none if it needs no delivery.
    pub delivery: Option<Delivery>,
    /// The id of the answer, if the program that gave it sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub answer: Option<AnswerId>,
}

impl Ended {
    /// Rejects a command that comes after this end.
    pub fn rejection(&self) -> Rejection {
        Rejection::AlreadyEnded { by: self.outcome.by(), at: self.at }
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Outcome {
    /// The user answered at least one question.
    Answered { answers: Answers },
    /// The user declined to answer.
    Declined {
        /// The user's message.
        words: Option<String>,
    },
    /// The user sent an ordinary message instead.
    RepliedInChat { text: String },
    /// Its time limit has passed.
    Expired,
    /// It was withdrawn, or closed without an answer here.
    Withdrawn { why: WithdrawnWhy },
    /// Its session is gone.
    Orphaned { why: OrphanedWhy },
}

impl Outcome {
    /// Returns who or what ended the request.
    pub const fn by(&self) -> EndedBy {
        match self {
            Self::Answered { .. } | Self::Declined { .. } => EndedBy::User,
            Self::RepliedInChat { .. } => EndedBy::UserInChat,
            Self::Expired => EndedBy::Limit,
            Self::Withdrawn { why: WithdrawnWhy::Canceled { .. } | WithdrawnWhy::Interrupted } => {
                EndedBy::User
            }
            Self::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere } => EndedBy::Elsewhere,
            Self::Withdrawn { why: WithdrawnWhy::ByAgent | WithdrawnWhy::TurnEnded } => EndedBy::Agent,
            Self::Orphaned { .. } => EndedBy::Session,
        }
    }

    /// Returns whether the answers include a secret.
    pub fn gives_secret(&self) -> bool {
        matches!(self, Self::Answered { answers } if answers.iter().any(|answer| answer.secret_given))
    }

    /// Returns whether it is still worth sending after the call is closed.
    pub const fn can_come_late(&self) -> bool {
        matches!(self, Self::Answered { .. } | Self::Declined { .. })
    }

    /// Returns whether the agent waits for this outcome.
    pub const fn needs_delivery(&self) -> bool {
        match self {
            Self::Answered { .. } | Self::Declined { .. } | Self::RepliedInChat { .. } | Self::Expired => {
                true
            }
            Self::Withdrawn { why } => matches!(why, WithdrawnWhy::Canceled { .. }),
            Self::Orphaned { .. } => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum WithdrawnWhy {
    ByAgent,
    /// The agent's turn ended while it was open.
    TurnEnded,
    /// The user interrupted the agent.
    Interrupted,
    AnsweredElsewhere,
    /// The user closed it without an answer.
    Canceled {
        /// The user's message.
        reason: Option<String>,
    },
}

/// Why the asker of an orphaned request is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OrphanedWhy {
    AgentEnded,
    SessionStopped,
    /// The app ended while it was open.
    AppQuit,
    /// The connected app withdrew its call, or is gone.
    CallerGone,
}

/// How far an outcome has traveled to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "delivery", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Delivery {
    Pending,
    /// The agent has shown that it has it.
    Delivered {
        at: Timestamp,
        /// Whether it was sent as a message after the call was closed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
        late: bool,
    },
    /// It could not be delivered; it can be retried.
    Failed {
        error: DeliveryError,
    },
    /// Saved until an agent can take it.
    Parked,
}

/// How far an outcome has traveled to one of several calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDelivery {
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    pub delivery: Delivery,
}
