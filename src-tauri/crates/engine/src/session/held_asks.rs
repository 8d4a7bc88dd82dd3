//! Questions and permission requests that the disk has not accepted yet. Their agent waits anyway.

use std::collections::VecDeque;

use askdesk_agents::{ApprovalAsked, Asked};
use askdesk_domain::NativeRef;
use tokio::time::Instant;

use crate::inbound_calls::AGAIN;

pub(super) enum HeldAsk {
    Question(Asked),
    Permission(Box<ApprovalAsked>),
}

impl HeldAsk {
    pub(super) const fn native_ref(&self) -> &NativeRef {
        match self {
            Self::Question(asked) => &asked.native_ref,
            Self::Permission(asked) => &asked.native_ref,
        }
    }
}

/// What is held, in order, with when it is refused.
#[derive(Default)]
pub(super) struct HeldAsks {
    pub(super) held: VecDeque<(Instant, HeldAsk)>,
    again: Option<Instant>,
}

impl HeldAsks {
    /// Returns when to try again; none while nothing is held.
    pub(super) fn due(&self) -> Option<Instant> {
        self.again.filter(|_| !self.held.is_empty())
    }

    pub(super) fn contains(&self, native_ref: &NativeRef) -> bool {
        self.held.iter().any(|(_, ask)| ask.native_ref() == native_ref)
    }

    pub(super) fn hold(&mut self, until: Instant, ask: HeldAsk) {
        self.held.push_back((until, ask));
        self.again = Some(Instant::now() + AGAIN);
    }
}
