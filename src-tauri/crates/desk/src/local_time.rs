//! Moments in the user's time zone.

use askdesk_contract::DayBounds;
use askdesk_domain::{MinuteOfDay, PausedUntil, Timestamp};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

/// The hour at which a pause until tomorrow ends.
const MORNING: i8 = 8;

/// How long to pause notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseLength {
    /// One hour from now.
    OneHour,
    /// Until 8:00 the next morning.
    UntilTomorrow,
    Off,
}

/// Returns when a pause ends that begins now.
pub fn pause_end(now: Timestamp, length: PauseLength) -> PausedUntil {
    pause_end_in(TimeZone::system(), now, length)
}

fn pause_end_in(zone: TimeZone, now: Timestamp, length: PauseLength) -> PausedUntil {
    let end = match length {
        PauseLength::OneHour => zoned(now, zone).checked_add(1.hour()),
        PauseLength::UntilTomorrow => zoned(now, zone)
            .tomorrow()
            .and_then(|day| day.date().at(MORNING, 0, 0, 0).to_zoned(day.time_zone().clone())),
        PauseLength::Off => return PausedUntil::default(),
    };
    // The end can only overflow on a clock that is set to the end of time.
    end.map_or_else(
        |_| PausedUntil::default(),
        |end| PausedUntil::at(Timestamp::from_millis(end.timestamp().as_millisecond())),
    )
}

fn zoned(at: Timestamp, zone: TimeZone) -> Zoned {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default().to_zoned(zone)
}

pub fn minute_of_day(at: Timestamp, zone: TimeZone) -> MinuteOfDay {
    let time = zoned(at, zone).time();
    MinuteOfDay::of(u16::from(time.hour().unsigned_abs()), u16::from(time.minute().unsigned_abs()))
}

/// Returns the date of a moment in a time zone, and the bounds of that day; none at the end of time.
pub fn day_of(at: Timestamp, zone: TimeZone) -> Option<(String, DayBounds)> {
    let now = zoned(at, zone);
    let start = now.start_of_day().ok()?;
    let end = now.tomorrow().and_then(|tomorrow| tomorrow.start_of_day()).ok()?;
    let bounds = [start, end].map(|bound| Timestamp::from_millis(bound.timestamp().as_millisecond()));
    Some((now.date().to_string(), bounds.to_vec().try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_minute_of_the_day_is_local_time() {
        let at = Timestamp::from_millis(1_700_000_000_000); // 22:13:20 UTC
        let minute = |hours| minute_of_day(at, TimeZone::fixed(jiff::tz::offset(hours))).to_string();
        assert_eq!([minute(0), minute(2), minute(-5)], ["22:13", "00:13", "17:13"]);
    }

    #[test]
    fn a_pause_ends_after_an_hour_or_the_next_morning_in_local_time() {
        let at = Timestamp::from_millis(1_700_000_000_000); // 22:13:20 UTC on the 14th of November
        let end = |pause, hours| {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            let end = pause_end_in(zone.clone(), at, pause).end(at)?;
            Some(zoned(end, zone).strftime("%d %H:%M:%S").to_string())
        };
        assert_eq!(end(PauseLength::OneHour, 0).as_deref(), Some("14 23:13:20"));
        assert_eq!(end(PauseLength::UntilTomorrow, 0).as_deref(), Some("15 08:00:00"));
        assert_eq!(
            end(PauseLength::UntilTomorrow, 2).as_deref(),
            Some("16 08:00:00"),
            "it is already the 15th there"
        );
        assert_eq!(end(PauseLength::Off, 0), None);
    }

    const HOUR: i64 = 3_600_000;

    #[rstest]
    #[case::utc("UTC", "2023-11-14", 24)]
    #[case::already_the_next_day("Asia/Tokyo", "2023-11-15", 24)]
    fn a_day_is_local(#[case] zone: &str, #[case] day: &str, #[case] hours: i64) {
        // 22:13:20 UTC
        check(1_700_000_000_000, zone, day, hours);
    }

    #[rstest]
    #[case::clocks_go_forward(date(2026, 3, 29), 23)]
    #[case::clocks_go_back(date(2026, 10, 25), 25)]
    fn a_day_on_which_the_clocks_change_is_shorter_or_longer(
        #[case] day: jiff::civil::Date,
        #[case] hours: i64,
    ) {
        let noon = day.at(12, 0, 0, 0).in_tz("Europe/Berlin").unwrap().timestamp().as_millisecond();
        check(noon, "Europe/Berlin", &day.to_string(), hours);
    }

    #[track_caller]
    fn check(at: i64, zone: &str, day: &str, hours: i64) {
        let zone = TimeZone::get(zone).unwrap();
        let (known, bounds) = day_of(Timestamp::from_millis(at), zone).unwrap();
        let bounds: Vec<Timestamp> = bounds.into();
        assert_eq!(known, day);
        assert!(bounds[0].millis() <= at && at < bounds[1].millis());
        assert_eq!(bounds[1].millis() - bounds[0].millis(), hours * HOUR);
    }
}
