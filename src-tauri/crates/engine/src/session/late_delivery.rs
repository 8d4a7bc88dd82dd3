//! Late answers: sent in one message after the agent was restarted.

use askdesk_agents::{Action, Attached, LateMessage};
use askdesk_contract::LogKind;
use askdesk_domain::{Delivery, EntryBody, RequestCommand};
use uuid::Uuid;

use super::pending::{Again, WriteSubject};
use super::task::SessionTask;
use crate::error::EngineError;

impl SessionTask {
    /// The resumed agent has introduced itself or begun a turn, or its time is over: sends the held inputs, late answers
    /// first, because they were given first.
    pub(super) async fn on_resumed(&mut self) {
        let Some(held) = self.resumption.finish() else { return };
        self.send_parked().await;
        for input in held {
            self.on_input(input).await;
        }
    }

    /// Sends the parked answers in one message. The journal records this before they are sent.
    pub(super) async fn send_parked(&mut self) {
        if self.resumption.is_waiting() {
            return;
        }
        let late = match self.engine.act(RequestCommand::SendParked { session: self.id }).await {
            Ok(applied) => applied.late,
            Err(EngineError::Journal(_)) => return self.pending.add_again(Again::SendParked),
            Err(error) => return self.note(LogKind::Note, &error.to_string()),
        };
        if late.is_empty() {
            return;
        }
        let LateMessage { sent, shown } = self.agent.adapter.late_message(&late);
        self.write_entry(EntryBody::User { text: shown, attachments: Vec::new() }).await;
        let message = Uuid::new_v4();
        self.late.note_sent(message, late.iter().map(|request| request.id).collect());
        let action = Action::Message { id: message, text: sent, attached: Attached::default() };
        if let Err(error) = self.try_send(WriteSubject::LateAnswers { message }, action).await {
            self.note(LogKind::Note, &error.to_string());
            return self.late_unwritten(message).await;
        }
        self.set_working(true).await;
    }

    /// Notes that late answers have arrived: those of one message, or all if the agent doesn't report messages.
    pub(super) async fn late_arrived(&mut self, message: Option<Uuid>) {
        for request in self.late.take_arrived(message) {
            let delivery = Delivery::Delivered { at: self.engine.clock().now(), late: true };
            self.record(RequestCommand::NoteDelivery { request, call: None, delivery }).await;
        }
    }

    /// Parks late answers again if they could not be written.
    pub(super) async fn late_unwritten(&mut self, message: Uuid) {
        for request in self.late.take_unwritten(message) {
            self.record(RequestCommand::NoteDelivery { request, call: None, delivery: Delivery::Parked })
                .await;
        }
    }
}
