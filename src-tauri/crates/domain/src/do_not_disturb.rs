//! When notifications are reduced or repeated: do not disturb hours, settings of one session, reminders.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Bounds, Settable, SettingError, SettingKind, Written, number_setting};
use crate::id::Timestamp;

const MINUTES_OF_A_DAY: u16 = 24 * 60;

/// A minute of the user's local day, counted from midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MinuteOfDay(u16);

impl MinuteOfDay {
    /// Returns the minute for a clock time; an invalid hour or minute is clamped to the last one.
    pub fn of(hour: u16, minute: u16) -> Self {
        Self(hour.min(23) * 60 + minute.min(59))
    }

    /// Returns the minute for a clock time; none if a day has no such time.
    pub fn at(hour: u16, minute: u16) -> Option<Self> {
        (hour < 24 && minute < 60).then_some(Self(hour * 60 + minute))
    }
}

impl fmt::Display for MinuteOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl FromStr for MinuteOfDay {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |digits: &str| match digits.len() {
            1 | 2 if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().map_err(|_| ()),
            _ => Err(()),
        };
        let (hour, minute) = text.trim().split_once(':').ok_or(())?;
        Self::at(number(hour)?, number(minute)?).ok_or(())
    }
}

/// Daily hours without notifications, from one minute of the day to another, or none; the window still shows counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct DoNotDisturbHours(Option<(MinuteOfDay, MinuteOfDay)>);

impl DoNotDisturbHours {
    /// The word for none.
    pub const OFF: &str = "off";

    /// Returns whether a minute is within the hours; hours that end before they start span midnight.
    pub fn hold(self, now: MinuteOfDay) -> bool {
        self.0.is_some_and(|(from, to)| {
            let since = |minute: MinuteOfDay| (minute.0 + MINUTES_OF_A_DAY - from.0) % MINUTES_OF_A_DAY;
            since(now) < since(to)
        })
    }
}

impl TryFrom<String> for DoNotDisturbHours {
    type Error = SettingError;

    fn try_from(text: String) -> Result<Self, SettingError> {
        if text.trim() == Self::OFF {
            return Ok(Self::default());
        }
        let minutes =
            text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
        match minutes {
            // Equal start and end times are ambiguous: they could mean no hours or all of them.
            Some((from, to)) if from != to => Ok(Self(Some((from, to)))),
            _ => Err(SettingError::NoHours),
        }
    }
}

impl Settable for DoNotDisturbHours {
    fn read(written: Written) -> Result<Self, SettingError> {
        if let Written::Text(text) = written { text.try_into() } else { Err(SettingError::NoHours) }
    }

    fn kind() -> SettingKind {
        SettingKind::Hours
    }
}

impl From<DoNotDisturbHours> for String {
    fn from(hours: DoNotDisturbHours) -> Self {
        hours.0.map_or_else(|| DoNotDisturbHours::OFF.to_owned(), |(from, to)| format!("{from}-{to}"))
    }
}

number_setting! {
    /// After how many minutes a reminder of an open question is shown; 0 is never.
    ReminderMinutes, Bounds::OneOf(&[0, 5, 15, 60]), default 0
}

impl ReminderMinutes {
    /// Returns how long a question is open before its reminder; none if reminders are off.
    pub fn duration(self) -> Option<Duration> {
        (self.0 != 0).then(|| Duration::from_secs(u64::from(self.0) * 60))
    }
}

/// The end of a notification pause, in seconds since 1970; 0 is no pause. The window still shows counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct PausedUntil(u32);

impl Settable for PausedUntil {
    fn kind() -> SettingKind {
        SettingKind::Pause
    }
}

impl PausedUntil {
    /// Creates a pause that ends at a moment.
    pub fn at(end: Timestamp) -> Self {
        Self(u32::try_from(end.millis() / 1_000).unwrap_or_default())
    }

    /// Returns when the pause ends; none if it is over.
    pub fn end(self, now: Timestamp) -> Option<Timestamp> {
        let end = Timestamp::from_millis(i64::from(self.0) * 1_000);
        (now < end).then_some(end)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionNotifications {
    /// Only the counts in the window show it.
    pub muted: bool,
    /// Notifications don't show its texts.
    pub private: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(text: &str) -> Result<DoNotDisturbHours, SettingError> {
        text.to_owned().try_into()
    }

    #[test]
    fn hours_include_their_first_minute_and_not_their_last_and_can_span_midnight() {
        let holds = |text: &str, hour, minute| {
            hours(text).map(|hours| MinuteOfDay::at(hour, minute).map(|now| hours.hold(now)))
        };
        for (text, hour, minute, quiet) in [
            ("off", 3, 0, false),
            ("12:00-13:30", 11, 59, false),
            ("12:00-13:30", 12, 0, true),
            ("12:00-13:30", 13, 29, true),
            ("12:00-13:30", 13, 30, false),
            ("22:00-07:00", 21, 59, false),
            ("22:00-07:00", 22, 0, true),
            ("22:00-07:00", 0, 0, true),
            ("22:00-07:00", 6, 59, true),
            ("22:00-07:00", 7, 0, false),
            ("00:00-23:59", 23, 58, true),
        ] {
            assert_eq!(holds(text, hour, minute), Ok(Some(quiet)), "{text} at {hour}:{minute}");
        }
    }

    #[test]
    fn hours_round_trip_and_invalid_ones_are_refused() {
        for text in ["off", "22:00-07:00", "00:00-00:01"] {
            assert_eq!(hours(text).map(String::from), Ok(text.to_owned()));
        }
        assert_eq!(hours(" 9:00 - 17:30 ").map(String::from), Ok("09:00-17:30".to_owned()));
        for text in [
            "",
            "on",
            "22-7",
            "24:00-07:00",
            "22:60-07:00",
            "22:00-22:00",
            "22:00",
            "+9:00-10:00",
            "022:00-07:00",
        ] {
            assert!(hours(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pause_lasts_until_its_end() {
        let at = Timestamp::from_millis;
        let pause = PausedUntil::at(at(1_700_000_000_999));
        assert_eq!(pause.end(at(1_699_999_999_999)), Some(at(1_700_000_000_000)));
        assert_eq!(pause.end(at(1_700_000_000_000)), None);
        assert_eq!(PausedUntil::default().end(at(0)), None);
        assert_eq!(PausedUntil::at(at(-1)), PausedUntil::default(), "before 1970");
    }

    #[test]
    fn a_reminder_is_due_after_its_minutes_or_never() {
        let duration = |minutes| ReminderMinutes::try_from(minutes).map(ReminderMinutes::duration);
        assert_eq!(duration(0), Ok(None));
        assert_eq!(duration(5), Ok(Some(Duration::from_secs(300))));
        assert!(duration(7).is_err());
    }
}
