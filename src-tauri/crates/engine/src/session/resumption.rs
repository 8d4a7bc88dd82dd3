//! What a session holds back while its resumed agent starts, and the late answers that it has sent.

use std::time::Duration;

use askdesk_domain::RequestId;
use tokio::time::Instant;
use uuid::Uuid;

use crate::mailbox::{QUEUED_SESSION_INPUTS, SessionInput};

/// How long to wait for a resumed agent to introduce itself or begin a turn before sending the held inputs anyway.
///
/// If the agent no longer has the session, it ends well within this time, and anything sent to it would be lost.
const READY_WITHIN: Duration = Duration::from_secs(15);

/// Holds inputs back until a resumed agent has introduced itself or begun a turn.
#[derive(Debug, Default)]
pub(super) struct Resumption {
    /// None once the wait is over, or if the agent was not resumed.
    deadline: Option<Instant>,
    ready: bool,
    /// Dropping an input tells its caller that the session is gone.
    held: Vec<SessionInput>,
}

impl Resumption {
    pub(super) fn waiting() -> Self {
        Self { deadline: Some(Instant::now() + READY_WITHIN), ..Self::default() }
    }

    pub(super) const fn is_waiting(&self) -> bool {
        self.deadline.is_some()
    }

    pub(super) const fn note_ready(&mut self) {
        self.ready = self.is_waiting();
    }

    /// Returns whether the agent has introduced itself or begun a turn, so that the held inputs can be sent.
    pub(super) const fn is_ready(&self) -> bool {
        self.ready
    }

    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Holds an input back until the wait is over, or returns it if too many are held.
    pub(super) fn hold(&mut self, input: SessionInput) -> Option<SessionInput> {
        if self.held.len() >= QUEUED_SESSION_INPUTS {
            return Some(input);
        }
        self.held.push(input);
        None
    }

    /// Ends the wait and returns the held inputs; none if it was over before.
    pub(super) fn finish(&mut self) -> Option<Vec<SessionInput>> {
        self.ready = false;
        self.deadline.take()?;
        Some(std::mem::take(&mut self.held))
    }
}

/// Messages with late answers that the agent has not acknowledged.
#[derive(Debug, Default)]
pub(super) struct LateMessages {
    /// Whether the agent reports each message that it begins to work on.
    reports: bool,
    sent: Vec<(Uuid, Vec<RequestId>)>,
}

impl LateMessages {
    pub(super) fn note_sent(&mut self, message: Uuid, requests: Vec<RequestId>) {
        self.sent.push((message, requests));
    }

    /// Takes the requests whose answers have arrived: those of one message, or all if the agent reports no messages.
    pub(super) fn take_arrived(&mut self, message: Option<Uuid>) -> Vec<RequestId> {
        self.reports |= message.is_some();
        if message.is_none() && self.reports {
            return Vec::new();
        }
        self.take(|sent| message.is_none_or(|message| message == sent))
    }

    /// Takes the requests of a message that was not written.
    pub(super) fn take_unwritten(&mut self, message: Uuid) -> Vec<RequestId> {
        self.take(|sent| sent == message)
    }

    fn take(&mut self, is_taken: impl Fn(Uuid) -> bool) -> Vec<RequestId> {
        let taken = self.sent.extract_if(.., |(message, _)| is_taken(*message));
        taken.flat_map(|(_, requests)| requests).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_held_up_to_a_bound() {
        let mut resumption = Resumption::waiting();
        for _ in 0..QUEUED_SESSION_INPUTS {
            assert!(resumption.hold(SessionInput::SendParked).is_none());
        }
        assert!(matches!(resumption.hold(SessionInput::SendParked), Some(SessionInput::SendParked)));
    }
}
