//! What a command does: events to write down and effects to carry out afterwards. Pure.

mod approval;
mod calls;
mod finished_turn;
mod inbound;
mod late_answer;
mod queue;
mod request;
mod session;

use crate::approval::ApprovalDecision;
use crate::command::Command;
use crate::desk::Desk;
use crate::event::Event;
use crate::id::{ApprovalId, NativeRef, RequestId, SessionId, Timestamp};
use crate::rejection::Rejection;
use crate::request::{Outcome, Request};
use crate::session::Session;
pub use calls::{ASKED_AGAIN_MILLIS, CALLS_OF_A_REQUEST};

/// What to do once the events of a decision are on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Tell whoever waits for the request how it ended, secrets included.
    Resolve { request: RequestId, outcome: Outcome },
    /// Let go of whoever waits for one call of a request that others go on waiting for.
    LetGo {
        request: RequestId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
    },
    /// Hand an end over once more.
    Redeliver {
        request: RequestId,
        /// To which call, by the agent's own id of it.
        native_ref: NativeRef,
        outcome: Outcome,
    },
    /// Send what waits for a session to run: its agent is there.
    SendParked { session: SessionId },
    /// Tell the agent what was decided.
    ResolveApproval { approval: ApprovalId, decision: ApprovalDecision },
    /// Send the oldest message that waits: the agent is at rest.
    SendQueued { session: SessionId },
    /// Tell the person that a request waits.
    Notify { request: RequestId },
    /// Take back what [`Effect::Notify`] showed.
    WithdrawNotification { request: RequestId },
    /// Tell the person that an approval waits.
    NotifyApproval { approval: ApprovalId },
    /// Take back what [`Effect::NotifyApproval`] showed.
    WithdrawApprovalNotification { approval: ApprovalId },
    /// Tell the person that a session has finished its turn.
    NotifyFinished { session: SessionId },
    /// Take back what [`Effect::NotifyFinished`] showed.
    WithdrawFinished { session: SessionId },
    /// Give [`RequestCommand::Expire`](crate::command::RequestCommand::Expire) once a time has come.
    WatchLimit {
        request: RequestId,
        /// When its limit passes.
        at: Timestamp,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// What happened, in order; empty where the command repeats what is already so.
    pub events: Vec<Event>,
    pub effects: Vec<Effect>,
    /// The request this was about, where a registration found one that is already known.
    pub request: Option<RequestId>,
}

impl Decision {
    pub(crate) fn of(event: impl Into<Event>) -> Self {
        Self { events: vec![event.into()], ..Self::default() }
    }
}

/// Decides what a command does to the desk, or why it does nothing.
pub fn decide(desk: &Desk, command: &Command) -> Result<Decision, Rejection> {
    let mut decision = match command {
        Command::Session(command) => session::decide(desk, command),
        Command::Request(command) => request::decide(desk, command),
        Command::Inbound(command) => inbound::decide(desk, command),
        Command::Approval(command) => approval::decide(desk, command),
        Command::Queue(command) => queue::decide(desk, command),
    }?;
    decision.events.extend(inbound::over(desk, &decision.events));
    let over = finished_turn::no_more(&decision.events);
    decision.effects.extend(over);
    Ok(decision)
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
