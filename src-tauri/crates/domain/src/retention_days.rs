//! How long past sessions are kept.

use serde::{Deserialize, Serialize};

use crate::error::{Settable, SettingError, Written};

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
