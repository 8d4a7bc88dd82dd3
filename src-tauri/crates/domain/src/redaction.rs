//! Redaction: what remains of the events of a deleted session is their structure, without any text.

use crate::answer::Answers;
use crate::approval::{Approval, ApprovalDecision, ApprovalState};
use crate::event::{ApprovalEvent, Event, QueueEvent, RequestEvent, SessionEvent};
use crate::id::{ApprovalId, HelperId, NativeRef, NativeSession, RequestId, SessionId};
use crate::origin::OriginKind;
use crate::queue::QueuedMessage;
use crate::request::{Delivery, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionEnd};
use crate::tool::ToolDetail;

/// What an agent's own id becomes. Journals contain it.
const REDACTED: &str = "forgotten";

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
        let mut event = self.clone();
        match &mut event {
            Self::Session(event) => redact_session_event(event),
            Self::Queue(
                QueueEvent::Added { message, .. }
                | QueueEvent::Edited { message, .. }
                | QueueEvent::Sent { message, .. },
            ) => *message = QueuedMessage { id: message.id, text: String::new(), attachments: Vec::new() },
            Self::Queue(QueueEvent::Removed { .. }) => {}
            Self::Request(event) => redact_request_event(event),
            Self::Approval(event) => redact_approval_event(event),
        }
        event
    }
}

fn redact_session_event(event: &mut SessionEvent) {
    match event {
        SessionEvent::Started { session } => {
            if let OriginKind::Inbound { client, .. } = &mut session.origin.kind {
                // The app chose its own name.
                client.clear();
            }
            let new = Session::new(session.id, session.origin.clone(), session.started_at);
            *session = Session { place: session.place, ..new };
        }
        SessionEvent::Introduced { version, model, .. } => (*version, *model) = (None, None),
        SessionEvent::NativeSessionKnown { native_session, .. } => {
            *native_session = NativeSession::literal(REDACTED);
        }
        SessionEvent::ConfigChanged { config, .. } => config.clear(),
        SessionEvent::Ended { end, .. } => *end = SessionEnd::Finished,
        SessionEvent::Renamed { name, .. } => name.clear(),
        SessionEvent::HelperBegan { helper, .. } => {
            // The agent chose the id, too.
            helper.id = HelperId::literal(REDACTED);
            helper.title.clear();
        }
        SessionEvent::HelperStateChanged { helper, .. } | SessionEvent::HelperEnded { helper, .. } => {
            *helper = HelperId::literal(REDACTED);
        }
        SessionEvent::TurnBegan { .. }
        | SessionEvent::TurnFinished { .. }
        | SessionEvent::LinesUnusable { .. }
        | SessionEvent::NotificationsSet { .. }
        | SessionEvent::Moved { .. }
        | SessionEvent::Closed { .. }
        | SessionEvent::Resumed { .. }
        | SessionEvent::AgentSpoke { .. }
        | SessionEvent::Forgotten { .. }
        | SessionEvent::ClientLeft { .. }
        | SessionEvent::FolderChanged { .. }
        | SessionEvent::Deleted { .. } => {}
    }
}

fn redact_request_event(event: &mut RequestEvent) {
    // An agent may have put text into its own id of a call.
    let redacted = NativeRef::literal(REDACTED);
    match event {
        RequestEvent::Asked { request } => {
            // Every field is listed, so that a new one is not forgotten here.
            *request = Request {
                id: request.id,
                session: request.session,
                native_ref: redacted,
                asked_by: None,
                helper: None,
                questions: Vec::new(),
                asked_at: request.asked_at,
                limit: None,
                asker: request.asker,
                state: RequestState::Open,
            };
        }
        RequestEvent::AskedAgain { native_ref, .. } | RequestEvent::CallLeft { native_ref, .. } => {
            *native_ref = redacted;
        }
        RequestEvent::Reopened { native_ref, limit, .. } => (*native_ref, *limit) = (redacted, None),
        RequestEvent::Ended { outcome, .. }
        | RequestEvent::AnsweredLate { outcome, .. }
        | RequestEvent::Dismissed { outcome, .. } => redact_outcome(outcome),
        RequestEvent::DeliveryChanged { delivery, call, .. } => {
            if let Delivery::Failed { error } = delivery {
                *error = String::new().into();
            }
            *call = None;
        }
        RequestEvent::TimesMoved { .. } | RequestEvent::AskerChanged { .. } => {}
        RequestEvent::Sending { call, .. } => *call = call.take().map(|_| redacted),
    }
}

fn redact_approval_event(event: &mut ApprovalEvent) {
    match event {
        ApprovalEvent::Asked { approval } => {
            *approval = Approval {
                id: approval.id,
                session: approval.session,
                native_ref: NativeRef::literal(REDACTED),
                helper: None,
                asked_by: None,
                title: String::new(),
                description: None,
                remark: None,
                subject: ToolDetail::Other { input: String::new() },
                options: Vec::new(),
                takes_message: false,
                asked_at: approval.asked_at,
                rule: None,
                state: ApprovalState::Open,
            };
        }
        ApprovalEvent::Decided { decision, .. } => {
            *decision = ApprovalDecision { options: Vec::new(), message: None, plan: None };
        }
        ApprovalEvent::DeliveryFailed { error, .. } => *error = String::new().into(),
        ApprovalEvent::Withdrawn { .. }
        | ApprovalEvent::Refused { .. }
        | ApprovalEvent::TimesMoved { .. } => {}
    }
}

fn redact_outcome(outcome: &mut Outcome) {
    match outcome {
        Outcome::Answered { answers } => *answers = Answers::default(),
        Outcome::Declined { words } => *words = None,
        Outcome::RepliedInChat { text } => text.clear(),
        Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason } } => *reason = None,
        Outcome::Expired | Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => {}
    }
}
