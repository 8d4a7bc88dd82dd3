//! Carries out the effects of a decision, after its events are on disk and published.

use askdesk_domain::{
    ApprovalCommand, ApprovalDecision, ApprovalId, Command, Delivery, DeliveryError, Effect, NativeRef,
    Outcome, RequestCommand, RequestId, SessionId,
};

use tokio::sync::mpsc::error::TrySendError;

use super::Writer;
use crate::mailbox::{NotificationEvent, SessionInput};

impl Writer {
    pub(super) fn carry_out(&mut self, effect: &Effect) {
        match effect {
            Effect::Resolve { request, outcome } => self.resolve(*request, outcome),
            Effect::LetGo { request, native_ref } => {
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
            Effect::Notify { request } => self.notify_asked(*request),
            Effect::WithdrawNotification { request } => {
                self.notify(NotificationEvent::Ended { request: *request });
            }
            Effect::NotifyApproval { approval } => self.notify_approval(*approval),
            Effect::WithdrawApprovalNotification { approval } => {
                self.notify(NotificationEvent::ApprovalEnded { approval: *approval });
            }
            Effect::NotifyFinished { session } => self.notify_finished(*session),
            Effect::WithdrawFinished { session } => {
                if self.finished.remove(session) {
                    self.notify(NotificationEvent::FinishedWithdrawn { session: *session });
                }
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
        let mut unheard = Vec::new();
        for waiter in self.waiters.remove(&request).unwrap_or_default() {
            // The task of a session keeps what its agent did not receive.
            if waiter.outcome.send(outcome.clone()).is_err() && waiter.is_inbound {
                unheard.push(waiter.call);
            }
        }
        self.keep_unheard(request, unheard);
    }

    fn redeliver(&mut self, request: RequestId, native_ref: &NativeRef, outcome: &Outcome) {
        let input =
            SessionInput::Redeliver { request, native_ref: native_ref.clone(), outcome: outcome.clone() };
        let session = self.desk.request(request).map(|request| request.session);
        if let Err(error) = self.send_to_session(session, input) {
            let delivery = Delivery::Failed { error };
            self.note(RequestCommand::NoteDelivery { request, call: Some(native_ref.clone()), delivery });
        }
    }

    fn resolve_approval(&mut self, id: ApprovalId, decision: &ApprovalDecision) {
        let Some(approval) = self.desk.approval(id) else { return };
        let input = SessionInput::Decided {
            approval: id,
            native_ref: approval.native_ref.clone(),
            decision: decision.clone(),
            allows: decision.allows(approval).unwrap_or(false),
        };
        if let Err(error) = self.send_to_session(Some(approval.session), input) {
            self.note(ApprovalCommand::NoteNotDelivered { approval: id, error });
        }
    }

    /// If a session's input queue is full now, it sends this when its turn ends.
    fn send_at_turn_end(&self, session: SessionId, input: SessionInput) {
        if let Err(error) = self.send_to_session(Some(session), input) {
            tracing::debug!(%session, %error, "sent when the turn ends");
        }
    }

    fn send_to_session(&self, session: Option<SessionId>, input: SessionInput) -> Result<(), DeliveryError> {
        let mailbox = session.and_then(|session| self.sessions.get(&session));
        mailbox.ok_or(DeliveryError::NotRunning)?.try_send(input).map_err(|error| match error {
            TrySendError::Full(_) => DeliveryError::Busy,
            TrySendError::Closed(_) => DeliveryError::NotRunning,
        })
    }

    fn notify_asked(&self, request: RequestId) {
        let request = self.desk.request(request);
        let session = request.and_then(|request| self.desk.session(request.session));
        if let (Some(request), Some(session)) = (request.cloned(), session.cloned()) {
            self.notify(NotificationEvent::Asked { request, session });
        }
    }

    fn notify_approval(&self, approval: ApprovalId) {
        let approval = self.desk.approval(approval);
        let session = approval.and_then(|approval| self.desk.session(approval.session));
        if let (Some(approval), Some(session)) = (approval.cloned(), session.cloned()) {
            self.notify(NotificationEvent::ApprovalAsked { approval, session });
        }
    }

    fn notify_finished(&mut self, id: SessionId) {
        let Some(session) = self.desk.session(id).cloned() else { return };
        self.finished.insert(id);
        let waits =
            self.desk.open_requests(id).next().is_some() || self.desk.open_approvals(id).next().is_some();
        self.notify(NotificationEvent::Finished { session, waits });
    }

    pub(super) fn notify(&self, event: NotificationEvent) {
        // Notifications are best effort; correctness never depends on them.
        if self.notifications.try_send(event).is_err() {
            tracing::debug!("nobody listens for notifications");
        }
    }

    /// Carries out a command of the writer itself; a rejection is logged.
    pub(super) fn note(&mut self, command: impl Into<Command>) {
        let command = command.into();
        if let Err(error) = self.record(command.clone()) {
            tracing::error!(%error, ?command, "could not be noted");
        }
    }
}
