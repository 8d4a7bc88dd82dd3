//! Requests of the agent: how they are registered or refused, held until the disk accepts them, and how their outcomes are
//! delivered.

use askdesk_agents::{
    Action, AgentEvent, Asked, EncodeError, QuestionRefusal, Requests, Trouble, WriteError,
};
use askdesk_contract::LogKind;
use askdesk_domain::text::bounded;
use askdesk_domain::{
    ApprovalCommand, Ask, Delivery, DeliveryError, NativeRef, Notice, RequestCommand, RequestId, WithdrawnWhy,
};
use tokio::time::Instant;

use super::held_asks::HeldAsk;
use super::pending::{Again, PendingEvent, WriteSubject};
use super::task::SessionTask;
use crate::delivery_error::{unencoded, unwritten};
use crate::error::EngineError;
use crate::fault::{self, FaultPoint};
use crate::inbound_calls::PATIENCE;
use crate::mailbox::{CallEnd, Resolution};

impl SessionTask {
    pub(super) async fn on_requests(&mut self, event: Requests) {
        match event {
            Requests::Asked(asked) => {
                self.register(Instant::now() + PATIENCE, asked).await;
                self.note_spoke().await;
            }
            Requests::ApprovalAsked(asked) => {
                if !self.held_asks.contains(&asked.native_ref) {
                    self.register_approval(Instant::now() + PATIENCE, asked).await;
                }
                self.note_spoke().await;
            }
            Requests::ToolCallProposed { native_ref, call } => {
                let ask = self.policies.rules.matching(&call).is_some();
                if let Some(reviewed) = self.agent.adapter.review_call(&native_ref, ask) {
                    self.write(WriteSubject::Other, reviewed.outbound);
                }
            }
            Requests::Withdrawn { native_ref } => {
                self.permission_ended(&native_ref).await;
                let why = self.why_withdrawn(WithdrawnWhy::ByAgent);
                let at = self.engine.clock().now();
                self.record_held(|held| *held == native_ref).await;
                self.record(RequestCommand::Withdraw { session: self.id, native_ref, why, at }).await;
            }
            Requests::Acknowledged { native_ref } => {
                self.pending.forget_secrets(&native_ref);
                let (session, call) = (self.id, native_ref.clone());
                let known =
                    self.engine.inspect(move |desk| desk.by_native_ref(session, &call).map(|known| known.id));
                if let Ok(Some(request)) = known.await {
                    fault::reached(FaultPoint::Acknowledged);
                    let delivery = Delivery::Delivered { at: self.engine.clock().now(), late: false };
                    self.record(RequestCommand::NoteDelivery { request, call: Some(native_ref), delivery })
                        .await;
                }
            }
        }
    }

    /// Registers a request. One that the disk refuses for long is refused, because the agent would wait forever.
    pub(super) async fn register(&mut self, until: Instant, asked: Asked) {
        if !self.policies.questions.lets_ask(self.policies.planning) {
            return self.refuse_by_policy(&asked).await;
        }
        match self.engine.act(RequestCommand::Ask(self.ask_of(&asked))).await {
            Ok(_) => {}
            Err(EngineError::Journal(_)) if Instant::now() < until => {
                self.held_asks.hold(until, HeldAsk::Question(asked));
            }
            Err(error) => {
                let reason = format!("Askdesk could not save the question: {error}");
                let why = match error {
                    EngineError::Journal(_) => QuestionRefusal::NotStored { reason: reason.clone() },
                    _ => QuestionRefusal::Unkept { reason: reason.clone() },
                };
                self.refuse(asked.native_ref, why);
                self.note_refused(reason).await;
            }
        }
    }

    pub(super) fn ask_of(&self, asked: &Asked) -> Ask {
        Ask {
            id: self.engine.clock().request_id(),
            session: self.id,
            native_ref: asked.native_ref.clone(),
            asked_by: asked.asked_by.clone(),
            helper: asked.helper.clone(),
            questions: asked.questions.clone(),
            limit: None,
            asker: asked.asker,
            at: self.engine.clock().now(),
        }
    }

    /// Refuses a question because of the session's question policy, and notes it in the transcript.
    async fn refuse_by_policy(&mut self, asked: &Asked) {
        self.refuse(asked.native_ref.clone(), QuestionRefusal::TurnedOff { policy: self.policies.questions });
        let texts: Vec<&str> = asked.questions.iter().map(|question| question.text.as_str()).collect();
        let notice =
            Notice::QuestionTurnedOff { policy: self.policies.questions, text: bounded(&texts.join("\n")) };
        self.write_notice(notice).await;
    }

    /// Tells the agent that the question is not shown.
    fn refuse(&mut self, native_ref: NativeRef, why: QuestionRefusal) {
        match self.agent.adapter.send(Action::RefuseQuestion { native_ref, why }) {
            Ok(output) => self.write(WriteSubject::Other, output.outbound),
            Err(error) => self.note(LogKind::Note, &error.to_string()),
        }
    }

    /// Records those that end before the disk has accepted them. They end right after that, and nobody has been asked.
    pub(super) async fn record_held(&mut self, ends: impl Fn(&NativeRef) -> bool) {
        for (until, ask) in std::mem::take(&mut self.held_asks.held) {
            match ask {
                ask if !ends(ask.native_ref()) => self.held_asks.held.push_back((until, ask)),
                HeldAsk::Question(asked) => {
                    let ask = self.ask_of(&asked);
                    self.record(RequestCommand::Ask(ask)).await;
                }
                HeldAsk::Permission(asked) => {
                    let ask = self.approval_of(&asked);
                    self.record(ApprovalCommand::Ask(ask)).await;
                }
            }
        }
    }

    pub(super) async fn ask_held_again(&mut self) {
        for (until, ask) in std::mem::take(&mut self.held_asks.held) {
            match ask {
                HeldAsk::Question(asked) => self.register(until, asked).await,
                HeldAsk::Permission(asked) => self.register_approval(until, asked).await,
            }
        }
    }

    pub(super) async fn on_pending(&mut self, event: PendingEvent) {
        match event {
            PendingEvent::Resolved(resolution) => self.on_resolved(resolution).await,
            PendingEvent::Written(WriteSubject::End { .. }, Ok(())) => fault::reached(FaultPoint::Handed),
            PendingEvent::Written(_, Ok(())) => {}
            PendingEvent::Written(subject, Err(error)) => self.on_unwritten(subject, error).await,
            PendingEvent::Again(Again::Deliver(end)) => self.deliver(end).await,
            PendingEvent::Again(Again::SendParked) => self.send_parked().await,
            PendingEvent::Again(Again::SendQueued) => self.send_next_queued().await,
        }
    }

    async fn on_resolved(&mut self, resolution: Resolution) {
        match resolution {
            Resolution::Outcome(end) => {
                let end = self.pending.with_secrets(end);
                self.deliver(end).await;
            }
            Resolution::Decision { approval, call, decision, allows } => {
                self.send_decision(approval, call, decision, allows).await;
            }
        }
    }

    /// Deals with what was resolved before now, so that what the user did later follows it.
    pub(super) async fn on_already_resolved(&mut self) {
        while let Some(resolution) = self.pending.resolved() {
            self.on_resolved(resolution).await;
        }
    }

    async fn on_unwritten(&mut self, subject: WriteSubject, error: WriteError) {
        let error = unwritten(error);
        match subject {
            WriteSubject::End { request, call } => self.delivery_failed(request, call, error).await,
            WriteSubject::Decision { approval } => {
                self.record(ApprovalCommand::NoteNotDelivered { approval, error }).await
            }
            WriteSubject::LateAnswers { message } => self.late_unwritten(message).await,
            WriteSubject::Message => self.write_notice(Notice::MessageNotSent { error }).await,
            WriteSubject::ConfigChange { ticket } => self.change_unwritten(ticket, error),
            WriteSubject::Other => self.note(LogKind::Note, &error.to_string()),
        }
    }

    /// Delivers an outcome to the agent. The journal has the outcome, so a failure loses nothing. The journal also records
    /// that it is about to be sent, so that no later run sends it again. It refuses that for a call that is over.
    pub(super) async fn deliver(&mut self, end: CallEnd) {
        let (request, call) = (end.request, end.call.clone());
        match self.engine.act(RequestCommand::NoteSending { request, call: call.clone() }).await {
            Ok(_) => {}
            // The agent goes on waiting, and so does the answer.
            Err(EngineError::Journal(_)) => return self.pending.add_again(Again::Deliver(end)),
            Err(error) => return self.note(LogKind::Note, &error.to_string()),
        }
        fault::reached(FaultPoint::Sending);
        let CallEnd { questions, outcome, first, .. } = end;
        let action = Action::Answer { native_ref: call.clone(), questions, outcome };
        let encoded = match self.agent.adapter.send(action) {
            Ok(encoded) => encoded,
            Err(EncodeError::NothingToSend) => return,
            Err(error) => return self.delivery_failed(request, call, unencoded(&error)).await,
        };
        self.write(WriteSubject::End { request, call }, encoded.outbound);
        for event in encoded.events {
            if first || !matches!(event, AgentEvent::Trouble(Trouble::Noticed { .. })) {
                self.on_event(event, None).await;
            }
        }
    }

    pub(super) async fn delivery_failed(
        &mut self,
        request: RequestId,
        call: NativeRef,
        error: DeliveryError,
    ) {
        let delivery = Delivery::Failed { error };
        self.record(RequestCommand::NoteDelivery { request, call: Some(call), delivery }).await;
    }
}
