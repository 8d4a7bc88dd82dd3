//! The interface of an agent's protocol, without the words of any one agent.

use std::fmt::Debug;

use askdesk_domain::text::with_words;
use askdesk_domain::{
    ApprovalDecision, ConfigId, HelperId, ImageFormat, NativeRef, NativeSession, Notice, Outcome, Question,
    QuestionPolicy, Request, ValueId, WithdrawnWhy,
};
use askdesk_outside_json::Lost;
use uuid::Uuid;

use crate::event::{AgentEvent, InputError, Trouble, WHOLE_LINE};
use crate::late_answers::{LateMessage, late_answer_message};
use crate::rpc::{RpcIn, RpcOut};

/// Understands and answers one session of an agent.
///
/// It is sans-IO: inbound data goes in, events and outbound data come out. It reads no clock and holds only what its
/// protocol needs to answer.
pub trait Adapter: Send + Debug {
    /// Begins the session; called once, before anything else.
    fn open(&mut self, how: Open) -> Output;

    /// Interprets what the agent sent.
    fn receive(&mut self, inbound: &Inbound) -> Output;

    fn send(&mut self, action: Action) -> Result<Output, EncodeError>;

    /// Stops one helper; `None` for an agent that can't stop one alone.
    fn stop_helper(&mut self, _: HelperId) -> Option<Output> {
        None
    }

    /// Answers [`Requests::ToolCallProposed`](crate::Requests::ToolCallProposed) with whether the call needs a permission,
    /// whatever the agent's own rules say; `None` for an agent that proposes no calls.
    fn review_call(&mut self, _: &NativeRef, _ask: bool) -> Option<Output> {
        None
    }

    /// Puts answers that no call waits for into one message.
    fn late_message(&self, requests: &[Request]) -> LateMessage {
        late_answer_message(requests)
    }
}

/// How a session begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    New,
    Resume {
        /// The agent's own id of it.
        native_session: NativeSession,
    },
    /// Begins with a copy of another session's conversation. That session stays as it is.
    Fork {
        /// The agent's own id of the other session.
        native_session: NativeSession,
        /// The agent's own name of the place where the copy ends, as in [`Said::User`](crate::Said::User); none copies all.
        place: Option<String>,
    },
}

impl Open {
    /// Returns the session that goes on under its own id.
    pub const fn resumed(&self) -> Option<&NativeSession> {
        match self {
            Self::Resume { native_session } => Some(native_session),
            Self::New | Self::Fork { .. } => None,
        }
    }

    /// Whether there was a conversation before.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::New)
    }
}

/// The result of a call: the events it means, and what has to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pub events: Vec<AgentEvent>,
    /// To be written at once, in order.
    pub outbound: Vec<Outbound>,
}

impl Output {
    pub fn event(&mut self, event: impl Into<AgentEvent>) {
        self.events.push(event.into());
    }

    pub fn notice(&mut self, notice: Notice) {
        self.event(Trouble::Noticed { notice });
    }

    /// Reports something that was received and not understood.
    pub fn invalid(&mut self, why: InputError) {
        self.event(Trouble::InvalidInput { why });
    }

    /// Makes an output of one line to write.
    pub fn of_line(line: String) -> Self {
        Self { outbound: vec![Outbound::Line(line)], ..Self::default() }
    }

    /// Adds a line to write.
    pub fn line(&mut self, line: String) {
        self.outbound.push(Outbound::Line(line));
    }

    /// Adds a message for a shared server.
    pub fn rpc(&mut self, message: RpcOut) {
        self.outbound.push(Outbound::Rpc(message));
    }
}

/// What arrives from an agent over its link.
#[derive(Clone, Debug, PartialEq)]
pub enum Inbound {
    /// A line without its line feed.
    Line(Vec<u8>),
    /// A line or message of which only a part can be passed on. What is left out has a mark where there is place for one.
    Abridged {
        /// What is kept: valid JSON if the line was.
        line: Vec<u8>,
        why: Partial,
    },
    End {
        /// What came after the last line feed.
        unfinished: Vec<u8>,
    },
    /// A message of a link that several sessions share.
    Rpc(RpcIn),
}

impl Inbound {
    /// Quotes it for a log, as it arrived.
    pub fn quoted(&self) -> String {
        match self {
            Self::Line(bytes) | Self::Abridged { line: bytes, .. } | Self::End { unfinished: bytes } => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Self::Rpc(message) => message.quoted(),
        }
    }
}

/// What is written to an agent over its link.
#[derive(Clone, Debug, PartialEq)]
pub enum Outbound {
    /// A line; the link adds the line feed.
    Line(String),
    /// A message of a link that several sessions share.
    Rpc(RpcOut),
}

/// An action for an agent to carry out.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Message {
        /// Names it in [`Conversation::MessageTaken`](crate::Conversation::MessageTaken).
        id: Uuid,
        text: String,
        /// What goes along with it.
        attached: Attached,
    },
    /// How a question ended. It may be sent again until the agent has acknowledged it.
    Answer {
        /// The agent's id of the call.
        native_ref: NativeRef,
        questions: Vec<Question>,
        outcome: Outcome,
    },
    /// A valid question that the user is not asked.
    RefuseQuestion {
        /// The agent's id of the call.
        native_ref: NativeRef,
        /// Why nobody is asked.
        why: QuestionRefusal,
    },
    /// What the user decided on an approval.
    Decide {
        /// The agent's id of the permission request.
        native_ref: NativeRef,
        decision: ApprovalDecision,
    },
    /// A config option gets another value; the agent answers with [`Configuration::ConfigAnswered`](crate::Configuration::ConfigAnswered).
    SetConfig {
        /// Comes back with the agent's answer.
        ticket: u64,
        option: ConfigId,
        value: ValueId,
    },
    /// Stop the turn.
    Interrupt,
    /// Make the context smaller.
    Compact,
    /// The session ends. What runs is stopped, so that the agent begins nothing more.
    Close,
}

/// Why the user is not asked a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionRefusal {
    /// The question could not be stored.
    Unkept {
        /// The field and the rule, as the agent reads them.
        reason: String,
    },
    /// The disk refused the question for too long.
    NotStored {
        /// What the disk said.
        reason: String,
    },
    /// The questions of this session are off.
    TurnedOff { policy: QuestionPolicy },
}

impl QuestionRefusal {
    /// Tells the agent why nobody is asked, and what to do instead.
    pub fn words(&self) -> String {
        match self {
            Self::Unkept { reason } => {
                format!("The question could not be shown to the user. {reason}. Fix the call and ask again.")
            }
            Self::NotStored { reason } => format!(
                "Nobody was asked. {reason}. Your call is right; the disk of the user's computer is at fault. Tell the \
                 user, and ask again later."
            ),
            Self::TurnedOff { policy: QuestionPolicy::PlanOnly } => {
                "The user takes questions in this session only while you are in plan mode, and you are not in it. Nobody \
                 was asked. Decide for yourself, say what you assumed, and continue."
                    .to_owned()
            }
            Self::TurnedOff { policy: QuestionPolicy::Always | QuestionPolicy::Never } => {
                "The user takes no questions in this session. Nobody was asked. Decide for yourself, say what you assumed, \
                 and continue."
                    .to_owned()
            }
        }
    }
}

const CLOSED: &str = "The user closed the question without answering it.";
const EXPIRED: &str = "The time limit set for this question has passed without an answer. An answer may still come; \
                       until then, continue without it, or say what you need.";

/// Tells the agent that a question has no answer. What a message of the user means for it differs from agent to agent.
pub(crate) fn refusal_words(outcome: &Outcome, in_chat: &str) -> Result<String, EncodeError> {
    match outcome {
        Outcome::Declined { words } => Ok(with_words("The user declined to answer.", words.as_deref())),
        Outcome::RepliedInChat { .. } => Ok(in_chat.to_owned()),
        Outcome::Expired => Ok(EXPIRED.to_owned()),
        Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason } } => {
            Ok(with_words(CLOSED, reason.as_deref()))
        }
        Outcome::Answered { .. } | Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => {
            Err(EncodeError::NothingToSend)
        }
    }
}

/// Why a part of a message is missing. What is not shown whole is not decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Partial {
    /// Long strings are cut, and values without room are left out.
    #[error("it is too large ({bytes} bytes; the limit is {WHOLE_LINE})")]
    TooLarge {
        /// The length of the whole message.
        bytes: usize,
    },
    #[error(transparent)]
    Unread(#[from] Lost),
}

impl Partial {
    /// Tells the agent that its request was not shown, and what to do instead.
    pub(crate) fn refusal(self) -> String {
        let instead = match self {
            Self::TooLarge { .. } => "Split it into smaller requests",
            Self::Unread(Lost::Depth) => "Nest it less deeply",
            Self::Unread(Lost::Malformed) => "Send it as valid JSON",
        };
        format!(
            "The request could not be shown to the user: {self}. Nothing was allowed. {instead} and ask again."
        )
    }
}

impl From<Partial> for InputError {
    fn from(why: Partial) -> Self {
        match why {
            Partial::TooLarge { bytes } => Self::TooLong { bytes },
            Partial::Unread(Lost::Depth) => Self::TooDeep,
            Partial::Unread(Lost::Malformed) => Self::NotJson,
        }
    }
}

/// What goes along with a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// The images, with their bytes.
    pub images: Vec<(ImageFormat, Vec<u8>)>,
    pub files: Vec<String>,
}

/// Why an action cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    #[error("the agent isn't waiting for this outcome")]
    NothingToSend,
    /// The call has ended, or the agent never made it.
    #[error("the agent is no longer waiting for the call {native_ref}")]
    Gone {
        /// The agent's id of the call.
        native_ref: NativeRef,
    },
    /// The agent doesn't take this value, or not now.
    #[error("the agent doesn't support {what}")]
    Refused {
        /// What it doesn't take, as a noun phrase.
        what: &'static str,
    },
}

impl EncodeError {
    pub(crate) fn gone(native_ref: &NativeRef) -> Self {
        Self::Gone { native_ref: native_ref.clone() }
    }
}
