//! Retention: which past sessions are due for deletion.

use crate::desk::Desk;
use crate::id::{SessionId, Timestamp};
use crate::request::Request;
use crate::retention_days::RetentionDays;
use crate::session::{Session, SessionState};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// Returns whether a session ended more than `days` ago and nothing in it awaits the user or its agent.
pub fn is_due(days: RetentionDays, desk: &Desk, session: &Session, now: Timestamp) -> bool {
    let SessionState::Ended { at, .. } = session.state else { return false };
    let age = now.millis().saturating_sub(at.millis());
    let is_pending = || {
        let of_it = |request: &&Request| request.session == session.id;
        desk.requests().filter(of_it).any(|request| request.is_live() || request.is_missed())
    };
    let days = u16::from(days);
    days != 0 && age > i64::from(days) * DAY_MILLIS && session.queue.is_empty() && !is_pending()
}

/// Lists the sessions that are due, oldest first.
pub fn due(days: RetentionDays, desk: &Desk, now: Timestamp) -> Vec<SessionId> {
    desk.past_sessions()
        .filter(|session| is_due(days, desk, session, now))
        .map(|session| session.id)
        .collect()
}
