//! Notifications of finished turns. They are valid until the session works again.

use super::{Decision, Effect};
use crate::event::{Event, SessionEvent};
use crate::session::{Session, SessionState};

/// Announces a finished turn, unless a queued message begins the next one.
pub(super) fn notify(session: &Session) -> Decision {
    let is_idle = session.state == SessionState::Idle && session.queue.is_empty();
    let effects = if is_idle { vec![Effect::NotifyFinished { session: session.id }] } else { Vec::new() };
    Decision { effects, ..Decision::default() }
}

/// Withdraws the notifications of sessions that work again or are gone.
pub(super) fn withdraw(events: &[Event]) -> Vec<Effect> {
    let over = events.iter().filter_map(|event| match event {
        Event::Session(
            SessionEvent::TurnBegan { session }
            | SessionEvent::Closed { session, .. }
            | SessionEvent::Deleted { session },
        ) => Some(Effect::WithdrawFinished { session: *session }),
        _ => None,
    });
    over.collect()
}
