//! The turn of an agent, and its interrupt.

use std::time::Duration;

use tokio::time::Instant;

/// How long an agent may take to stop its turn after an interrupt before its process tree is killed.
pub(super) const INTERRUPT_GRACE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) is_running: bool,
    /// Whether the message that the session begins with was sent, and the agent has not introduced itself since.
    pub(super) first_sent: bool,
    /// Set from an interrupt until the interrupted turn ends.
    pub(super) is_interrupted: bool,
    began: Option<Instant>,
    kill_at: Option<Instant>,
    /// Whether the agent was killed because it did not stop.
    pub(super) ignored_interrupt: bool,
}

impl Turn {
    pub(super) fn note_begin(&mut self) {
        self.began = Some(Instant::now());
    }

    /// Returns how long the turn that ends took, in milliseconds: as the agent says, else as it was seen. Agents often say
    /// nothing of a turn that was interrupted.
    pub(super) fn take_millis(&mut self, said: u64) -> u64 {
        let seen = self.began.take().map_or(0, |began| began.elapsed().as_millis());
        if said > 0 { said } else { u64::try_from(seen).unwrap_or(u64::MAX) }
    }

    pub(super) fn interrupt(&mut self) {
        // Without a turn there is nothing to interrupt, and the next turn must not look interrupted.
        self.is_interrupted = self.is_running;
        if self.is_running {
            // A second interrupt doesn't extend the deadline of the first.
            self.kill_at.get_or_insert_with(|| Instant::now() + INTERRUPT_GRACE);
        }
    }

    /// When an interrupted agent is killed.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.kill_at
    }

    pub(super) fn note_ignored_interrupt(&mut self) {
        self.kill_at = None;
        self.ignored_interrupt = true;
    }

    pub(super) fn forget_interrupt(&mut self) {
        self.is_interrupted = false;
        self.kill_at = None;
    }
}
