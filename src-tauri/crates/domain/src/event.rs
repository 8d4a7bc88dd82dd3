//! What has happened: the journal's words. An event is never refused.

use serde::{Deserialize, Serialize};

use crate::approval::{Approval, ApprovalDecision};
use crate::config::ConfigOption;
use crate::desk::CallDelivery;
use crate::failure::known_or_text;
use crate::id::{ApprovalId, MessageId, NativeRef, NativeSession, RequestId, SessionId, Timestamp};
use crate::queue::QueuedMessage;
use crate::quiet::SessionAttention;
use crate::request::{Delivery, Limit, Outcome, Request};
use crate::session::{Session, SessionEnd};
use crate::undelivered::Undelivered;

/// One thing that has happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A session was opened.
    SessionStarted {
        /// As it began.
        session: Session,
    },
    /// The agent said its version and model.
    AgentIntroduced {
        /// Whose agent.
        session: SessionId,
        /// Its version.
        version: Option<String>,
        /// Its model.
        model: Option<String>,
    },
    /// The agent said its own id of the session.
    NativeSessionKnown {
        /// Our id of the session.
        session: SessionId,
        /// The agent's id of it.
        native_session: NativeSession,
    },
    /// The agent's config options, or their present values, are others now.
    ConfigChanged {
        /// Whose agent.
        session: SessionId,
        /// The options with their present values.
        config: Vec<ConfigOption>,
    },
    /// A turn began.
    TurnBegan {
        /// Whose.
        session: SessionId,
    },
    /// A turn ended.
    TurnFinished {
        /// Whose.
        session: SessionId,
    },
    /// Lines of output could not be used.
    LinesUnusable {
        /// Whose.
        session: SessionId,
        /// How many.
        lines: u64,
    },
    /// A session's process is gone.
    SessionEnded {
        /// Which.
        session: SessionId,
        /// How.
        end: SessionEnd,
        /// When.
        at: Timestamp,
    },
    /// A session got another name.
    SessionRenamed {
        /// Which.
        session: SessionId,
        /// Its name.
        name: String,
    },
    /// The person said how they want to be told of a session.
    AttentionSet {
        /// Which.
        session: SessionId,
        /// How.
        attention: SessionAttention,
    },
    /// A session got another place in the order.
    SessionMoved {
        /// Which.
        session: SessionId,
        /// The session it stands before; none for the end.
        before: Option<SessionId>,
    },
    /// A session left the sidebar.
    SessionClosed {
        /// Which.
        session: SessionId,
        /// When.
        at: Timestamp,
    },
    /// A session's agent was started again, and the session is open again.
    SessionResumed {
        /// Which.
        session: SessionId,
        /// When.
        at: Timestamp,
    },
    /// The agent finished a first piece of output; from then on it can know the session later.
    AgentSpoke {
        /// Whose agent.
        session: SessionId,
    },
    /// The agent has no such session any more.
    SessionForgotten {
        /// Which.
        session: SessionId,
    },
    /// The person wrote a message that waits for the end of the agent's turn.
    MessageQueued {
        /// Whose.
        session: SessionId,
        /// The message.
        message: QueuedMessage,
    },
    /// The person changed the words of a message that waits.
    QueuedEdited {
        /// Whose.
        session: SessionId,
        /// The message with its new words.
        message: QueuedMessage,
    },
    /// The person took back a message that waited.
    QueuedRemoved {
        /// Whose.
        session: SessionId,
        /// Which message.
        message: MessageId,
    },
    /// A message that waited goes to the agent.
    QueuedSent {
        /// Whose.
        session: SessionId,
        /// The message.
        message: QueuedMessage,
    },
    /// A request was registered.
    Asked {
        /// As it was registered.
        request: Request,
    },
    /// A further call asks what a request asks, and waits for its end together with the others.
    AskedAgain {
        /// Which.
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
        /// Which.
        request: RequestId,
        /// The client's own id of the call that waits for it now.
        native_ref: NativeRef,
        /// The session of that call, where it is another than the request's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guest: Option<SessionId>,
        /// A deadline, if one was set this time.
        limit: Option<Limit>,
        /// When.
        at: Timestamp,
    },
    /// The client of a session is gone, and others still wait for what was asked there.
    ClientLeft {
        /// Which session.
        session: SessionId,
    },
    /// A call that waited for a request together with others was taken back.
    CallLeft {
        /// Which.
        request: RequestId,
        /// The agent's own id of that call.
        native_ref: NativeRef,
    },
    /// A request had its end.
    Ended {
        /// Which.
        request: RequestId,
        /// How; secrets are left out.
        outcome: Outcome,
        /// When.
        at: Timestamp,
    },
    /// The end of a request travelled on.
    DeliveryChanged {
        /// Which.
        request: RequestId,
        /// How far, to all calls that wait for it.
        delivery: Delivery,
        /// How far to one of several; none where the request has one call, or its end goes to none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallDelivery>,
    },
    /// The end of a request is about to be handed to the agent; from here on it may have arrived.
    Sending {
        /// Which.
        request: RequestId,
        /// Whether it goes as a message, because its call is closed.
        late: bool,
        /// To which of several calls; none where the request has one call, or its end goes as a message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<NativeRef>,
    },
    /// The person answered or declined a request that had ended without them; it waits to be delivered.
    AnsweredLate {
        /// Which.
        request: RequestId,
        /// How.
        outcome: Outcome,
        /// When.
        at: Timestamp,
    },
    /// The person wants nothing more of a request that was missed or could not be delivered.
    Dismissed {
        /// Which.
        request: RequestId,
        /// How it has ended.
        outcome: Outcome,
        /// When it ended so.
        at: Timestamp,
    },
    /// An approval was registered.
    ApprovalAsked {
        /// As it was registered.
        approval: Approval,
    },
    /// An approval was decided.
    ApprovalDecided {
        /// Which.
        approval: ApprovalId,
        /// What was decided.
        decision: ApprovalDecision,
        /// When.
        at: Timestamp,
    },
    /// A decision could not be handed to the agent.
    ApprovalDeliveryFailed {
        /// Which.
        approval: ApprovalId,
        /// What went wrong; earlier versions kept it as a sentence.
        #[serde(deserialize_with = "known_or_text")]
        error: Undelivered,
    },
    /// An approval was taken back.
    ApprovalWithdrawn {
        /// Which.
        approval: ApprovalId,
        /// When.
        at: Timestamp,
    },
    /// The person had a session forgotten for good.
    SessionDeleted {
        /// Which.
        session: SessionId,
    },
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
            Event::DeliveryChanged { call: None, .. }
                | Event::Sending { call: None, .. }
                | Event::AskedAgain { guest: None, at: None, .. }
        ));
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
    }
}
