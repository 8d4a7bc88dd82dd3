//! Forgetting a session for good: what is left of the events that told of it.

use crate::answer::Answers;
use crate::approval::{Approval, ApprovalDecision, ApprovalState};
use crate::decide::Decision;
use crate::do_not_disturb::SessionNotifications;
use crate::event::Event;
use crate::id::{ApprovalId, NativeRef, NativeSession, RequestId, SessionId};
use crate::origin::{Origin, OriginKind};
use crate::queue::QueuedMessage;
use crate::rejection::Rejection;
use crate::request::{Delivery, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionEnd, SessionState};
use crate::session_options::SessionOptions;
use crate::tool::ToolDetail;
use crate::validation_error::ValidationError;

/// What an event names, and by that the session it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Session(SessionId),
    Request(RequestId),
    Approval(ApprovalId),
}

impl Event {
    pub const fn about(&self) -> About {
        match self {
            Self::SessionStarted { session } => About::Session(session.id),
            Self::AgentIntroduced { session, .. }
            | Self::TurnBegan { session }
            | Self::TurnFinished { session }
            | Self::LinesUnusable { session, .. }
            | Self::SessionEnded { session, .. }
            | Self::SessionDeleted { session }
            | Self::NativeSessionKnown { session, .. }
            | Self::ConfigChanged { session, .. }
            | Self::SessionRenamed { session, .. }
            | Self::AttentionSet { session, .. }
            | Self::SessionMoved { session, .. }
            | Self::SessionClosed { session, .. }
            | Self::SessionResumed { session, .. }
            | Self::AgentSpoke { session }
            | Self::SessionForgotten { session }
            | Self::MessageQueued { session, .. }
            | Self::QueuedEdited { session, .. }
            | Self::QueuedRemoved { session, .. }
            | Self::ClientLeft { session }
            | Self::QueuedSent { session, .. } => About::Session(*session),
            Self::Asked { request } => About::Session(request.session),
            Self::AskedAgain { request, .. }
            | Self::Reopened { request, .. }
            | Self::CallLeft { request, .. }
            | Self::Ended { request, .. }
            | Self::DeliveryChanged { request, .. }
            | Self::Sending { request, .. }
            | Self::AnsweredLate { request, .. }
            | Self::Dismissed { request, .. } => About::Request(*request),
            Self::ApprovalAsked { approval } => About::Session(approval.session),
            Self::ApprovalDecided { approval, .. }
            | Self::ApprovalDeliveryFailed { approval, .. }
            | Self::ApprovalWithdrawn { approval, .. } => About::Approval(*approval),
        }
    }

    /// Keeps the event's shape and leaves out every word anybody said or wrote.
    ///
    /// The events of a deleted session stay in their places without their contents: which settled requests are still
    /// in memory depends on all that were ever settled, so a journal with holes would not fold to the same desk.
    pub fn without_words(&self) -> Self {
        let none = String::new;
        match self {
            Self::SessionStarted { session } => Self::SessionStarted {
                // Every field is named, so that a new one is thought of here.
                session: Session {
                    id: session.id,
                    origin: silent_origin(&session.origin),
                    name: none(),
                    folder: none(),
                    started_at: session.started_at,
                    state: SessionState::Starting,
                    version: None,
                    model: None,
                    unusable_lines: 0,
                    options: SessionOptions::default(),
                    config: Vec::new(),
                    native_session: None,
                    place: session.place,
                    resumable: false,
                    queue: Vec::new(),
                    attention: SessionNotifications::default(),
                },
            },
            Self::AgentIntroduced { session, .. } => {
                Self::AgentIntroduced { session: *session, version: None, model: None }
            }
            Self::NativeSessionKnown { session, native_session } => {
                let native_session =
                    NativeSession::new("forgotten").unwrap_or_else(|| native_session.clone());
                Self::NativeSessionKnown { session: *session, native_session }
            }
            Self::ConfigChanged { session, .. } => {
                Self::ConfigChanged { session: *session, config: Vec::new() }
            }
            Self::SessionEnded { session, at, .. } => {
                Self::SessionEnded { session: *session, end: SessionEnd::Finished, at: *at }
            }
            Self::MessageQueued { session, message } => {
                Self::MessageQueued { session: *session, message: silent(message) }
            }
            Self::QueuedEdited { session, message } => {
                Self::QueuedEdited { session: *session, message: silent(message) }
            }
            Self::QueuedSent { session, message } => {
                Self::QueuedSent { session: *session, message: silent(message) }
            }
            Self::Asked { request } => Self::Asked {
                request: Request {
                    id: request.id,
                    session: request.session,
                    native_ref: silent_ref(&request.native_ref),
                    asked_by: None,
                    questions: Vec::new(),
                    asked_at: request.asked_at,
                    limit: None,
                    state: RequestState::Open,
                },
            },
            Self::Ended { request, outcome, at } => {
                Self::Ended { request: *request, outcome: silent_outcome(outcome), at: *at }
            }
            Self::AnsweredLate { request, outcome, at } => {
                Self::AnsweredLate { request: *request, outcome: silent_outcome(outcome), at: *at }
            }
            Self::Dismissed { request, outcome, at } => {
                Self::Dismissed { request: *request, outcome: silent_outcome(outcome), at: *at }
            }
            Self::SessionRenamed { session, .. } => Self::SessionRenamed { session: *session, name: none() },
            Self::DeliveryChanged { request, delivery, .. } => {
                let delivery = match delivery {
                    Delivery::Failed { .. } => Delivery::Failed { error: none().into() },
                    other => other.clone(),
                };
                Self::DeliveryChanged { request: *request, delivery, call: None }
            }
            Self::AskedAgain { request, native_ref, guest, at } => Self::AskedAgain {
                request: *request,
                native_ref: silent_ref(native_ref),
                guest: *guest,
                at: *at,
            },
            Self::Reopened { request, native_ref, guest, at, .. } => Self::Reopened {
                request: *request,
                native_ref: silent_ref(native_ref),
                guest: *guest,
                limit: None,
                at: *at,
            },
            Self::CallLeft { request, native_ref } => {
                Self::CallLeft { request: *request, native_ref: silent_ref(native_ref) }
            }
            Self::Sending { request, late, call } => {
                Self::Sending { request: *request, late: *late, call: call.as_ref().map(silent_ref) }
            }
            Self::ApprovalAsked { approval } => Self::ApprovalAsked {
                approval: Approval {
                    id: approval.id,
                    session: approval.session,
                    native_ref: silent_ref(&approval.native_ref),
                    title: none(),
                    description: None,
                    subject: ToolDetail::Other { input: none() },
                    options: Vec::new(),
                    takes_message: false,
                    asked_at: approval.asked_at,
                    state: ApprovalState::Open,
                },
            },
            Self::ApprovalDecided { approval, at, .. } => {
                let decision = ApprovalDecision { options: Vec::new(), message: None, plan: None };
                Self::ApprovalDecided { approval: *approval, decision, at: *at }
            }
            Self::ApprovalDeliveryFailed { approval, .. } => {
                Self::ApprovalDeliveryFailed { approval: *approval, error: none().into() }
            }
            Self::TurnBegan { .. }
            | Self::TurnFinished { .. }
            | Self::LinesUnusable { .. }
            | Self::ClientLeft { .. }
            | Self::SessionDeleted { .. }
            | Self::SessionMoved { .. }
            | Self::SessionClosed { .. }
            | Self::SessionResumed { .. }
            | Self::AgentSpoke { .. }
            | Self::SessionForgotten { .. }
            | Self::QueuedRemoved { .. }
            | Self::AttentionSet { .. }
            | Self::ApprovalWithdrawn { .. } => self.clone(),
        }
    }
}

/// Ends a session's story for good; one that runs goes on writing it.
pub(crate) fn delete(session: &Session) -> Result<Decision, Rejection> {
    if session.is_running() {
        return Err(Rejection::invalid("session", ValidationError::StillRunning));
    }
    Ok(Decision::of(Event::SessionDeleted { session: session.id }))
}

/// A client chose its own name.
fn silent_origin(origin: &Origin) -> Origin {
    match &origin.kind {
        OriginKind::Inbound { channel, .. } => Origin {
            machine: origin.machine.clone(),
            kind: OriginKind::Inbound { channel: *channel, client: String::new() },
        },
        OriginKind::Started { .. } | OriginKind::Attached { .. } => origin.clone(),
    }
}

fn silent_outcome(outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Answered { .. } => Outcome::Answered { answers: Answers::default() },
        Outcome::Declined { .. } => Outcome::Declined { words: None },
        Outcome::RepliedInChat { .. } => Outcome::RepliedInChat { text: String::new() },
        Outcome::Withdrawn { why: WithdrawnWhy::Cancelled { .. } } => {
            Outcome::Withdrawn { why: WithdrawnWhy::Cancelled { reason: None } }
        }
        Outcome::Expired | Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => outcome.clone(),
    }
}

fn silent(message: &QueuedMessage) -> QueuedMessage {
    QueuedMessage { id: message.id, text: String::new(), attachments: Vec::new() }
}

/// An agent may have put words into its own id of a call.
fn silent_ref(native_ref: &NativeRef) -> NativeRef {
    NativeRef::new("forgotten").unwrap_or_else(|| native_ref.clone())
}
