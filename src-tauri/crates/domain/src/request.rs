//! A request: one call of an agent with its questions, from asked to its one end.

use serde::{Deserialize, Serialize};

use crate::agent_failure::known_or_text;
use crate::answer::Answers;
use crate::ended_by::EndedBy;
use crate::error::DeliveryError;
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::question::Question;
use crate::session::Session;

/// A deadline somebody set on a request, and nothing sets by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Limit {
    pub at: Timestamp,
    /// What happens then, in the words of whoever set it.
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
    /// The subagent or client that asks, where it is not the session itself.
    pub asked_by: Option<String>,
    /// At least one question.
    pub questions: Vec<Question>,
    pub asked_at: Timestamp,
    /// A deadline, if one was set.
    pub limit: Option<Limit>,
    /// Open, or how it ended.
    pub state: RequestState,
}

impl Request {
    /// Says whether the request still waits for an end.
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

    /// Says whether somebody else than the session's own agent or client asks: a subagent of it.
    pub fn is_by_subagent(&self, session: &Session) -> bool {
        self.asked_by.is_some() && self.asked_by.as_deref() != session.origin.client()
    }

    /// Says whether a person still has something to do or to watch: open, or its end has not reached the agent.
    pub fn is_live(&self) -> bool {
        match &self.state {
            RequestState::Open => true,
            RequestState::Ended(ended) => match ended.delivery {
                Some(Delivery::Pending | Delivery::Failed { .. }) => true,
                // What is not an answer is of no use to an agent that has gone on.
                Some(Delivery::Parked) => ended.outcome.can_come_late(),
                Some(Delivery::Delivered { .. }) | None => false,
            },
        }
    }

    /// Says whether it ended without the person, who may still answer it.
    pub fn is_missed(&self) -> bool {
        self.ended().is_some_and(|ended| matches!(ended.outcome, Outcome::Orphaned { .. } | Outcome::Expired))
    }
}

/// Whether a request waits or has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RequestState {
    /// Waits for an end.
    Open,
    Ended(Ended),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Ended {
    pub outcome: Outcome,
    pub at: Timestamp,
    /// How far the end has travelled to the agent; none where there is nobody to tell.
    pub delivery: Option<Delivery>,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Outcome {
    /// The person answered at least one question.
    Answered { answers: Answers },
    /// The person declined to answer.
    Declined {
        /// What the person said about it.
        words: Option<String>,
    },
    /// The person wrote an ordinary message instead.
    RepliedInChat { text: String },
    /// A limit somebody set has passed.
    Expired,
    /// The request was taken back.
    Withdrawn { why: WithdrawnWhy },
    /// The session that asked is gone.
    Orphaned { why: OrphanedWhy },
}

impl Outcome {
    /// Names who or what ended the request.
    pub const fn by(&self) -> EndedBy {
        match self {
            Self::Answered { .. } | Self::Declined { .. } => EndedBy::Person,
            Self::RepliedInChat { .. } => EndedBy::PersonInChat,
            Self::Expired => EndedBy::Limit,
            Self::Withdrawn { why: WithdrawnWhy::Cancelled { .. } | WithdrawnWhy::Interrupted } => {
                EndedBy::Person
            }
            Self::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere } => EndedBy::Elsewhere,
            Self::Withdrawn { why: WithdrawnWhy::ByAgent | WithdrawnWhy::TurnEnded } => EndedBy::Agent,
            Self::Orphaned { .. } => EndedBy::Session,
        }
    }

    /// Says whether a secret was given with it.
    pub fn gives_secret(&self) -> bool {
        matches!(self, Self::Answered { answers } if answers.iter().any(|answer| answer.secret_given))
    }

    /// Says whether it is worth telling an agent after the call is closed.
    pub const fn can_come_late(&self) -> bool {
        matches!(self, Self::Answered { .. } | Self::Declined { .. })
    }

    /// Says whether the agent waits to be told of this end.
    pub const fn needs_delivery(&self) -> bool {
        match self {
            Self::Answered { .. } | Self::Declined { .. } | Self::RepliedInChat { .. } | Self::Expired => {
                true
            }
            Self::Withdrawn { why } => matches!(why, WithdrawnWhy::Cancelled { .. }),
            Self::Orphaned { .. } => false,
        }
    }
}

/// Why a request was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum WithdrawnWhy {
    ByAgent,
    /// The agent's turn ended while it was open.
    TurnEnded,
    /// The person interrupted the agent.
    Interrupted,
    /// It was answered in another place.
    AnsweredElsewhere,
    /// The person closed it without an answer.
    Cancelled {
        /// What the person said about it.
        reason: Option<String>,
    },
}

/// What became of whoever asked an orphaned request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OrphanedWhy {
    AgentEnded,
    SessionStopped,
    /// The app ended while it was open.
    AppQuit,
    /// The client that asked waits no more: it took its call back, or is gone.
    CallerGone,
}

/// How far an end has travelled to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "delivery", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Delivery {
    Pending,
    /// The agent has shown that it has it.
    Delivered {
        at: Timestamp,
        /// Whether it came as a message after the call was closed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
        late: bool,
    },
    /// It could not be handed over; it can be tried again.
    Failed {
        /// What went wrong; earlier versions kept it as a sentence.
        #[serde(deserialize_with = "known_or_text")]
        error: DeliveryError,
    },
    /// Nobody is there to take it.
    Parked,
}

/// How far an end has travelled to one of several calls that wait for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDelivery {
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    pub delivery: Delivery,
}
