//! Decides commands: each becomes events to store and effects to carry out afterwards. Pure.

mod approval;
mod calls;
mod helper;
mod inbound;
mod late_answer;
mod queue;
mod request;
mod session;

use crate::approval::ApprovalDecision;
use crate::command::Command;
use crate::desk::Desk;
use crate::event::{Event, RequestEvent};
use crate::id::{ApprovalId, NativeRef, RequestId, SessionId, Timestamp};
use crate::rejection::Rejection;
use crate::request::{Delivery, Outcome, Request};
use crate::session::Session;
pub use calls::{ASKED_AGAIN_MILLIS, CALLS_OF_A_REQUEST};

/// An action that follows once the events of a decision are on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Deliver the outcome of a request, secrets included, to every waiter.
    Resolve { request: RequestId, outcome: Outcome },
    /// Release the waiter of one call whose request other calls still wait for.
    ReleaseWaiter {
        request: RequestId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
    },
    /// Deliver an outcome again.
    Redeliver {
        request: RequestId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
        outcome: Outcome,
    },
    /// Send what is parked for a session, because its agent is running.
    SendParked { session: SessionId },
    /// Deliver a decision to the agent.
    ResolveApproval { approval: ApprovalId, decision: ApprovalDecision },
    /// Send the oldest queued message, because the agent is idle.
    SendQueued { session: SessionId },
    /// Publish that a session has finished its turn.
    PublishFinished { session: SessionId },
    /// Issue [`RequestCommand::Expire`](crate::command::RequestCommand::Expire) when the time limit passes.
    WatchLimit {
        request: RequestId,
        /// When its limit passes.
        at: Timestamp,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// What happened, in order; empty if the command changes nothing.
    pub events: Vec<Event>,
    pub effects: Vec<Effect>,
    /// The request that the command is about, if the caller needs it; for a registration the new or the already known one.
    pub request: Option<RequestId>,
}

impl Decision {
    fn of(event: impl Into<Event>) -> Self {
        Self { events: vec![event.into()], ..Self::default() }
    }

    /// The event, if it changes anything.
    fn of_change(changes: bool, event: impl Into<Event>) -> Self {
        if changes { Self::of(event) } else { Self::default() }
    }

    /// Nothing new about a request that is known.
    fn about(request: RequestId) -> Self {
        Self { request: Some(request), ..Self::default() }
    }

    fn push(&mut self, event: impl Into<Event>) {
        self.events.push(event.into());
    }
}

/// Decides the events and effects of a command, or why it is rejected.
pub fn decide(desk: &Desk, command: &Command) -> Result<Decision, Rejection> {
    let mut decision = match command {
        Command::Session(command) => session::decide(desk, command),
        Command::Request(command) => request::decide(desk, command),
        Command::Inbound(command) => inbound::decide(desk, command),
        Command::Approval(command) => approval::decide(desk, command),
        Command::Queue(command) => queue::decide(desk, command),
        Command::Helper(command) => helper::decide(desk, command),
    }?;
    decision.events.extend(inbound::over(desk, &decision.events));
    Ok(decision)
}

/// Notes the delivery of an outcome that goes to at most one call.
const fn delivery_changed(request: RequestId, delivery: Delivery) -> Event {
    Event::Request(RequestEvent::DeliveryChanged { request, delivery, call: None })
}

fn known(desk: &Desk, session: SessionId) -> Result<&Session, Rejection> {
    desk.session(session).ok_or(Rejection::NotFound { what: "session" })
}

fn running(desk: &Desk, session: SessionId) -> Result<&Session, Rejection> {
    let session = known(desk, session)?;
    if session.is_running() { Ok(session) } else { Err(Rejection::SessionGone) }
}

fn find(desk: &Desk, request: RequestId) -> Result<&Request, Rejection> {
    desk.request(request).ok_or(Rejection::NotFound { what: "request" })
}
