//! Events: what has happened. The journal stores them; an event is never refused.

use serde::{Deserialize, Serialize};

use crate::approval::{Approval, ApprovalDecision};
use crate::config::ConfigOption;
use crate::error::DeliveryError;

use crate::do_not_disturb::SessionNotifications;
use crate::helper::{Helper, HelperState};
use crate::id::{
    AnswerId, ApprovalId, HelperId, MessageId, NativeRef, NativeSession, RequestId, SessionId, Timestamp,
};
use crate::queue::QueuedMessage;
use crate::request::{Asker, CallDelivery, Delivery, Limit, Outcome, Request};
use crate::session::{Session, SessionEnd};
use crate::session_name::NamedBy;
use crate::worktree::Worktree;

/// An event. Serialized without this wrapper: the word in `event` is unique across all four variants.
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

from_variants!(Event {
    Session(SessionEvent),
    Queue(QueueEvent),
    Request(RequestEvent),
    Approval(ApprovalEvent)
});

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
    /// The agent reported its version and model.
    #[serde(rename = "agent_introduced")]
    Introduced {
        session: SessionId,
        version: Option<String>,
        model: Option<String>,
    },
    /// The agent reported its native session id.
    NativeSessionKnown {
        session: SessionId,
        /// The agent's id of it.
        native_session: NativeSession,
    },
    /// The agent's config options or their current values changed.
    ConfigChanged {
        session: SessionId,
        /// The options with their current values.
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
        #[serde(default, skip_serializing_if = "NamedBy::is_user")]
        by: NamedBy,
    },
    /// The user said where the folder of an ended session is now.
    #[serde(rename = "session_folder_changed")]
    FolderChanged {
        session: SessionId,
        folder: String,
        /// Where its worktree is now, if it has one that moved as well.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<Box<Worktree>>,
    },
    /// The user changed the notification settings of a session.
    #[serde(rename = "attention_set")]
    NotificationsSet {
        session: SessionId,
        #[serde(rename = "attention")]
        notifications: SessionNotifications,
    },
    #[serde(rename = "session_moved")]
    Moved {
        session: SessionId,
        /// The session that follows it; none means the end.
        before: Option<SessionId>,
    },
    /// A session was removed from the sidebar.
    #[serde(rename = "session_closed")]
    Closed {
        session: SessionId,
        at: Timestamp,
    },
    /// A session's agent was restarted, and the session is open again.
    #[serde(rename = "session_resumed")]
    Resumed {
        session: SessionId,
        at: Timestamp,
    },
    /// The agent finished its first piece of output; from then on the session can be resumed.
    AgentSpoke {
        session: SessionId,
    },
    /// The agent no longer has the session.
    #[serde(rename = "session_forgotten")]
    Forgotten {
        session: SessionId,
    },
    /// The app of a session is gone, while other calls still wait for its requests.
    ClientLeft {
        session: SessionId,
    },
    /// A helper began to work for the agent.
    HelperBegan {
        session: SessionId,
        helper: Helper,
    },
    HelperStateChanged {
        session: SessionId,
        helper: HelperId,
        state: HelperState,
    },
    /// The agent reported the end of a helper; without this, it ends with the session.
    HelperEnded {
        session: SessionId,
        helper: HelperId,
    },
    /// The user deleted a session permanently.
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
            | Self::FolderChanged { session, .. }
            | Self::NotificationsSet { session, .. }
            | Self::Moved { session, .. }
            | Self::Closed { session, .. }
            | Self::Resumed { session, .. }
            | Self::AgentSpoke { session, .. }
            | Self::Forgotten { session, .. }
            | Self::ClientLeft { session, .. }
            | Self::HelperBegan { session, .. }
            | Self::HelperStateChanged { session, .. }
            | Self::HelperEnded { session, .. }
            | Self::Deleted { session, .. } => *session,
        }
    }
}

/// What happened to queued messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum QueueEvent {
    /// The user queued a message until the end of the agent's turn.
    #[serde(rename = "message_queued")]
    Added { session: SessionId, message: QueuedMessage },
    /// The user changed the text of a queued message.
    #[serde(rename = "queued_edited")]
    Edited { session: SessionId, message: QueuedMessage },
    #[serde(rename = "queued_removed")]
    Removed { session: SessionId, message: MessageId },
    /// A queued message was sent to the agent.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RequestEvent {
    Asked {
        request: Request,
    },
    /// Another call joined a request by asking the same.
    AskedAgain {
        request: RequestId,
        /// The agent's own id of that call.
        native_ref: NativeRef,
        /// The session of that call, if it differs from the request's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guest: Option<SessionId>,
        /// The time of the call, if it extends how long the request accepts further calls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// A missed request is open again, because its app repeats it.
    Reopened {
        request: RequestId,
        /// The app's own id of the call that waits for it now.
        native_ref: NativeRef,
        /// The session of that call, if it differs from the request's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guest: Option<SessionId>,
        /// A time limit, if one was set this time.
        limit: Option<Limit>,
        at: Timestamp,
    },
    /// What the asker of an open request does until it has the answer is no longer what it was.
    AskerChanged {
        request: RequestId,
        asker: Asker,
    },
    /// A call that had joined a request was withdrawn.
    CallLeft {
        request: RequestId,
        /// The agent's own id of that call.
        native_ref: NativeRef,
    },
    Ended {
        request: RequestId,
        /// The outcome, without secrets.
        outcome: Outcome,
        at: Timestamp,
        /// The id of the answer, if the program that gave it sent one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<AnswerId>,
    },
    DeliveryChanged {
        request: RequestId,
        /// The combined delivery to all its calls.
        delivery: Delivery,
        /// The delivery to one of several calls; none if the request has one call or needs no delivery.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallDelivery>,
    },
    /// The outcome of a request is about to be sent to the agent; from now on it may have arrived.
    Sending {
        request: RequestId,
        /// Whether it is sent as a message, because its call is closed.
        late: bool,
        /// Which of several calls it is sent to; none if the request has one call, or it is sent as a message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<NativeRef>,
    },
    /// The user answered or declined a request that no call waits for: it had ended without them, or its asker went on. It awaits delivery.
    AnsweredLate {
        request: RequestId,
        outcome: Outcome,
        at: Timestamp,
        /// The id of the answer, if the program that gave it sent one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<AnswerId>,
    },
    /// The user dismissed a missed or undelivered request, or closed one that its asker doesn't wait for.
    Dismissed {
        request: RequestId,
        outcome: Outcome,
        at: Timestamp,
    },
    /// The system's clock was set while a request was open, so its times were moved along.
    TimesMoved {
        request: RequestId,
        /// How far, in milliseconds.
        by: i64,
    },
}

impl RequestEvent {
    pub const fn request(&self) -> RequestId {
        match self {
            Self::Asked { request } => request.id,
            Self::AskedAgain { request, .. }
            | Self::Reopened { request, .. }
            | Self::AskerChanged { request, .. }
            | Self::CallLeft { request, .. }
            | Self::Ended { request, .. }
            | Self::DeliveryChanged { request, .. }
            | Self::Sending { request, .. }
            | Self::AnsweredLate { request, .. }
            | Self::Dismissed { request, .. }
            | Self::TimesMoved { request, .. } => *request,
        }
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
    /// A decision could not be delivered to the agent.
    #[serde(rename = "approval_delivery_failed")]
    DeliveryFailed { approval: ApprovalId, error: DeliveryError },
    #[serde(rename = "approval_withdrawn")]
    Withdrawn { approval: ApprovalId, at: Timestamp },
    /// The agent itself refused it; it may have been withdrawn before.
    #[serde(rename = "approval_refused")]
    Refused { approval: ApprovalId, at: Timestamp },
    /// The system's clock was set while it was open, so its time was moved along.
    #[serde(rename = "approval_times_moved")]
    TimesMoved {
        approval: ApprovalId,
        /// How far, in milliseconds.
        by: i64,
    },
}

impl ApprovalEvent {
    pub const fn approval(&self) -> ApprovalId {
        match self {
            Self::Asked { approval } => approval.id,
            Self::Decided { approval, .. }
            | Self::DeliveryFailed { approval, .. }
            | Self::Withdrawn { approval, .. }
            | Self::Refused { approval, .. }
            | Self::TimesMoved { approval, .. } => *approval,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const REQUEST: &str = "00000000-0000-0000-0000-000000000101";

    #[rstest]
    #[case::delivered(
        r#"{"event":"delivery_changed","request":"REQUEST","delivery":{"delivery":"delivered","at":31}}"#
    )]
    #[case::joined(r#"{"event":"asked_again","request":"REQUEST","native_ref":"call"}"#)]
    #[case::sending(r#"{"event":"sending","request":"REQUEST","late":false}"#)]
    fn events_of_a_single_call_name_no_call(#[case] line: &str) {
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
