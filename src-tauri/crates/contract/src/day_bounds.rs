//! The days on which something is counted.

use askdesk_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// The most days of one count.
pub const DAYS_COUNTED: usize = 400;

/// The start of each day, followed by the end of the last one. The caller knows the time zone; a day can have 23 or 25 hours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Timestamp>", into = "Vec<Timestamp>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "Array<number>"))]
pub struct DayBounds(Vec<Timestamp>);

/// Why times are not the bounds of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDayBounds {
    #[error("{0} days are counted; the limit is 1 to {DAYS_COUNTED}")]
    Number(usize),
    #[error("a day ends before it starts")]
    Order,
}

impl TryFrom<Vec<Timestamp>> for DayBounds {
    type Error = NotDayBounds;

    fn try_from(bounds: Vec<Timestamp>) -> Result<Self, Self::Error> {
        let days = bounds.len().saturating_sub(1);
        if days == 0 || days > DAYS_COUNTED {
            return Err(NotDayBounds::Number(days));
        }
        // A time zone that crosses the date line skips a day, which then has no length.
        if !bounds.is_sorted() {
            return Err(NotDayBounds::Order);
        }
        Ok(Self(bounds))
    }
}

impl From<DayBounds> for Vec<Timestamp> {
    fn from(bounds: DayBounds) -> Self {
        bounds.0
    }
}

impl DayBounds {
    /// Returns how many days there are; at least one.
    pub fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// Returns the start of the first day and the end of the last one.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        (self.0[0], self.0[self.count()])
    }

    /// Returns the position of the day of a moment.
    pub fn day_of(&self, at: Timestamp) -> Option<usize> {
        let day = self.0.partition_point(|start| *start <= at).checked_sub(1)?;
        (day + 1 < self.0.len()).then_some(day)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn bounds(hours: &[i64]) -> DayBounds {
        let times: Vec<_> = hours.iter().map(|hour| Timestamp::from_millis(hour * HOUR)).collect();
        DayBounds::try_from(times).unwrap()
    }

    #[rstest]
    #[case::before_the_first_day(-1, None)]
    #[case::midnight_starts_a_day(0, Some(0))]
    #[case::the_last_millisecond(24 * HOUR - 1, Some(0))]
    #[case::the_next_midnight(24 * HOUR, Some(1))]
    #[case::the_end_of_a_day_of_23_hours(47 * HOUR - 1, Some(1))]
    #[case::the_midnight_after_it(47 * HOUR, Some(2))]
    #[case::the_last_hour_of_a_day_of_25_hours(72 * HOUR - 1, Some(2))]
    #[case::after_the_last_day(72 * HOUR, None)]
    fn a_moment_is_on_the_day_that_has_begun(#[case] at: i64, #[case] expected: Option<usize>) {
        assert_eq!(bounds(&[0, 24, 47, 72]).day_of(Timestamp::from_millis(at)), expected);
    }

    #[test]
    fn nothing_is_on_a_day_that_the_time_zone_skips() {
        assert_eq!(bounds(&[0, 24, 24, 48]).day_of(Timestamp::from_millis(24 * HOUR)), Some(2));
    }

    #[rstest]
    #[case::no_time(0, Err(NotDayBounds::Number(0)))]
    #[case::a_start_without_an_end(1, Err(NotDayBounds::Number(0)))]
    #[case::one_day(2, Ok(()))]
    #[case::the_most_days(DAYS_COUNTED + 1, Ok(()))]
    #[case::too_many_days(DAYS_COUNTED + 2, Err(NotDayBounds::Number(DAYS_COUNTED + 1)))]
    fn days_are_bounded(#[case] times: usize, #[case] expected: Result<(), NotDayBounds>) {
        let times: Vec<_> = (0..times as i64).map(Timestamp::from_millis).collect();
        assert_eq!(DayBounds::try_from(times).map(drop), expected);
    }

    #[test]
    fn days_are_in_order() {
        let times = [0, 2, 1].map(Timestamp::from_millis).to_vec();
        assert_eq!(DayBounds::try_from(times), Err(NotDayBounds::Order));
    }
}
