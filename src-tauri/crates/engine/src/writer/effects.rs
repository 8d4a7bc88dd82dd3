//! Carries out the effects of a decision, after its events are on disk and published.

use askdesk_contract::frame::{Change, FinishedTurn};
use askdesk_domain::{
    ApprovalCommand, ApprovalDecision, ApprovalId, Command, Delivery, DeliveryError, Effect, NativeRef,
    Outcome, Request, RequestCommand, RequestId, SessionId,
};

use super::Writer;
use crate::mailbox::{CallEnd, Resolution, SessionInput};

fn resolution(request: &Request, call: &NativeRef, outcome: &Outcome, first: bool) -> Resolution {
    let (call, questions, outcome) = (call.clone(), request.questions.clone(), outcome.clone());
    Resolution::Outcome(CallEnd { request: request.id, call, questions, outcome, first })
}

impl Writer {
    pub(super) fn carry_out(&mut self, effect: &Effect) {
        match effect {
            Effect::Resolve { request, outcome } => self.resolve(*request, outcome),
            Effect::ReleaseWaiter { request, native_ref } => {
                if let Some(waiters) = self.waiters.get_mut(request) {
                    waiters.retain(|waiter| waiter.call != *native_ref);
                }
            }
            Effect::Redeliver { request, native_ref, outcome } => {
                self.redeliver(*request, native_ref, outcome);
            }
            Effect::SendParked { session } => self.send_at_turn_end(*session, SessionInput::SendParked),
            Effect::SendQueued { session } => self.send_at_turn_end(*session, SessionInput::SendQueued),
            Effect::ResolveApproval { approval, decision } => self.resolve_approval(*approval, decision),
            Effect::PublishFinished { session } => {
                let has_pending = self.desk.open_requests(*session).next().is_some()
                    || self.desk.open_approvals(*session).next().is_some();
                let turn = Some(FinishedTurn { at: self.clock.now(), has_pending });
                self.hub.publish(&self.desk, vec![Change::Finished { session: *session, turn }]);
            }
            Effect::WatchLimit { request, at } => {
                // The thread lives as long as the writer; without it, the request has no time limit.
                if self.limits.send((*at, *request)).is_err() {
                    tracing::error!(%request, "nobody watches the time limit of a request");
                }
            }
        }
    }

    fn resolve(&mut self, request: RequestId, outcome: &Outcome) {
        let waiters = self.waiters.remove(&request).unwrap_or_default();
        if let Some(ended) = self.desk.request(request).filter(|_| outcome.needs_delivery()) {
            let of_app = |call: &NativeRef| waiters.iter().any(|waiter| waiter.call == *call);
            let calls = self.desk.callers(ended).into_iter().map(|(call, _)| call);
            for (place, call) in calls.filter(|call| !of_app(call)).enumerate() {
                // The end of a session deals with what its agent did not receive.
                self.is_sent(Some(ended.session), resolution(ended, call, outcome, place == 0));
            }
        }
        let unheard = waiters
            .into_iter()
            .filter_map(|waiter| waiter.caller.send(outcome.clone()).err().map(|_| waiter.call));
        self.keep_unheard(request, unheard.collect());
    }

    fn redeliver(&mut self, request: RequestId, native_ref: &NativeRef, outcome: &Outcome) {
        let Some(ended) = self.desk.request(request) else { return };
        let first = self.desk.callers(ended).first().is_some_and(|(call, _)| *call == native_ref);
        if !self.is_sent(Some(ended.session), resolution(ended, native_ref, outcome, first)) {
            let (call, delivery) =
                (Some(native_ref.clone()), Delivery::Failed { error: DeliveryError::NotRunning });
            self.note(RequestCommand::NoteDelivery { request, call, delivery });
        }
    }

    fn resolve_approval(&mut self, id: ApprovalId, decision: &ApprovalDecision) {
        let Some(approval) = self.desk.approval(id) else { return };
        let decided = Resolution::Decision {
            approval: id,
            call: approval.native_ref.clone(),
            decision: decision.clone(),
            allows: decision.allows(approval).unwrap_or(false),
        };
        if !self.is_sent(Some(approval.session), decided) {
            let error = DeliveryError::NotRunning;
            self.note(ApprovalCommand::NoteNotDelivered { approval: id, error });
        }
    }

    /// If a session's input queue is full now, it sends this when its turn ends.
    fn send_at_turn_end(&self, session: SessionId, input: SessionInput) {
        let mailbox = self.sessions.get(&session);
        if mailbox.is_none_or(|mailbox| mailbox.inputs.try_send(input).is_err()) {
            tracing::debug!(%session, "sent when the turn ends");
        }
    }

    /// Sends a resolution to a session, and returns whether the session runs.
    fn is_sent(&self, session: Option<SessionId>, resolution: Resolution) -> bool {
        let mailbox = session.and_then(|session| self.sessions.get(&session));
        mailbox.is_some_and(|mailbox| mailbox.resolutions.send(resolution).is_ok())
    }

    /// Carries out a command of the writer itself; a rejection is logged.
    pub(super) fn note(&mut self, command: impl Into<Command>) {
        let command = command.into();
        if let Err(error) = self.record(command.clone()) {
            tracing::error!(%error, ?command, "could not be noted");
        }
    }
}
