//! Redaction: what remains of the events of a deleted session is their structure, without any text.

use crate::answer::Answers;
use crate::approval::{Approval, ApprovalDecision, ApprovalState};
use crate::do_not_disturb::SessionNotifications;
use crate::event::{ApprovalEvent, Event, QueueEvent, RequestEvent, SessionEvent};
use crate::id::{ApprovalId, NativeRef, NativeSession, RequestId, SessionId};
use crate::origin::{Origin, OriginKind};
use crate::queue::QueuedMessage;
use crate::request::{Delivery, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionEnd, SessionState};
use crate::session_options::SessionOptions;
use crate::tool::ToolDetail;

/// The item that an event is about; it determines the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSubject {
    Session(SessionId),
    Request(RequestId),
    Approval(ApprovalId),
}

impl Event {
    /// Returns the item that the event is about.
    pub const fn subject(&self) -> EventSubject {
        match self {
            Self::Session(event) => EventSubject::Session(event.session()),
            Self::Queue(event) => EventSubject::Session(event.session()),
            Self::Request(RequestEvent::Asked { request }) => EventSubject::Session(request.session),
            Self::Request(event) => EventSubject::Request(event.request()),
            Self::Approval(ApprovalEvent::Asked { approval }) => EventSubject::Session(approval.session),
            Self::Approval(event) => EventSubject::Approval(event.approval()),
        }
    }

    /// Keeps the event's structure and removes every text that was said or written.
    ///
    /// The events of a deleted session keep their positions without their content. Which settled requests are still in
    /// memory depends on all requests that ever settled, so a journal with gaps would fold to a different desk.
    pub fn without_words(&self) -> Self {
        match self {
            Self::Session(event) => event.without_words().into(),
            Self::Queue(event) => event.without_words().into(),
            Self::Request(event) => event.without_words().into(),
            Self::Approval(event) => event.without_words().into(),
        }
    }
}

impl SessionEvent {
    fn without_words(&self) -> Self {
        let none = String::new;
        match self {
            Self::Started { session } => Self::Started {
                // Every field is listed, so that a new one is not forgotten here.
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
            Self::Introduced { session, .. } => {
                Self::Introduced { session: *session, version: None, model: None }
            }
            Self::NativeSessionKnown { session, native_session } => {
                let native_session =
                    NativeSession::new("forgotten").unwrap_or_else(|| native_session.clone());
                Self::NativeSessionKnown { session: *session, native_session }
            }
            Self::ConfigChanged { session, .. } => {
                Self::ConfigChanged { session: *session, config: Vec::new() }
            }
            Self::Ended { session, at, .. } => {
                Self::Ended { session: *session, end: SessionEnd::Finished, at: *at }
            }
            Self::Renamed { session, .. } => Self::Renamed { session: *session, name: none() },
            Self::TurnBegan { .. }
            | Self::TurnFinished { .. }
            | Self::LinesUnusable { .. }
            | Self::NotificationsSet { .. }
            | Self::Moved { .. }
            | Self::Closed { .. }
            | Self::Resumed { .. }
            | Self::AgentSpoke { .. }
            | Self::Forgotten { .. }
            | Self::ClientLeft { .. }
            | Self::Deleted { .. } => self.clone(),
        }
    }
}

impl QueueEvent {
    fn without_words(&self) -> Self {
        match self {
            Self::Added { session, message } => Self::Added { session: *session, message: silent(message) },
            Self::Edited { session, message } => Self::Edited { session: *session, message: silent(message) },
            Self::Sent { session, message } => Self::Sent { session: *session, message: silent(message) },
            Self::Removed { .. } => self.clone(),
        }
    }
}

impl RequestEvent {
    fn without_words(&self) -> Self {
        let none = String::new;
        match self {
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
            Self::Ended { request, outcome, at } => {
                Self::Ended { request: *request, outcome: silent_outcome(outcome), at: *at }
            }
            Self::DeliveryChanged { request, delivery, .. } => {
                let delivery = match delivery {
                    Delivery::Failed { .. } => Delivery::Failed { error: none().into() },
                    other => other.clone(),
                };
                Self::DeliveryChanged { request: *request, delivery, call: None }
            }
            Self::Sending { request, late, call } => {
                Self::Sending { request: *request, late: *late, call: call.as_ref().map(silent_ref) }
            }
            Self::AnsweredLate { request, outcome, at } => {
                Self::AnsweredLate { request: *request, outcome: silent_outcome(outcome), at: *at }
            }
            Self::Dismissed { request, outcome, at } => {
                Self::Dismissed { request: *request, outcome: silent_outcome(outcome), at: *at }
            }
        }
    }
}

impl ApprovalEvent {
    fn without_words(&self) -> Self {
        let none = String::new;
        match self {
            Self::Asked { approval } => Self::Asked {
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
            Self::Decided { approval, at, .. } => {
                let decision = ApprovalDecision { options: Vec::new(), message: None, plan: None };
                Self::Decided { approval: *approval, decision, at: *at }
            }
            Self::DeliveryFailed { approval, .. } => {
                Self::DeliveryFailed { approval: *approval, error: none().into() }
            }
            Self::Withdrawn { .. } => self.clone(),
        }
    }
}
/// The app chose its own name.
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

/// An agent may have put text into its own id of a call.
fn silent_ref(native_ref: &NativeRef) -> NativeRef {
    NativeRef::new("forgotten").unwrap_or_else(|| native_ref.clone())
}
