//! What has happened. The journal stores events; an event is never refused.

use serde::{Deserialize, Serialize};

use crate::agent_failure::known_or_text;
use crate::approval::{Approval, ApprovalDecision};
use crate::config::ConfigOption;
use crate::error::DeliveryError;

use crate::do_not_disturb::SessionNotifications;
use crate::id::{ApprovalId, MessageId, NativeRef, NativeSession, RequestId, SessionId, Timestamp};
use crate::queue::QueuedMessage;
use crate::request::{CallDelivery, Delivery, Limit, Outcome, Request};
use crate::session::{Session, SessionEnd};

/// Something that has happened. Serialized as the event alone: its word in `event` is unique among all four.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(
    clippy::large_enum_variant,
    reason = "events are few and short-lived; a box would be in every pattern"
)]
pub enum Event {
    Session(SessionEvent),
    Queue(QueueEvent),
    Request(RequestEvent),
    Approval(ApprovalEvent),
}

/// What happened to a session or its agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "events are few and short-lived; a box would be in every pattern"
)]
pub enum SessionEvent {
    #[serde(rename = "session_started")]
    Started {
        session: Session,
    },
    /// The agent said its version and model.
    #[serde(rename = "agent_introduced")]
    Introduced {
        session: SessionId,
        version: Option<String>,
        model: Option<String>,
    },
    /// The agent said its own id of the session.
    NativeSessionKnown {
        session: SessionId,
        /// The agent's id of it.
        native_session: NativeSession,
    },
    /// The agent's config options, or their present values, are others now.
    ConfigChanged {
        session: SessionId,
        /// The options with their present values.
        config: Vec<ConfigOption>,
    },
    TurnBegan {
        session: SessionId,
    },
    TurnFinished {
        session: SessionId,
    },
    /// Lines of output could not be used.
    LinesUnusable {
        session: SessionId,
        lines: u64,
    },
    /// A session's process is gone.
    #[serde(rename = "session_ended")]
    Ended {
        session: SessionId,
        end: SessionEnd,
        at: Timestamp,
    },
    /// A session got another name.
    #[serde(rename = "session_renamed")]
    Renamed {
        session: SessionId,
        name: String,
    },
    /// The person said how they want to be told of a session.
    #[serde(rename = "attention_set")]
    NotificationsSet {
        session: SessionId,
        attention: SessionNotifications,
    },
    /// A session got another place in the order.
    #[serde(rename = "session_moved")]
    Moved {
        session: SessionId,
        /// The session it stands before; none for the end.
        before: Option<SessionId>,
    },
    /// A session left the sidebar.
    #[serde(rename = "session_closed")]
    Closed {
        session: SessionId,
        at: Timestamp,
    },
    /// A session's agent was started again, and the session is open again.
    #[serde(rename = "session_resumed")]
    Resumed {
        session: SessionId,
        at: Timestamp,
    },
    /// The agent finished a first piece of output; from then on it can know the session later.
    AgentSpoke {
        session: SessionId,
    },
    /// The agent has no such session any more.
    #[serde(rename = "session_forgotten")]
    Forgotten {
        session: SessionId,
    },
    /// The client of a session is gone, and others still wait for what was asked there.
    ClientLeft {
        session: SessionId,
    },
    /// The person had a session forgotten for good.
    #[serde(rename = "session_deleted")]
    Deleted {
        session: SessionId,
    },
}

impl SessionEvent {
    pub const fn session(&self) -> SessionId {
        match self {
            Self::Started { session } => session.id,
            Self::Introduced { session, .. }
            | Self::NativeSessionKnown { session, .. }
            | Self::ConfigChanged { session, .. }
            | Self::TurnBegan { session, .. }
            | Self::TurnFinished { session, .. }
            | Self::LinesUnusable { session, .. }
            | Self::Ended { session, .. }
            | Self::Renamed { session, .. }
            | Self::NotificationsSet { session, .. }
            | Self::Moved { session, .. }
            | Self::Closed { session, .. }
            | Self::Resumed { session, .. }
            | Self::AgentSpoke { session, .. }
            | Self::Forgotten { session, .. }
            | Self::ClientLeft { session, .. }
            | Self::Deleted { session, .. } => *session,
        }
    }
}

impl From<SessionEvent> for Event {
    fn from(event: SessionEvent) -> Self {
        Self::Session(event)
    }
}

/// What happened to the messages that wait for the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum QueueEvent {
    /// The person wrote a message that waits for the end of the agent's turn.
    #[serde(rename = "message_queued")]
    Added { session: SessionId, message: QueuedMessage },
    /// The person changed the words of a message that waits.
    #[serde(rename = "queued_edited")]
    Edited { session: SessionId, message: QueuedMessage },
    /// The person took back a message that waited.
    #[serde(rename = "queued_removed")]
    Removed { session: SessionId, message: MessageId },
    /// A message that waited goes to the agent.
    #[serde(rename = "queued_sent")]
    Sent { session: SessionId, message: QueuedMessage },
}

impl QueueEvent {
    pub const fn session(&self) -> SessionId {
        match self {
            Self::Added { session, .. }
            | Self::Edited { session, .. }
            | Self::Removed { session, .. }
            | Self::Sent { session, .. } => *session,
        }
    }
}

impl From<QueueEvent> for Event {
    fn from(event: QueueEvent) -> Self {
        Self::Queue(event)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RequestEvent {
    Asked {
        request: Request,
    },
    /// A further call asks what a request asks, and waits for its end together with the others.
    AskedAgain {
        request: RequestId,
        /// The agent's own id of that call.
        native_ref: NativeRef,
        /// The session of that call, where it is another than the request's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guest: Option<SessionId>,
        /// When, where that counts for how long the request takes in further calls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// A request that was missed is open again, because its client asks it again.
    Reopened {
        request: RequestId,
        /// The client's own id of the call that waits for it now.
        native_ref: NativeRef,
        /// The session of that call, where it is another than the request's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guest: Option<SessionId>,
        /// A deadline, if one was set this time.
        limit: Option<Limit>,
        at: Timestamp,
    },
    /// A call that waited for a request together with others was taken back.
    CallLeft {
        request: RequestId,
        /// The agent's own id of that call.
        native_ref: NativeRef,
    },
    Ended {
        request: RequestId,
        /// How; secrets are left out.
        outcome: Outcome,
        at: Timestamp,
    },
    /// The end of a request travelled on.
    DeliveryChanged {
        request: RequestId,
        /// How far, to all calls that wait for it.
        delivery: Delivery,
        /// How far to one of several; none where the request has one call, or its end goes to none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallDelivery>,
    },
    /// The end of a request is about to be handed to the agent; from here on it may have arrived.
    Sending {
        request: RequestId,
        /// Whether it goes as a message, because its call is closed.
        late: bool,
        /// To which of several calls; none where the request has one call, or its end goes as a message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<NativeRef>,
    },
    /// The person answered or declined a request that had ended without them; it waits to be delivered.
    AnsweredLate {
        request: RequestId,
        outcome: Outcome,
        at: Timestamp,
    },
    /// The person wants nothing more of a request that was missed or could not be delivered.
    Dismissed {
        request: RequestId,
        outcome: Outcome,
        /// When it ended so.
        at: Timestamp,
    },
}

impl RequestEvent {
    pub const fn request(&self) -> RequestId {
        match self {
            Self::Asked { request } => request.id,
            Self::AskedAgain { request, .. }
            | Self::Reopened { request, .. }
            | Self::CallLeft { request, .. }
            | Self::Ended { request, .. }
            | Self::DeliveryChanged { request, .. }
            | Self::Sending { request, .. }
            | Self::AnsweredLate { request, .. }
            | Self::Dismissed { request, .. } => *request,
        }
    }
}

impl From<RequestEvent> for Event {
    fn from(event: RequestEvent) -> Self {
        Self::Request(event)
    }
}

/// What happened to a permission request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "events are few and short-lived; a box would be in every pattern"
)]
pub enum ApprovalEvent {
    #[serde(rename = "approval_asked")]
    Asked { approval: Approval },
    #[serde(rename = "approval_decided")]
    Decided { approval: ApprovalId, decision: ApprovalDecision, at: Timestamp },
    /// A decision could not be handed to the agent.
    #[serde(rename = "approval_delivery_failed")]
    DeliveryFailed {
        approval: ApprovalId,
        /// What went wrong; earlier versions kept it as a sentence.
        #[serde(deserialize_with = "known_or_text")]
        error: DeliveryError,
    },
    /// An approval was taken back.
    #[serde(rename = "approval_withdrawn")]
    Withdrawn { approval: ApprovalId, at: Timestamp },
}

impl ApprovalEvent {
    pub const fn approval(&self) -> ApprovalId {
        match self {
            Self::Asked { approval } => approval.id,
            Self::Decided { approval, .. }
            | Self::DeliveryFailed { approval, .. }
            | Self::Withdrawn { approval, .. } => *approval,
        }
    }
}

impl From<ApprovalEvent> for Event {
    fn from(event: ApprovalEvent) -> Self {
        Self::Approval(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const REQUEST: &str = "00000000-0000-0000-0000-000000000101";

    #[rstest]
    #[case::travelled(
        r#"{"event":"delivery_changed","request":"REQUEST","delivery":{"delivery":"delivered","at":31}}"#
    )]
    #[case::joined(r#"{"event":"asked_again","request":"REQUEST","native_ref":"call"}"#)]
    #[case::leaving(r#"{"event":"sending","request":"REQUEST","late":false}"#)]
    fn what_was_written_before_several_calls_could_wait_is_read_and_written_as_ever(#[case] line: &str) {
        let line = line.replace("REQUEST", REQUEST);
        let event: Event = serde_json::from_str(&line).unwrap();
        assert!(matches!(
            event,
            Event::Request(RequestEvent::DeliveryChanged { call: None, .. })
                | Event::Request(RequestEvent::Sending { call: None, .. })
                | Event::Request(RequestEvent::AskedAgain { guest: None, at: None, .. })
        ));
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
    }
}
