//! Clients that the desk did not start: a waiter for each of their calls, and what becomes of an end that none took.

use askdesk_domain::{
    Ask, Command, Decision, DeliveryError, Event, InboundCommand, Leave, NativeRef, Outcome, RequestId,
    SessionEvent, SessionId,
};
use tokio::sync::oneshot;

use super::{EngineError, Writer};

/// Names the session that a visit has opened or taken up again.
pub(super) fn opened(decision: &Decision) -> Option<SessionId> {
    decision.events.iter().find_map(|event| match event {
        Event::Session(SessionEvent::Started { session }) => Some(session.id),
        Event::Session(SessionEvent::Resumed { session, .. }) => Some(*session),
        _ => None,
    })
}

impl Writer {
    /// Registers a call. One whose maker has given up meanwhile is left again: nothing waits for nobody.
    pub(super) fn visited(
        &mut self,
        ask: Ask,
        again: Option<RequestId>,
        waiter: oneshot::Sender<Outcome>,
        reply: oneshot::Sender<Result<RequestId, EngineError>>,
    ) {
        if reply.is_closed() || waiter.is_closed() {
            return;
        }
        let (session, native_ref, at) = (ask.session, ask.native_ref.clone(), ask.at);
        let registered = self.register_visit(ask, again, waiter);
        if reply.send(registered).is_err() {
            self.note(&Command::Inbound(InboundCommand::LeaveCall {
                session,
                native_ref,
                why: Leave::Gone,
                at,
            }));
        }
    }

    fn register_visit(
        &mut self,
        ask: Ask,
        again: Option<RequestId>,
        waiter: oneshot::Sender<Outcome>,
    ) -> Result<RequestId, EngineError> {
        let (minted, native_ref) = (ask.id, ask.native_ref.clone());
        let decision = self.act(&Command::Inbound(InboundCommand::Ask { ask, again }))?;
        let id = decision.request.unwrap_or(minted);
        match self.desk.request(id).and_then(|request| request.ended()) {
            // What was said meanwhile; none of it is a secret, so the desk has it whole.
            Some(ended) => drop(waiter.send(ended.outcome.clone())),
            None => self.waiters.entry(id).or_default().push((native_ref, waiter)),
        }
        Ok(id)
    }

    /// An end that a call was not there to hear of is kept for the next that asks; an agent's session sees to its own.
    pub(super) fn keep_unheard(&mut self, request: RequestId, unheard: Vec<NativeRef>) {
        let session = self.desk.request(request).and_then(|request| self.desk.session(request.session));
        if !session.is_some_and(|session| session.origin.is_inbound()) {
            return;
        }
        let at = self.source.now();
        for native_ref in unheard {
            self.note(&Command::Inbound(InboundCommand::NoteDelivered {
                request,
                native_ref,
                told: Err(DeliveryError::NotAwaited),
                at,
            }));
        }
    }
}
