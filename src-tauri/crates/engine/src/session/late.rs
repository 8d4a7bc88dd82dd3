//! What a session does once its agent was started again: it waits for the agent, then sends what waited for it.

use std::time::Duration;

use askdesk_agents::{Act, Attached, late_answer_message};
use askdesk_domain::{Command, Delivery, EntryBody, RequestCommand, RequestId};
use tokio::time::Instant;
use uuid::Uuid;

use super::pending::Line;
use super::{SessionInput, SessionTask};
use crate::log::LogKind;

/// How long an agent that was started again may take to speak before it is spoken to all the same.
///
/// One that no longer has the session ends well within it, and what was sent to it would be lost.
const AWAKE: Duration = Duration::from_secs(15);

/// What a session waits for because its agent was started again, and what it has sent late.
#[derive(Debug, Default)]
pub(super) struct Late {
    /// Until when to wait for the agent's first words; none once it has spoken, or if it was not started again.
    wait_until: Option<Instant>,
    /// Whether it has spoken while it was waited for.
    awake: bool,
    /// What the person wants sent; whoever waits for an input that is dropped hears that the session is gone.
    held: Vec<SessionInput>,
    gone: bool,
    /// Whether the agent says of each message that it has begun to work on it.
    tells: bool,
    /// Messages with late answers of which the agent has not shown that it has them.
    sent: Vec<(Uuid, Vec<RequestId>)>,
}

impl Late {
    /// Waits for an agent that was started again.
    pub(super) fn waiting() -> Self {
        Self { wait_until: Some(Instant::now() + AWAKE), ..Self::default() }
    }

    pub(super) const fn is_waiting(&self) -> bool {
        self.wait_until.is_some()
    }

    /// Takes note of the agent's first words.
    pub(super) const fn wake(&mut self) {
        self.awake = self.is_waiting();
    }

    /// Says whether what has waited for the agent can be sent.
    pub(super) const fn is_awake(&self) -> bool {
        self.awake
    }

    pub(super) const fn wait_until(&self) -> Option<Instant> {
        self.wait_until
    }

    pub(super) const fn is_gone(&self) -> bool {
        self.gone
    }

    /// Keeps what the person wants sent until the agent has spoken.
    pub(super) fn hold(&mut self, input: SessionInput) {
        self.held.push(input);
    }

    /// Takes note that the agent no longer has the session.
    pub(super) const fn note_gone(&mut self) {
        self.gone = true;
    }
}

impl SessionTask {
    /// Sends what has waited for the agent: late answers first, because they were given first.
    pub(super) async fn on_awake(&mut self) {
        self.late.awake = false;
        if self.late.wait_until.take().is_none() {
            return;
        }
        self.send_parked().await;
        for input in std::mem::take(&mut self.late.held) {
            self.on_input(input).await;
        }
    }

    /// Sends the late answers that wait, in one message; that they leave is on disk before they do.
    pub(super) async fn send_parked(&mut self) {
        if self.late.is_waiting() {
            return;
        }
        let late =
            match self.engine.act(Command::Request(RequestCommand::SendParked { session: self.id })).await {
                Ok(applied) => applied.late,
                Err(error) => return self.note(LogKind::Note, &error.to_string()),
            };
        if late.is_empty() {
            return;
        }
        let text = late_answer_message(&late);
        self.write_entry(EntryBody::Person { text: text.clone(), attachments: Vec::new() }).await;
        let message = Uuid::new_v4();
        self.late.sent.push((message, late.iter().map(|request| request.id).collect()));
        let act = Act::Message { id: message, text, attached: Attached::default() };
        if let Err(error) = self.try_send(Line::Late { message }, act).await {
            self.note(LogKind::Note, &error.to_string());
            return self.late_unwritten(message).await;
        }
        self.set_working(true).await;
    }

    /// Notes that late answers have arrived: those of one message, or all where the agent tells nothing of messages.
    pub(super) async fn late_arrived(&mut self, message: Option<Uuid>) {
        self.late.tells |= message.is_some();
        if message.is_none() && self.late.tells {
            return;
        }
        let arrived: Vec<_> = self
            .late
            .sent
            .extract_if(.., |(sent, _)| message.is_none_or(|message| message == *sent))
            .collect();
        for request in arrived.into_iter().flat_map(|(_, requests)| requests) {
            let delivery = Delivery::Delivered { at: self.engine.source().now(), late: true };
            self.act(Command::Request(RequestCommand::NoteDelivery { request, call: None, delivery })).await;
        }
    }

    /// Puts late answers that could not be handed over back to those that wait.
    pub(super) async fn late_unwritten(&mut self, message: Uuid) {
        let back: Vec<_> = self.late.sent.extract_if(.., |(sent, _)| *sent == message).collect();
        for request in back.into_iter().flat_map(|(_, requests)| requests) {
            self.act(Command::Request(RequestCommand::NoteDelivery {
                request,
                call: None,
                delivery: Delivery::Parked,
            }))
            .await;
        }
    }
}
