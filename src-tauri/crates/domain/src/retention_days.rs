//! How long sessions that are over are kept, and which are due to go.

use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::id::{SessionId, Timestamp};
use crate::session::{Session, SessionState};
use crate::setting_error::{Settable, SettingError, Written};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// For how many days a session is kept after it has ended; 0 keeps it until the person deletes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct RetentionDays(u16);

impl RetentionDays {
    /// What can be chosen: a number typed wrong must not delete what was to stay.
    pub const CHOICES: [u16; 4] = [0, 30, 90, 365];

    fn none_of() -> SettingError {
        SettingError::NoneOf { choices: Self::CHOICES.iter().map(ToString::to_string).collect() }
    }

    /// Says whether a session is to be deleted now: it has ended longer ago, and nothing in it waits for the person or
    /// for its agent.
    pub fn is_due(self, desk: &Desk, session: &Session, now: Timestamp) -> bool {
        let SessionState::Ended { at, .. } = session.state else { return false };
        let age = now.millis().saturating_sub(at.millis());
        let waits = || {
            let of_it = |request: &&crate::request::Request| request.session == session.id;
            desk.requests().filter(of_it).any(|request| request.is_live() || request.is_missed())
        };
        self.0 != 0 && age > i64::from(self.0) * DAY_MILLIS && session.queue.is_empty() && !waits()
    }

    /// Lists the sessions that are to be deleted now, oldest first.
    pub fn due(self, desk: &Desk, now: Timestamp) -> Vec<SessionId> {
        let due = desk.past_sessions().filter(|session| self.is_due(desk, session, now));
        due.map(|session| session.id).collect()
    }
}

impl TryFrom<u16> for RetentionDays {
    type Error = SettingError;

    fn try_from(days: u16) -> Result<Self, SettingError> {
        if Self::CHOICES.contains(&days) { Ok(Self(days)) } else { Err(Self::none_of()) }
    }
}

impl Settable for RetentionDays {
    fn read(written: Written) -> Result<Self, SettingError> {
        written.number::<u16>().ok_or_else(Self::none_of)?.try_into()
    }
}

impl From<RetentionDays> for u16 {
    fn from(days: RetentionDays) -> Self {
        days.0
    }
}
