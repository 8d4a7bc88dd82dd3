//! Calls of connected apps: each has a waiter, and an outcome that no waiter received is kept.

use askdesk_domain::{
    Ask, Command, Decision, DeliveryError, Event, InboundCommand, Leave, NativeRef, Outcome, Rejection,
    RequestCommand, RequestId, SessionEvent, SessionId,
};
use tokio::sync::oneshot;

use super::{Waiter, Writer};
use crate::error::EngineError;

/// Returns the session that a connection has opened or resumed.
pub(super) fn opened(decision: &Decision) -> Option<SessionId> {
    decision.events.iter().find_map(|event| match event {
        Event::Session(SessionEvent::Started { session }) => Some(session.id),
        Event::Session(SessionEvent::Resumed { session, .. }) => Some(*session),
        _ => None,
    })
}

fn asked(command: &Command) -> Option<&Ask> {
    match command {
        Command::Inbound(InboundCommand::Ask { ask, .. }) | Command::Request(RequestCommand::Ask(ask)) => {
            Some(ask)
        }
        _ => None,
    }
}

impl Writer {
    /// Registers a call. If its caller gives up meanwhile, the call is released again.
    pub(super) fn register(
        &mut self,
        command: &Command,
        waiter: oneshot::Sender<Outcome>,
        reply: oneshot::Sender<Result<RequestId, EngineError>>,
    ) {
        if reply.is_closed() || waiter.is_closed() {
            return;
        }
        let registered = self.register_call(command, waiter);
        if let (Err(_), Some(ask)) = (reply.send(registered), asked(command)) {
            let (session, native_ref, at) = (ask.session, ask.native_ref.clone(), ask.at);
            self.note(InboundCommand::LeaveCall { session, native_ref, why: Leave::Gone, at });
        }
    }

    pub(super) fn register_call(
        &mut self,
        command: &Command,
        caller: oneshot::Sender<Outcome>,
    ) -> Result<RequestId, EngineError> {
        let ask = asked(command).ok_or(Rejection::NotFound { what: "question" })?;
        let id = self.act(command)?.request.unwrap_or(ask.id);
        match self.desk.request(id).and_then(|request| request.ended()) {
            // It ended meanwhile. Connected apps can't ask for secrets, so the desk has the whole outcome.
            Some(ended) => drop(caller.send(ended.outcome.clone())),
            None => {
                let waiter = Waiter { call: ask.native_ref.clone(), caller };
                self.waiters.entry(id).or_default().push(waiter);
            }
        }
        Ok(id)
    }

    /// Keeps an outcome that inbound calls did not receive, for the next call that asks or for a message.
    pub(super) fn keep_unheard(&mut self, request: RequestId, unheard: Vec<NativeRef>) {
        let at = self.clock.now();
        for native_ref in unheard {
            self.note(InboundCommand::NoteDelivered {
                request,
                native_ref,
                result: Err(DeliveryError::NotAwaited),
                at,
            });
        }
    }
}
